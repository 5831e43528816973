import { findKind } from "../kinds.ts";
import { quote, type Token } from "../words.ts";
import type { Clause } from "./clauses.ts";
import type { Draft } from "./formTables.ts";
import { isQuoted, spoken, word } from "./phrases.ts";
import type { Reader } from "./reader.ts";
import { type Context, tryForms } from "./search.ts";
import type { Read } from "./variants.ts";

/** The clause before, of which "and …" may leave something unsaid. */
export type Previous = {
  readonly draft: Draft;
  readonly lead: readonly Token[];
  readonly tokens: readonly Token[];
};

const KEY = /^(?:Enter|Tab|Escape)$/;
const ARROW = /^(?:->|=>|→|»|>)$/;

/** `and "pw" into Password`: what the clause before said is understood. Only with something in quotes. */
export const readElliptical = (
  clause: Clause,
  reader: Reader,
  context: Context,
  previous: Previous,
): Read | null => {
  const [first, second] = clause.tokens;
  const { action } = previous.draft;
  // What stands behind a dash is a sentence of its own.
  if (DASH.test(clause.joint)) return null;
  const once = (tokens: readonly Token[], isSame: (next: string) => boolean): Read | null => {
    const read = tryForms(tokens, reader, context);
    return read.kind === "step" && isSame(read.draft.action) ? { ...read, times: 1 } : null;
  };
  if (clause.joint === "but") {
    const isOtherState = clause.tokens.length === 1 && STATES.test(word(first));
    if (isOtherState && STATES.test(word(previous.tokens.at(-1)))) {
      return once([...previous.tokens.slice(0, -1), ...clause.tokens], (next) =>
        next.startsWith("assert_"),
      );
    }
    const isNegated = word(first) === "not" && isQuoted(second) && action === "assert_visible";
    if (!isNegated) return null;
    const target = previous.draft.target ?? "";
    const place = target.lastIndexOf(" in the ");
    if (place < 0 || second?.kind !== "quoted") {
      return once([...notSeen, ...clause.tokens.slice(1)], () => true);
    }
    // `"A" is visible in the "Cart" section but not "B"`: not there.
    const hidden = `${quote(second.text)}${target.slice(place)}`;
    return clause.tokens.length === 2
      ? { kind: "step", draft: { action: "assert_hidden", target: hidden }, lead: [], times: 1 }
      : null;
  }
  // `"A" is visible, "B" is not`
  const ending = clause.tokens.slice(-2).map(word).join(" ");
  const state = previous.tokens.at(-1);
  if (/^(?:is|are) not$/.test(ending) && state && STATES.test(word(state))) {
    return once([...clause.tokens, state], (next) => next.startsWith("assert_"));
  }
  const isKey = clause.tokens.length === 1 && first?.kind === "word" && KEY.test(first.text);
  if (isKey && clause.joint !== "and") {
    // `…, Enter`: a key by itself.
    return { kind: "step", draft: { action: "press", value: first.text }, lead: [], times: 1 };
  }
  // `Set "A" to 1 and B to 2`
  const isSet = SETTING.test(word(previous.lead.at(-1))) && isPair(clause.tokens);
  const isSure =
    isSet ||
    (LISTED.has(action) && isNamedThing(clause.tokens)) ||
    (action === "click" && clause.joint === "then" && isTitle(clause.tokens)) ||
    (FILLED.has(action) && isBracketed(clause.tokens)) ||
    (FILLED.has(action) && isLikeBefore(clause.tokens, previous.tokens)) ||
    (action === "scroll" && word(first) === "back" && word(second) === "to");
  // `click Save -> "All is saved"`: a sentence is seen, and no name of what is clicked next.
  if (ARROWED.test(clause.joint) && action === "click" && isSentence(clause.tokens)) return null;
  if (clause.tokens.some(isQuoted) || ARROW.test(clause.joint) || isSure) {
    // `Click on "Menu", then on "Logout"`
    const isTwice = clause.tokens.length > 1 && word(previous.lead.at(-1)) === word(first);
    const said = isTwice ? clause.tokens.slice(1) : clause.tokens;
    return previous.lead.length > 0
      ? once([...previous.lead, ...said], (next) => next === action)
      : null;
  }
  // `… is visible and should be enabled`
  const verb = previous.tokens.findIndex((token) => SAID_VERB.test(word(token)));
  if (CLAIM_VERB.test(word(first)) && verb > 0 && action.startsWith("assert_")) {
    return once([...previous.tokens.slice(0, verb), ...clause.tokens], (next) =>
      next.startsWith("assert_"),
    );
  }
  // `… should be visible and enabled`
  // A negation may reach over the "and", or not: that is no case for guessing.
  if (previous.tokens.some(({ lower }) => /^(?:not|no|longer)$|n't$/.test(lower))) return null;
  const isState = clause.tokens.length === 1 && STATES.test(word(first));
  if (!isState || !STATES.test(word(previous.tokens.at(-1)))) return null;
  return once([...previous.tokens.slice(0, -1), ...clause.tokens], (next) =>
    next.startsWith("assert_"),
  );
};

const SETTING = /^(?:set|sets|change|changes)$/;

/** `End date to 2025-03-14`: what is set, and to a figure. */
const isPair = (tokens: readonly Token[]): boolean => {
  const to = tokens.findIndex((token) => word(token) === "to");
  return to > 0 && to === tokens.length - 2 && /^\d/.test(word(tokens.at(-1)));
};

const FILLED = new Set(["fill", "type", "select"]);
const INTO = /^(?:in|into|from|with|to|as|for|under)$/;

/** `… and Roe in the Last name field`: what is filled in where, said as it was said before. */
const isLikeBefore = (tokens: readonly Token[], before: readonly Token[]): boolean => {
  const at = tokens.findIndex((token, index) => index > 0 && INTO.test(word(token)));
  const joint = word(tokens[at]);
  const [first] = tokens;
  const isText = first !== undefined && (isQuoted(first) || /^[\p{Lu}\d$]/u.test(first.text));
  return (
    at > 0 && at < tokens.length - 1 && isText && before.some((token) => word(token) === joint)
  );
};

/** `Tap Profile, then Privacy`: a name that begins like one. */
const isTitle = (tokens: readonly Token[]): boolean =>
  tokens.length < 4 &&
  tokens.every(({ kind, text }) => kind === "word" && /^[\p{L}\d&'’-]+$/u.test(text)) &&
  /^\p{Lu}\p{Ll}/u.test(tokens[0]?.text ?? "");

/** `… and password (till#7)`: what is filled in, in brackets. */
const isBracketed = (tokens: readonly Token[]): boolean =>
  tokens.length < 7 && tokens.at(-1)?.text === ")" && tokens.at(-3)?.text === "(";

const ARROWED = /^(?:->|=>|→)$/;

const isSentence = (tokens: readonly Token[]): boolean =>
  tokens.length === 1 && isQuoted(tokens[0]) && /\S\s+\S+\s+\S/.test(tokens[0]?.text ?? "");

const LISTED = new Set(["assert_visible", "assert_hidden", "click", "hover", "check", "uncheck"]);

/** `the Sign out link`, `on the Menu button`: the kind at its end says where the name ends. */
const isNamedThing = (tokens: readonly Token[]): boolean => {
  const start = /^(?:on|over)$/.test(word(tokens[0])) ? 1 : 0;
  const isArticle = /^(?:the|a|an)$/.test(word(tokens[start]));
  const kind = findKind(word(tokens.at(-1))) ?? findKind(tokens.slice(-2).map(word).join(" "));
  return isArticle && kind !== null && tokens.length > start + 2;
};

const DASH = /^[-–—]$/;
const CLAIM_VERB = /^(?:should|is|are|must)$/;
const SAID_VERB = /^(?:should|is|are|must|exists|appears)$/;
const STATES =
  /^(?:visible|displayed|shown|present|clickable|hidden|enabled|disabled|checked|ticked|unchecked|unticked)$/;

const notSeen = ["should", "not", "see"].map(spoken);
