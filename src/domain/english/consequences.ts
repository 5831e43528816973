import { baseOf, GERUNDS } from "./inflections.ts";
import { isQuoted, word } from "./phrases.ts";
import type { Token } from "./words.ts";

const CLAIMING = /^(?:verify|check|ensure|confirm|assert|validate|expect|see)$/;
const MODAL = /^(?:should|must|will|shall|would|then|also|now|immediately)$/;
const TWICE = new Set(["double", "right", "left"]);
const NOUNS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    click: "click",
    tap: "tap",
    press: "press",
    "double-click": "double-click",
    "right-click": "right-click",
    selection: "select",
    choice: "choose",
    upload: "upload",
    entry: "enter",
    hover: "hover",
  }),
);
const ARTICLES = new Set(["a", "an", "the", "one", "another"]);
const HOW = new Set(["single", "double", "right", "left", "mouse", "simple"]);

/** What is done, and how many words say so before its object. */
type Deed = { readonly verb: string; readonly length: number };

/** `Clicking …`, `Double clicking …`, `A click on …`, `Selection of …`: what is done, said as a thing; null for others. */
export const nounDeed = (tokens: readonly Token[]): Deed | null => {
  const first = word(tokens[0]);
  const isTwo = TWICE.has(first);
  const gerund = GERUNDS.get(isTwo ? word(tokens[1]) : first);
  if (gerund !== undefined) {
    return { verb: isTwo ? `${first}-${gerund}` : gerund, length: isTwo ? 2 : 1 };
  }
  const isArticle = ARTICLES.has(first);
  let at = isArticle ? 1 : 0;
  const adjective = word(tokens[at]);
  if (HOW.has(adjective)) at++;
  const noun = NOUNS.get(word(tokens[at]));
  if (noun === undefined) return null;
  // `A click anywhere on the card`
  const wide = word(tokens[at + 1]) === "anywhere" ? 1 : 0;
  const joint = word(tokens[at + 1 + wide]);
  if (!/^(?:on|over|of|to)$/.test(joint)) return null;
  if (!isArticle && joint !== "of") return null;
  const verb = TWICE.has(adjective) && adjective !== "left" ? `${adjective}-${noun}` : noun;
  const isKept = joint === "on" || joint === "over";
  return { verb, length: (isKept ? at + 1 : at + 2) + wide };
};

const SHOWS = new Set(
  "shows show displays display opens open reveals reveal presents present triggers trigger produces".split(
    " ",
  ),
);
const ADDRESS = /^(?:https?:\/\/|\/)\S*$/i;
const HIDES = /^(?:closes?|hides?|dismisses|dismiss|removes?)$/;
const MOVES = /^(?:takes?|brings?|sends?|redirects?|leads?|navigates?|returns?|forwards?|goes|go)$/;
const PERSON = /^(?:me|us|you|them|him|her|one)$/;

type Say = (from: number, to?: number) => string;

/** What is shown, and is no place to be. */
const SHOWN =
  /^(?:error|message|warning|toast|notification|dialog|popup|pop-up|modal|alert|banner|tooltip|hint|text|snackbar)$/;

const TICKED = /(?:^| )(?:radio|checkbox|switch|toggle|radio button)(?: |$)/;

/** The words of some tokens in lower case, of texts in quotes none. */
export const wordsOf = (tokens: readonly Token[]): string => tokens.map(word).join(" ");

/** What comes of it, as a claim; null when the word at a place says nothing of the kind. */
export const effectAt = (tokens: readonly Token[], at: number, say: Say): string | null => {
  const verb = word(tokens[at]);
  const next = word(tokens[at + 1]);
  // `The "Docs" link opens /docs`: an address is nothing that one sees on a page.
  const isAddress = at + 2 === tokens.length && ADDRESS.test(tokens[at + 1]?.text ?? "");
  if (isAddress && /^opens?$/.test(verb)) return `I should be on ${say(at + 1)}`;
  if (SHOWS.has(verb) || (verb === "results" && next === "in")) {
    return `I should see ${say(at + (verb === "results" ? 2 : 1))}`;
  }
  // `leads to the error "Numbers only"`: no page, but what is to be seen.
  if (/^(?:leads?|gives?|yields?|causes?|produces?|brings?)$/.test(verb)) {
    let from = next === "to" || next === "up" ? at + 2 : at + 1;
    if (/^(?:the|a|an|you|us)$/.test(word(tokens[from]))) from++;
    const isShown = SHOWN.test(word(tokens[from])) || SHOWN.test(word(tokens[from + 1]));
    if (isShown && (next === "to") === /^leads?$/.test(verb)) return `I should see ${say(from)}`;
  }
  if (/^(?:brings?|pops?)$/.test(verb) && next === "up") return `I should see ${say(at + 2)}`;
  if (HIDES.test(verb)) return `${say(at + 1)} should be hidden`;
  if (/^(?:ticks?|selects?|checks?)$/.test(verb) && TICKED.test(wordsOf(tokens.slice(at + 1))))
    return `${say(at + 1)} should be checked`;
  if (
    /^(?:unticks?|deselects?|unchecks?)$/.test(verb) &&
    TICKED.test(wordsOf(tokens.slice(at + 1)))
  )
    return `${say(at + 1)} should be unchecked`;
  if (/^(?:clears|empties)$/.test(verb)) return `${say(at + 1)} should be empty`;
  if (/^enables?$/.test(verb)) return `${say(at + 1)} should be enabled`;
  if (/^disables?$/.test(verb)) return `${say(at + 1)} should be disabled`;
  if (MOVES.test(verb)) {
    let to = at + 1;
    if (PERSON.test(word(tokens[to]))) to++;
    else if (/^(?:the|a)$/.test(word(tokens[to])) && word(tokens[to + 1]) === "user") to += 2;
    else if (/^(?:users?|customers?)$/.test(word(tokens[to]))) to++;
    if (word(tokens[to]) === "back") to++;
    return word(tokens[to]) === "to" && to + 1 < tokens.length
      ? `I should be on ${say(to + 1)}`
      : null;
  }
  const row = rowIn(tokens, at, say);
  if (row !== null) return row;
  if (/^(?:makes?|causes?|lets?)$/.test(verb)) return madeToBe(tokens, at, say);
  if (/^(?:changes?|sets?|turns?|updates?)$/.test(verb)) {
    const to = tokens.findIndex(
      (token, index) => index > at + 1 && /^(?:to|into)$/.test(word(token)),
    );
    const isText = to > 0 && to === tokens.length - 2 && tokens[to + 1]?.kind === "quoted";
    return isText ? `${say(at + 1, to)} should be ${say(to + 1)}` : null;
  }
  return null;
};

const ROW = /^(?:in|into|to) (the (?:first|last|second|third|top|bottom) (?:row|line|item))$/;

/** `puts "A" in the first row`, `makes "A" the first row`: what that row contains then. */
const rowIn = (tokens: readonly Token[], at: number, say: Say): string | null => {
  const name = tokens[at + 1];
  if (name?.kind !== "quoted" || at + 6 < tokens.length) return null;
  const verb = word(tokens[at]);
  const rest = wordsOf(tokens.slice(at + 2));
  const isMoved = /^(?:puts?|moves?|brings?|places?)$/.test(verb);
  const row = isMoved
    ? ROW.exec(rest)?.[1]
    : /^makes?$/.test(verb)
      ? ROW.exec(`in ${rest}`)?.[1]
      : undefined;
  return row === undefined ? null : `${row} should contain ${say(at + 1, at + 2)}`;
};

const MADE: Readonly<Record<string, string>> = {
  appear: "visible",
  visible: "visible",
  disappear: "hidden",
  vanish: "hidden",
  hidden: "hidden",
  enabled: "enabled",
  disabled: "disabled",
};

/** `makes the "Province" field appear` */
const madeToBe = (tokens: readonly Token[], at: number, say: Say): string | null => {
  const state = MADE[word(tokens.at(-1))];
  let end = tokens.length - 1;
  while (/^(?:to|be|become|get)$/.test(word(tokens[end - 1]))) end--;
  return state !== undefined && end > at + 1 ? `${say(at + 1, end)} should be ${state}` : null;
};

const MAX_WORDS = 40;

/**
 * `Clicking "Save" closes the "Edit" dialog`, `A click on "More" reveals "Less"`: what is done, and what should come
 * of it, as sentences of their own; null for all others.
 */
export const withConsequence = (
  tokens: readonly Token[],
  source: string,
): readonly string[] | null => {
  if (tokens.length > MAX_WORDS) return null;
  let from = 0;
  if (CLAIMING.test(word(tokens[0]))) from = 1;
  else if (word(tokens[0]) === "make" && word(tokens[1]) === "sure") from = 2;
  if (from > 0 && /^(?:that|if|whether)$/.test(word(tokens[from]))) from++;
  const all = tokens.slice(from);
  const deed = nounDeed(all);
  if (!deed) return null;
  const say: Say = (start, end = all.length) =>
    start < end ? source.slice(all[start]?.start, all[end - 1]?.end) : "";
  for (let at = deed.length + 1; at < all.length - 1; at++) {
    const token = all[at];
    if (!token || isQuoted(token) || token.text !== token.lower) continue;
    const effect = effectAt(all, at, say);
    if (effect === null) continue;
    let end = at;
    const isNot = /^(?:not|never)$|n't$/.test(word(all[at - 1]));
    if (isNot) end--;
    // `… must not reveal "A"`: what does not come of it is not there; other effects have no contrary.
    const claim = !isNot
      ? effect
      : effect.startsWith("I should see ")
        ? effect.replace("should see", "should not see")
        : null;
    if (claim === null) continue;
    while (MODAL.test(word(all[end - 1]))) end--;
    if (end <= deed.length || all[end - 1]?.lower === "to") continue;
    return [`${deed.verb} ${say(deed.length, end)}`, claim];
  }
  return null;
};

const LIMIT = /^(?:up|at|for|no|not|a|max|maximum|about|around|another)$/;
const TIME = /^(?:ms|milliseconds?|s|secs?|seconds?|mins?|minutes?)$/;

/**
 * `Wait (for up to 10 seconds) until the "Total" cell shows "5"`: what is waited for, as a claim. Null when nothing is
 * waited for, or for a time alone.
 */
export const waitedFor = (tokens: readonly Token[], source: string): string | null => {
  const verb = word(tokens[0]);
  if ((verb !== "wait" && verb !== "waits") || tokens.length > MAX_WORDS) return null;
  let at = 1;
  if (LIMIT.test(word(tokens[at]))) {
    const time = tokens.findIndex((token, index) => index < 8 && TIME.test(word(token)));
    // `Wait 5 seconds for …`: without a limit it may be a time that is always waited.
    const isLimit = tokens
      .slice(1, Math.max(time, 1))
      .some((token) => /^(?:to|most|longer|more|max|maximum)$/.test(word(token)));
    if (time > 0 && isLimit) at = time + 1;
  }
  const joint = word(tokens[at]);
  const rest = tokens[at + 1];
  if (!rest) return null;
  const say = (from: number): string => source.slice(tokens[from]?.start, tokens.at(-1)?.end);
  if (joint === "until" || joint === "till") return `verify that ${say(at + 1)}`;
  if (joint !== "for") return null;
  const to = tokens.findIndex(
    (token, index) => index > at + 1 && word(token) === "to" && HOLDS.has(word(tokens[index + 1])),
  );
  if (to < 0) return null;
  const claimed = word(tokens[to + 1]);
  return `verify that ${source.slice(rest.start, tokens[to - 1]?.end)} should ${claimed} ${say(to + 2)}`;
};

const HOLDS = new Set(
  "be have contain show display equal become read say change match include start end turn pop come go vanish fade light close open".split(
    " ",
  ),
);

/** A verb as one says it to somebody, for a deed that is said as a thing before it ends. */
export const doneByClick = (tokens: readonly Token[], source: string): string | null => {
  if (GERUNDS.has(word(tokens[0]))) return null;
  const deed = nounDeed(tokens);
  if (!deed || baseOf(deed.verb) === null) return null;
  return `${deed.verb} ${source.slice(tokens[deed.length]?.start, tokens.at(-1)?.end)}`;
};
