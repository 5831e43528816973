import { word } from "./phrases.ts";
import { placedThingAt } from "./places.ts";
import { beginningAt, byFirstWord, goesOnAt } from "./saidAt.ts";
import type { Thing } from "./things.ts";
import { emptyAt, isCapital, isNameWord, kindLengthAt } from "./thingWords.ts";
import type { Token } from "./words.ts";

const PREPOSITIONS = byFirstWord(
  [
    "into the field for|by means of|by way of|over to|out of|in place of",
    "into|in|to|onto|on|inside|at|under|for|as|with|using|via|through|from|by|among|within|upon|over|above|called|named",
  ]
    .flatMap((line) => line.split("|"))
    .map((said) => said.split(" ")),
  (words) => words,
);

/** One part of what a deed is done with: `into the "Email" field`. */
export type Role = {
  readonly preposition: string;
  readonly thing: Thing | null;
  /** What is typed or chosen; null when it can not be. */
  readonly value: string | null;
};

const VALUE_NOUN =
  /^(?:text|value|string|phrase|word|words|code|number|amount|date|following|e-mail|email|address|digits|option|letters|file|name|answer|message)$/;
const FIGURE =
  /[\d@]|^\$\{|^[\w-]+\.(?:pdf|png|jpe?g|gif|csv|txt|docx?|xlsx?|zip|svg|json|xml|webp|heic)$/i;
const MAX_ROLES = 4;

const prepositionAt = (tokens: readonly Token[], at: number): readonly string[] | null =>
  beginningAt(PREPOSITIONS, tokens, at).find((words) => goesOnAt(tokens, at, words)) ?? null;

/** `application number "BR-1"`: where the text begins that some small words only describe; the same place when none do. */
const describedTo = (tokens: readonly Token[], at: number): number => {
  let to = at;
  while (to < at + 3 && isNameWord(tokens[to]) && !isCapital(tokens[to])) to++;
  const isText = tokens[to]?.kind === "quoted" && prepositionAt(tokens, to + 1) !== null;
  return isText && to > at && kindLengthAt(tokens, to - 1) === 0 ? to : at;
};

/** A text that is typed or chosen and where it ends: quoted, a figure, or a name with a capital. */
const valueAt = (
  tokens: readonly Token[],
  at: number,
): { readonly value: string; readonly to: number } | null => {
  let from = at;
  if (/^(?:the|a|an|your|my|our|his|her|their)$/.test(word(tokens[from]))) from++;
  const described = describedTo(tokens, from);
  if (described > from) from = described;
  else if (VALUE_NOUN.test(word(tokens[from])) && from < tokens.length - 1) from++;
  else from = at;
  if (word(tokens[from]) === "of" && from > at) return null;
  const token = tokens[from];
  if (!token) return null;
  if (token.kind === "quoted" || token.kind === "literal") {
    return kindLengthAt(tokens, from + 1) > 0 && word(tokens[from + 1]) !== "select"
      ? null
      : { value: token.text, to: from + 1 };
  }
  if (token.kind !== "word") return null;
  if (FIGURE.test(token.text) && !/[!?…*<>|]|^\/|^https?:/.test(token.text))
    return { value: token.text, to: from + 1 };
  let end = from;
  while (isCapital(tokens[end]) && end < from + 4) end++;
  const next = tokens[end];
  const isOver = next === undefined || prepositionAt(tokens, end) !== null || next.kind === "mark";
  return end > from && isOver && kindLengthAt(tokens, end) === 0
    ? {
        value: tokens
          .slice(from, end)
          .map(({ text }) => text)
          .join(" "),
        to: end,
      }
    : null;
};

/** Everything that stands behind a verb, part by part; null when some of it is not understood. */
export const rolesOf = (
  tokens: readonly Token[],
  from: number,
): { readonly roles: readonly Role[]; readonly particle: string } | null => {
  const roles: Role[] = [];
  let particle = "";
  let at = from;
  while (at < tokens.length) {
    const empty = emptyAt(tokens, at);
    if (empty > 0) {
      at += empty;
      continue;
    }
    const isParticle =
      /^(?:on|off|in|out|down)$/.test(word(tokens[at])) &&
      (at + 1 === tokens.length ||
        (at > from && /^(?:with|as|using|to|for)$/.test(word(tokens[at + 1]))));
    if (isParticle && particle === "") {
      particle = word(tokens[at]);
      at++;
      continue;
    }
    const preposition = prepositionAt(tokens, at);
    const behind = at + (preposition?.length ?? 0);
    // `using its "Close" button`: whose it is was said just before.
    const isIts = word(tokens[behind]) === "its" && MEANS.test(preposition?.join(" ") ?? "");
    const start = isIts ? behind + 1 : behind;
    const thing = placedThingAt(tokens, start, true);
    const value = valueAt(tokens, start);
    const to = Math.max(thing?.to ?? 0, value?.to ?? 0);
    if (to === 0 || roles.length === MAX_ROLES) return null;
    roles.push({
      preposition: preposition?.join(" ") ?? "",
      thing: thing?.to === to ? thing : null,
      value: value?.to === to ? value.value : null,
    });
    at = to;
  }
  return { roles, particle };
};

/** What something is done by. */
export const MEANS = /^(?:with|using|via|through|by means of|by way of)$/;
