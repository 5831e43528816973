import { findKind } from "../catalogue/kinds.ts";
import type { Clause } from "./clauses.ts";
import type { Draft } from "./formTables.ts";
import { HARD_CONNECTORS, isQuoted, spoken, word } from "./phrases.ts";
import type { Reader } from "./reader.ts";
import { type Context, tryForms } from "./search.ts";
import type { Read } from "./variants.ts";
import { quote, type Token } from "./words.ts";

/** The clause before, of which "and …" may leave something unsaid. */
export type Previous = {
  readonly draft: Draft;
  readonly lead: readonly Token[];
  readonly tokens: readonly Token[];
};

/** What a button that ends something is called, and begins with its capital in mid-sentence. */
const CLICKED = /^(?:Save|Submit|Continue|Next|Apply|Send|Proceed|Finish|Done)$/;
const DONE = new Set(["fill", "type", "select", "check", "uncheck", "upload", "clear"]);
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
    if (read.kind !== "step" || !isSame(read.draft.action)) return null;
    return { kind: "step", draft: read.draft, lead: read.lead, times: 1 };
  };
  const counted = nextInOrder(clause.tokens, previous.draft);
  if (counted) return { kind: "step", draft: counted, lead: [], times: 1 };
  const stated = statedOtherwise(clause.tokens, previous.tokens);
  if (stated) return once(stated, (next) => next.startsWith("assert_"));
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
  const state = previous.tokens.at(-1);
  const isNot =
    word(clause.tokens.at(-1)) === "not" && /^(?:is|are)$/.test(word(clause.tokens.at(-2)));
  if (isNot && state && STATES.test(word(state))) {
    return once([...clause.tokens, state], (next) => next.startsWith("assert_"));
  }
  // `…, change "Title" to "B" and Save`
  const isButton = clause.tokens.length === 1 && first?.kind === "word" && CLICKED.test(first.text);
  if (isButton && DONE.has(action)) {
    return { kind: "step", draft: { action: "click", target: first.text }, lead: [], times: 1 };
  }
  // `Press the browser's Back, then Forward`, `go back, then forward again`
  if (/^go_(?:back|forward)$/.test(action)) {
    const way = clause.tokens.filter((token) => !TURNING.test(word(token)));
    if (way.length === 1 && /^(?:back|forward)$/.test(word(way[0]))) {
      const draft = { action: word(way[0]) === "back" ? "go_back" : "go_forward" };
      return { kind: "step", draft, lead: [], times: 1 };
    }
  }
  // `Scroll to the bottom, then back to the top`
  if (action === "scroll" && /^(?:back|up|down|all|to)$/.test(word(first))) {
    return once([spoken("scroll"), ...clause.tokens], (next) => next === action);
  }
  const isListed =
    action === "assert_contains" && clause.tokens.length === 1 && first?.kind === "quoted";
  if (isListed && isQuoted(previous.tokens.at(-1)) && /^(?:and|,|&)$/.test(clause.joint)) {
    const { target } = previous.draft;
    return { kind: "step", draft: { action, target, value: first.text }, lead: [], times: 1 };
  }
  const isKey = clause.tokens.length === 1 && first?.kind === "word" && KEY.test(first.text);
  if (isKey && clause.joint !== "and") {
    // `…, Enter`: a key by itself.
    return { kind: "step", draft: { action: "press", value: first.text }, lead: [], times: 1 };
  }
  // `…, then in the "Cart" section …`: a place that something else follows in.
  if (action === "click" && /^(?:in|within|inside|under|from)$/.test(word(first))) return null;
  // `Set "A" to 1 and B to 2`
  const isSet = SETTING.test(word(previous.lead.at(-1))) && isPair(clause.tokens);
  const isSure =
    isSet ||
    (LISTED.has(action) && isNamedThing(clause.tokens)) ||
    (action === "click" && clause.joint === "then" && isTitle(clause.tokens)) ||
    (FILLED.has(action) && isBracketed(clause.tokens)) ||
    (FILLED.has(action) && isLikeBefore(clause.tokens, previous.tokens));
  // `click Save -> "All is saved"`: a sentence is seen, and no name of what is clicked next.
  if (ARROWED.test(clause.joint) && action === "click" && isSentence(clause.tokens)) return null;
  // `click Save -> "Saved" message`: a message is seen, too.
  const isSeen = action === "click" && clause.tokens.some((token) => MESSAGE.test(word(token)));
  if (isSeen && clause.tokens.length < 5) return null;
  if (clause.tokens.some(isQuoted) || ARROW.test(clause.joint) || isSure) {
    // `Click on "Menu", then on "Logout"`
    const isTwice = clause.tokens.length > 1 && word(previous.lead.at(-1)) === word(first);
    const said = isTwice ? clause.tokens.slice(1) : clause.tokens;
    // `Right-click "a.txt" -> Delete`: what opens is clicked.
    if (ARROW.test(clause.joint) && OPENING.has(action)) {
      return once([spoken("click"), ...said], (next) => next === "click");
    }
    const start = previous.lead.findIndex((token) => !HARD_CONNECTORS.has(word(token)));
    return previous.lead.length > 0
      ? once([...previous.lead.slice(Math.max(start, 0)), ...said], (next) => next === action)
      : null;
  }
  // `… is visible and should be enabled`
  const isClaim = action.startsWith("assert_") && CLAIM_VERB.test(word(first));
  const verb = isClaim ? previous.tokens.findIndex((token) => SAID_VERB.test(word(token))) : -1;
  if (verb > 0) {
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

const WHICH = /^(first|second|third|fourth|fifth|sixth|last|\d+(?:st|nd|rd|th)) /;

/** `…, 12 in the second and 8 in the third`, behind what was typed in the first: the same with another text. */
const nextInOrder = (tokens: readonly Token[], { action, target }: Draft): Draft | null => {
  const [value, into, the, which, one] = tokens;
  if (!FILLED.has(action) || !target || !WHICH.test(target) || !value || !which) return null;
  const isText = value.kind === "quoted" || /^[\d$€£]\S*$/.test(value.text);
  const isPlaced = /^(?:in|into|for|from)$/.test(word(into)) && word(the) === "the";
  const isOver = tokens.length === 4 || (tokens.length === 5 && word(one) === "one");
  if (!isText || !isPlaced || !isOver || !WHICH.test(`${word(which)} `)) return null;
  return { action, target: target.replace(WHICH, `${word(which)} `), value: value.text };
};

const NEGATED = /^(?:not|never|longer)$|n't$/;

/** `"A" is visible but "B" is not`, `A should be shown and B should not`, `A is not ticked, B is`: the same state, or its contrary. */
const statedOtherwise = (
  tokens: readonly Token[],
  before: readonly Token[],
): readonly Token[] | null => {
  const state = before.at(-1);
  if (!state || tokens.length < 2 || !STATED.test(word(state))) return null;
  const last = word(tokens.at(-1));
  const isContrary = /^(?:isn't|aren't|shouldn't|not)$/.test(last);
  if (!isContrary && last !== "is" && last !== "are") return null;
  const verb = before.findLastIndex((token) => /^(?:is|are|be)$|n't$/.test(word(token)));
  if (verb < 1) return null;
  const isNegated = before.slice(1, -1).some((token) => NEGATED.test(word(token)));
  if (isContrary) {
    const aux = word(tokens.at(-2));
    if (isNegated || (last === "not" && !/^(?:is|are|should|must|does)$/.test(aux))) return null;
    const end = tokens.slice(0, last === "not" ? -2 : -1);
    return isSubject(end) ? [...end, spoken("is"), spoken("not"), state] : null;
  }
  // `… is not selected, radio "No" is`
  if (!isNegated || !tokens.some(isQuoted)) return null;
  return [...tokens.slice(0, -1), spoken("is"), state];
};

/** A thing by its name or kind, and no place or time before it. */
const isSubject = (tokens: readonly Token[]): boolean => {
  const first = tokens[0];
  const last = tokens.at(-1);
  const begins =
    isQuoted(first) || /^(?:the|a|an)$/.test(word(first)) || findKind(word(first)) !== null;
  return begins && (isQuoted(last) || findKind(word(last)) !== null);
};

const STATED =
  /^(?:visible|displayed|shown|present|clickable|hidden|enabled|disabled|checked|ticked|unchecked|unticked|selected|there|listed)$/;

const SETTING = /^(?:set|sets|change|changes)$/;

/** `End date to 2025-03-14`: what is set, and to a figure. */
const isPair = (tokens: readonly Token[]): boolean => {
  const to = tokens.findIndex((token) => word(token) === "to");
  return to > 0 && to === tokens.length - 2 && /^\d/.test(word(tokens.at(-1)));
};

/** What may stand beside "forward" behind "go back". */
const TURNING = /^(?:the|again|button|arrow|one|a|page|step)$/;

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

const MESSAGE =
  /^(?:message|msg|toast|notification|error|warning|snackbar|alert|banner|tooltip|heading)$/;
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

/** What opens a menu, or shows more to click. */
const OPENING = new Set(["right_click", "double_click", "hover"]);

const DASH = /^[-–—]$/;
const CLAIM_VERB = /^(?:should|is|are|must)$/;
const SAID_VERB = /^(?:should|is|are|must|exists|appears)$/;
const STATES =
  /^(?:visible|displayed|shown|present|clickable|hidden|enabled|disabled|checked|ticked|unchecked|unticked)$/;

const notSeen = ["should", "not", "see"].map(spoken);
