import { findKind } from "../../catalogue/kinds.ts";
import { parseTarget } from "../../catalogue/target.ts";
import { parseKeyChord } from "../../catalogue/values.ts";
import type { Context } from "../engine/context.ts";
import { placesAt } from "../engine/openings.ts";
import { placeIn } from "../engine/slots.ts";
import type { Draft } from "../engine/types.ts";
import type { Token } from "../words.ts";

/** Steps that the words of a span most likely mean, and the words that they leave out. */
export type Guess = {
  readonly steps: readonly Draft[];
  readonly cost: number;
  readonly left: readonly number[];
};

/** Words by what they ask for; the first row that a span has a word of wins. */
const CUES: readonly (readonly [frame: string, words: RegExp])[] = [
  [
    "hidden",
    /^(?:hidden|gone|disappears?|disappeared|vanish(?:es|ed)?|invisible|absent|missing|removed|dismissed|closed)$/,
  ],
  ["disabled", /^(?:disabled|greyed|grayed|inactive)$/],
  ["enabled", /^(?:enabled|clickable|editable|active)$/],
  ["unchecked", /^(?:unchecked|unticked|deselected|off)$/],
  ["checked", /^(?:checked|ticked|selected)$/],
  [
    "visible",
    /^(?:visible|displayed|shown|appears?|appear|appeared|present|sees?|exists?|there|existing|flashed|pops|greeted|displays?|shows?|presence|expect|expected|see|find|get|verify|ensure|confirm|assert|should|must|is|are|has)$/,
  ],
  ["double", /^(?:double-?click(?:s|ed|ing)?|dblclick)$/],
  ["right", /^right-?click(?:s|ed|ing)?$/],
  ["hover", /^hover(?:s|ed|ing)?$/],
  [
    "fill",
    /^(?:type[sd]?|typing|enter(?:s|ed|ing)?|fill(?:s|ed|ing)?|inputs?|writes?|put|puts|sets?|paste[sd]?|gets|becomes|changes?|changing|provide|key)$/,
  ],
  ["tick", /^(?:ticks?|ticking|checks?|checking)$/],
  ["untick", /^(?:unticks?|unchecks?|deselects?)$/],
  ["wait", /^(?:wait(?:s|ed|ing)?|await)$/],
  ["clear", /^(?:clears?|clearing|empty|empties)$/],
  ["pick", /^(?:selects?|choose|chooses|chosen|picks?|picking|selecting|choosing|take)$/],
  [
    "click",
    /^(?:click(?:s|ed|ing)?|taps?|tapped|tapping|press(?:es|ed|ing)?|hits?|hitting|push(?:es|ed)?|opens?|opening|expands?|submits?|follows?|using|use|via|by|with)$/,
  ],
];

/** Whether a word asks for something. */
export const isCue = (word: string): boolean => CUES.some(([, cue]) => cue.test(word));

const DENYING = /^(?:not|no|never|nowhere|none|nothing|neither|nor|without|cannot|.*n't)$/;
/** Words that change what a sentence means: a suggestion without them would mean something else. */
export const CHANGING =
  /^(?:not|no|never|nowhere|none|nothing|neither|nor|without|absence|cannot|.*n't|unless|if|until|only|except|least|most|more|less|fewer|greater|before|or|any|each|every|all)$/;
const INTO = /^(?:in|into|as|for|on|to|of|onto)$/;
const BY = /^(?:with|=|:|to|gets|as|says|reads|shows?|contains?|is|be|has|displays?)$/;
const SAYING = /^(?:says?|reads?|contains?|text|label|labelled|equals?|titled)$/;

type Argument = {
  readonly from: number;
  readonly to: number;
  readonly target: string;
  readonly value: string;
  readonly isAddress: boolean;
};

const isQuoted = (token: Token | undefined): boolean =>
  token?.kind === "quoted" || token?.kind === "literal";

/** The names, values and addresses between two positions. */
const argumentsOf = (context: Context, from: number, to: number): readonly Argument[] => {
  const { chart } = context;
  const found: Argument[] = [];
  for (let at = from; at < to; at++) {
    const token = chart.tokens[at];
    if (!token || token.kind === "mark") continue;
    const url = token.kind === "word" ? chart.slot("url", at, at + 1) : null;
    const isKind = token.kind === "word" && findKind(token.lower) !== null;
    // `the field "Name"`: the name stands behind its kind.
    if (isKind && at + 1 < to && isQuoted(chart.tokens[at + 1])) continue;
    const isName = token.kind !== "word" || isKind;
    const least = found.at(-1)?.to ?? from;
    const span = isName ? elementAround(context, least, at, to) : null;
    if (span) found.push(span);
    else if (url && url.doubt === null && typeof url.text === "string") {
      found.push({ from: at, to: at + 1, target: "", value: url.text, isAddress: true });
    } else if (token.kind !== "word" || /[\d@]/.test(token.text)) {
      const target = token.kind === "word" ? "" : token.text;
      found.push({ from: at, to: at + 1, target, value: token.text, isAddress: false });
    }
    at = Math.max(at, (found.at(-1)?.to ?? at + 1) - 1);
  }
  return found;
};

/** The longest element around a name or kind: `the last "Cancel" button`, `user name field`. */
const elementAround = (
  { chart }: Context,
  least: number,
  at: number,
  to: number,
): Argument | null => {
  const name = chart.tokens[at];
  for (let start = Math.max(least, at - 3); start <= at; start++) {
    for (let end = Math.min(to, at + 4); end > at; end--) {
      const inside = chart.tokens.slice(start, end);
      if (inside.some((token) => token !== name && token.kind !== "word")) continue;
      const found = chart.slot("element", start, end);
      if (!found || found.doubt !== null || typeof found.text !== "string") continue;
      const { find } = parseTarget(found.text);
      const isNamed = name?.kind !== "word" && find.by !== "selector";
      if (isNamed && (!("name" in find) || find.name !== name?.text)) continue;
      if (!isNamed && find.by === "name") continue;
      if (inside.some(({ kind, lower }) => kind === "word" && isCue(lower))) continue;
      return {
        from: start,
        to: end,
        target: found.text,
        value: name?.text ?? "",
        isAddress: false,
      };
    }
  }
  return null;
};

const step = (action: string, target: string, value = ""): Draft => ({
  action,
  target,
  value,
  optional: false,
});

const CLAIMS: Readonly<Record<string, readonly [said: string, denied: string]>> = {
  visible: ["assert_visible", "assert_hidden"],
  hidden: ["assert_hidden", "assert_visible"],
  enabled: ["assert_enabled", "assert_disabled"],
  disabled: ["assert_disabled", "assert_enabled"],
  checked: ["assert_checked", "assert_unchecked"],
  unchecked: ["assert_unchecked", "assert_checked"],
};
const DEEDS: Readonly<Record<string, string>> = {
  click: "click",
  pick: "click",
  double: "double_click",
  right: "right_click",
  hover: "hover",
  tick: "check",
  untick: "uncheck",
  wait: "wait_for",
  clear: "clear",
};

/** A part of a sentence: its names and values, its place, and the words besides them. */
type Span = {
  readonly all: readonly Argument[];
  readonly scope: string | null;
  /** Of each token, the word; empty if a name, a value or the place has it. */
  readonly words: readonly string[];
  readonly cues: readonly string[];
  readonly isDenied: boolean;
  /** The word before the second argument. */
  readonly before: string;
};

const spanOf = (context: Context, from: number, to: number): Span => {
  const { tokens } = context.chart;
  const used = new Set<number>();
  let scope: string | null = null;
  for (let at = from; at < to && scope === null; at++) {
    const place = placesAt(context, at).find(
      (each) => each.end <= to && each.scope?.relation === "in",
    );
    if (!place?.scope) continue;
    scope = place.scope.place;
    for (let word = at; word < place.end; word++) used.add(word);
  }
  const all = argumentsOf(context, from, to).filter((each) => !used.has(each.from));
  for (const each of all) for (let at = each.from; at < each.to; at++) used.add(at);
  const words = tokens
    .slice(from, to)
    .map(({ lower }, index) => (used.has(from + index) ? "" : lower));
  const [, two] = all;
  const prep = two ? (tokens[two.from - 1]?.lower ?? "") : "";
  const isArticle = /^(?:the|a|an|your)$/.test(prep);
  return {
    all,
    scope,
    words,
    cues: CUES.filter(([, cue]) => words.some((word) => cue.test(word))).map(([name]) => name),
    isDenied: words.some((word) => DENYING.test(word)),
    before: two && isArticle ? (tokens[two.from - 2]?.lower ?? "") : prep,
  };
};

/** The steps of a claim, of each name or of a name and its text. A denied text is no guess. */
const claimsOf = (span: Span, cue: string): readonly (readonly Draft[])[] => {
  const [said = "", denied = ""] = CLAIMS[cue] ?? [];
  const { all, words, before, isDenied } = span;
  const [one, two] = all;
  const isSaying =
    words.some((word) => SAYING.test(word)) || /^(?:shows?|displays?|is|be)$/.test(before);
  const found: (readonly Draft[])[] = [];
  if (cue === "visible" && isSaying && one && two && all.length === 2 && !isDenied) {
    const isPart = words.some((word) => /^(?:contains?|shows?|displays?)$/.test(word));
    const action = isPart ? "assert_contains" : "assert_text";
    if (one.target !== "" && two.value !== "") found.push([step(action, one.target, two.value)]);
  }
  if (all.every(({ target }) => target !== ""))
    found.push(all.map(({ target }) => step(isDenied ? denied : said, target)));
  return found;
};

/** The steps of an order: a text and its field, or each name. */
const deedsOf = ({ all, before }: Span, cue: string): readonly (readonly Draft[])[] => {
  const [one, two] = all;
  if ((cue === "fill" || cue === "pick") && one && two && all.length === 2) {
    const action = cue === "fill" ? "fill" : "select";
    const found: (readonly Draft[])[] = [];
    if (INTO.test(before) && two.target !== "") found.push([step(action, two.target, one.value)]);
    const isGiven = BY.test(before) || before === "";
    if (isGiven && one.target !== "") found.push([step(action, one.target, two.value)]);
    return found;
  }
  const action = DEEDS[cue];
  if (action === undefined || !all.every(({ target }) => target !== "")) return [];
  return [all.map(({ target }) => step(action, target, cue === "wait" ? "visible" : ""))];
};

const URL_CLAIM = /^(?:url|address|should|must|verify|check|still|ends?|land(?:s|ed)?)$/;

/** Guesses at the steps of the words between two positions; none if nothing in them names what is done. */
export const guessesOf = (context: Context, from: number, to: number): readonly Guess[] => {
  const span = spanOf(context, from, to);
  const { all, words, cues, scope, isDenied } = span;
  const found: Guess[] = [];
  const add = (steps: readonly Draft[], cost: number, denies = false): void => {
    if (steps.length === 0 || (isDenied && !denies)) return;
    const left = words.flatMap((word, index) => {
      const isSaid = isCue(word) || (denies && DENYING.test(word));
      return word === "" || isSaid || INTO.test(word) || BY.test(word) ? [] : [from + index];
    });
    const inside = steps.map((each) => {
      if (scope === null || each.target === "") return each;
      return { ...each, target: placeIn(each.target, scope, "in") ?? "" };
    });
    if (inside.some((each, at) => each.target === "" && steps[at]?.target !== "")) return;
    found.push({ steps: inside, cost, left });
  };
  const [page] = all.filter(({ isAddress }) => isAddress);
  cues.slice(0, 3).forEach((cue, at) => {
    const isClaim = CLAIMS[cue] !== undefined;
    if (isClaim && page) return;
    const guesses = isClaim ? claimsOf(span, cue) : deedsOf(span, cue);
    for (const steps of guesses) add(steps, at * 0.2, isClaim);
  });
  if (page && all.length === 1) {
    const isClaim = words.some((word) => URL_CLAIM.test(word));
    add([step(isClaim ? "assert_url" : "navigate", "", page.value)], 0.2);
  }
  if (all.length === 0) add(keysOf(words, cues), 0.1);
  return found;
};

/** `hit the space bar`: the keys that are named. */
const keysOf = (words: readonly string[], cues: readonly string[]): readonly Draft[] => {
  if (!cues.includes("click") && !words.includes("key")) return [];
  const chords = words.flatMap((word) => (word.length > 2 ? (parseKeyChord(word) ?? []) : []));
  return chords.map((chord) => step("press", "", chord));
};
