import { parseKeyChord } from "../catalogue/values.ts";
import { word } from "./phrases.ts";
import { placedThingAt } from "./places.ts";
import { isJoint, NEGATING, type Saying, written } from "./sayingParts.ts";
import type { Thing } from "./things.ts";
import type { Token } from "./words.ts";

const CLICKED =
  /^(?:button|btn|link|hyperlink|icon|tab|menu item|menu option|menu entry|image|logo|card|tile|avatar|thumbnail|)$/;
const MODAL = /^(?:should|must|will|shall|also|then|now|does)$/;

/** How many words only say that a claim follows. */
const leadOf = (tokens: readonly Token[]): number => {
  if (!/^(?:verify|check|ensure|confirm|assert|validate|test)$/.test(word(tokens[0]))) return 0;
  return /^(?:that|if|whether)$/.test(word(tokens[1])) ? 2 : 1;
};

/** What stands before a verb that says what it does, where it is one thing that is clicked; null for anything else. */
const doerOf = (
  tokens: readonly Token[],
  at: number,
): { readonly thing: Thing; readonly from: number } | null => {
  const from = leadOf(tokens);
  let end = at;
  while (MODAL.test(word(tokens[end - 1]))) end--;
  const start = /^cta$/i.test(tokens[from + 1]?.text ?? "") ? from + 2 : from;
  const thing = placedThingAt(tokens.slice(0, end), start);
  const isOne = thing?.to === end && (thing.isQuoted || thing.kind !== "") && !thing.isLoose;
  return isOne && CLICKED.test(thing.kind) && (thing.name !== null || thing.kind === "logo")
    ? { thing, from: start }
    : null;
};

const WHOM = /^(?:me|us|you|them|him|her|one|user|users|customer|visitor)$/;

/** `The "Get a quote" link takes you to https://…`: clicked, it leads there. */
export const broughtTo: Saying = (tokens, at, source) => {
  const doer = doerOf(tokens, at);
  if (!doer) return null;
  let to = at + 1;
  if (/^(?:the|a)$/.test(word(tokens[to]))) to++;
  if (WHOM.test(word(tokens[to]))) to++;
  if (word(tokens[to]) === "back") to++;
  const rest = tokens.slice(to + 1);
  const isAddress = rest.length === 1 && /^(?:https?:\/\/|\/)\S*$/i.test(rest[0]?.text ?? "");
  if (word(tokens[to]) !== "to" || !isAddress) return null;
  const thing = written(tokens.slice(doer.from, doer.thing.to), source);
  return [`click ${thing}`, `I should be on ${rest[0]?.text ?? ""}`];
};

const OPENED = /^(?:opens|launches|triggers)$/;

/** `The "Forgot PIN" link opens the page with the title "Reset PIN"`: clicked, it brings that about. */
export const opensOther: Saying = (tokens, at, source) => {
  const doer = doerOf(tokens, at);
  const rest = tokens.slice(at + 1);
  const isSure = doer !== null && (doer.thing.kind !== "" || doer.thing.isQuoted);
  if (!doer || !isSure || rest.length === 0 || rest.some((token) => NEGATING.test(word(token))))
    return null;
  // `"Card" opens` may as well be opened, and `"?"` is a key.
  if (
    doer.thing.kind === "card" ||
    (doer.thing.name ?? "").length < 2 ||
    rest.slice(1).some(isJoint)
  )
    return null;
  const thing = written(tokens.slice(doer.from, doer.thing.to), source);
  const titled = titleIn(rest);
  const isShown = rest.some(({ kind }) => kind === "quoted");
  if (titled !== null && OPENED.test(word(tokens[at]))) {
    return [`click ${thing}`, `the page title should be ${written([titled], source)}`];
  }
  return isShown ? [`click ${thing}`, `I should see ${written(rest, source)}`] : null;
};

/** `the page with the title "A"`, `the page titled "A"`: the title; null for anything else. */
const titleIn = (tokens: readonly Token[]): Token | null => {
  const said = tokens.slice(0, -1).map(word).join(" ");
  const name = tokens.at(-1);
  return name?.kind === "quoted" && /^(?:the|a) page (?:with (?:the )?title|titled)$/.test(said)
    ? name
    : null;
};

/** `Esc closes the "Tips" dialog`, `"?" opens the "Shortcuts" dialog`: pressed, it brings that about. */
export const keyDoes: Saying = (tokens, at, source) => {
  const from = leadOf(tokens);
  let end = at;
  while (MODAL.test(word(tokens[end - 1]))) end--;
  const key = tokens.slice(from, end);
  const text = written(key, source);
  const isSign = key.length === 1 && key[0]?.kind === "quoted" && /^[?/]$/.test(key[0].text);
  const chord = isSign ? (key[0]?.text ?? "") : key.length < 4 ? text : "";
  const isKey = isSign || (chord.length > 1 && key.every(({ kind }) => kind === "word"));
  if (!isKey || parseKeyChord(chord) === null) return null;
  const rest = tokens.slice(at + 1);
  if (rest.length === 0 || rest.some((token) => isJoint(token) || NEGATING.test(word(token))))
    return null;
  const what = written(rest, source);
  const isGone = /^(?:closes|hides|dismisses)$/.test(word(tokens[at]));
  const isIt = /^(?:it|them)$/.test(word(rest[0]));
  return [
    `press the ${chord} key`,
    isGone
      ? `${what} should be hidden`
      : isIt
        ? `${what} should be visible`
        : `I should see ${what}`,
  ];
};
