import type { StepInput } from "../catalogue/step.ts";
import { nounDeed } from "./consequences.ts";
import { baseOf, GERUNDS, TOLD } from "./inflections.ts";
import { isQuoted, SUBJECTS, word } from "./phrases.ts";
import { beginningAt, byFirstWord, goesOnAt } from "./saidAt.ts";
import { thingAt } from "./things.ts";
import { emptyAt } from "./thingWords.ts";
import type { Token } from "./words.ts";

type Joint = { readonly words: readonly string[]; readonly kind: "while" | "when" };

const JOINTS: readonly Joint[] = [
  ["while|whilst|as long as|so long as|for as long as", "while"],
  ["when|once|as soon as|after|upon|whenever|the moment|right after|immediately after", "when"],
].flatMap(([said = "", kind]) =>
  said.split("|").map((one) => ({ words: one.split(" "), kind: kind as Joint["kind"] })),
);
const JOINTS_BY = byFirstWord(JOINTS, ({ words }) => words);

const jointAt = (tokens: readonly Token[], at: number): Joint | null => {
  const token = tokens[at];
  if (token?.kind !== "word" || (at > 0 && token.text !== token.lower)) return null;
  let best: Joint | null = null;
  for (const one of beginningAt(JOINTS_BY, tokens, at)) {
    const isLonger = best === null || best.words.length < one.words.length;
    if (isLonger && goesOnAt(tokens, at, one.words)) best = one;
  }
  return best;
};

/** A sentence of two clauses of which one says when the other is so. */
export type Conditional = {
  /** What is done or claimed in the first place, and then, each as a sentence. */
  readonly said: readonly { readonly text: string; readonly mood: "then" | "when" | null }[];
};

const isMark = (token: Token | undefined): boolean =>
  token?.kind === "mark" && /^[,:]$/.test(token.text);

const PASSIVE = /^(?:is|are|was|were|gets|get|got|been|being|has|have|had)$/;
/** What is done to a thing when it is said of it; ticked and selected may as well be how it stands. */
const DONE =
  /^(?:clicked|pressed|tapped|hit|pushed|hovered|entered|typed|inserted|uploaded|attached|opened|double-clicked|right-clicked|ticked|unticked|checked|unchecked|selected|chosen|picked|filled|set|changed|cleared|focused|toggled|dragged)$/;

/** `"Save" is clicked`, `"Name" is filled in with "Ann"`, `Confirm clicked`, `you click "A"`, `clicking "A"`: as one says it to somebody; null for no deed. */
const asDeed = (tokens: readonly Token[], source: string): string | null => {
  const say = (from: number, to = tokens.length): string =>
    from < to ? source.slice(tokens[from]?.start, tokens[to - 1]?.end) : "";
  if (tokens.length < 2) return null;
  const noun = nounDeed(tokens);
  if (noun) return `${noun.verb} ${say(noun.length)}`;
  let at = 0;
  if (SUBJECTS.has(word(tokens[0]))) at = 1;
  else if (
    /^(?:the|a)$/.test(word(tokens[0])) &&
    /^(?:user|customer|visitor|tester)$/.test(word(tokens[1]))
  )
    at = 2;
  if (at > 0) {
    while (
      /^(?:have|has|had|'ve|then|first|just|also)$/.test(word(tokens[at])) ||
      emptyAt(tokens, at) > 0
    )
      at++;
    const base = baseOf(word(tokens[at]));
    return base !== null && at + 1 < tokens.length && !/^(?:see|look|verify)$/.test(base)
      ? `${base} ${say(at + 1)}`
      : null;
  }
  const gerund = GERUNDS.get(word(tokens[0]));
  if (gerund !== undefined) return `${gerund} ${say(1)}`;
  const thing = thingAt(tokens, 0);
  if (!thing || (thing.name === null && thing.kind === "")) return null;
  let verb = thing.to;
  while (PASSIVE.test(word(tokens[verb])) || emptyAt(tokens, verb) > 0) verb++;
  const done = word(tokens[verb]);
  const base = DONE.test(done) ? (TOLD.get(done) ?? baseOf(done)) : null;
  if (base === null) return null;
  const isIn = /^(?:in|out|over|on)$/.test(word(tokens[verb + 1]));
  const rest = say(isIn ? verb + 2 : verb + 1);
  return `${base}${base === "hover" ? " over" : ""} ${say(0, thing.to)}${rest === "" ? "" : ` ${rest}`}`;
};

/** What is said beside one another: `PIN is set to 7391 and Confirm clicked`; each by itself. */
const deedsOf = (tokens: readonly Token[], source: string): readonly string[] | null => {
  const deeds: string[] = [];
  let from = 0;
  for (let at = 0; at <= tokens.length; at++) {
    const isEnd =
      at === tokens.length ||
      (!isQuoted(tokens[at]) &&
        word(tokens[at]) === "and" &&
        asDeed(tokens.slice(at + 1), source) !== null);
    if (!isEnd) continue;
    const deed = asDeed(tokens.slice(from, at), source);
    if (deed === null) return null;
    deeds.push(deed);
    from = at + 1;
  }
  return deeds;
};

const MAX_TOKENS = 50;

/**
 * The clauses of a sentence that says when something is so (`"Save" is disabled while "Name" is empty`, `"Saved" appears
 * once "Save" is clicked`), in the order in which they are done and looked at; null for all others. A condition
 * that is no deed is never left out, nor taken for one.
 */
export const conditional = (tokens: readonly Token[], source: string): Conditional | null => {
  if (tokens.length < 5 || tokens.length > MAX_TOKENS) return null;
  const say = (from: number, to = tokens.length): string =>
    source.slice(tokens[from]?.start, tokens[to - 1]?.end);
  const leading = jointAt(tokens, 0);
  if (leading) {
    const start = leading.words.length;
    const comma = tokens.findIndex((token, at) => at > start + 1 && isMark(token));
    if (comma < 0 || comma + 2 >= tokens.length) return null;
    const isMore = tokens
      .slice(comma + 1)
      .some((_, at) => jointAt(tokens, comma + 1 + at) !== null);
    return isMore
      ? null
      : inOrder(leading.kind, tokens.slice(start, comma), say(comma + 1), source, true);
  }
  let found: Conditional | null = null;
  for (let at = 2; at < tokens.length - 2; at++) {
    const joint = jointAt(tokens, at);
    if (!joint) continue;
    // Two conditions: which of them holds for which?
    if (found) return null;
    const end = isMark(tokens[at - 1]) ? at - 1 : at;
    const isSeveral = tokens
      .slice(at + joint.words.length)
      .some((token) => isMark(token) || /^(?:then|but|;)$/.test(token.lower));
    if (
      isSeveral ||
      tokens
        .slice(0, end)
        .some((token) => !isQuoted(token) && /^(?:,|;|and|then|but|:|or)$/.test(token.lower))
    )
      return null;
    found = inOrder(joint.kind, tokens.slice(at + joint.words.length), say(0, end), source, false);
    if (!found) return null;
    at += joint.words.length - 1;
  }
  return found;
};

const inOrder = (
  kind: Joint["kind"],
  condition: readonly Token[],
  main: string,
  source: string,
  isLeading: boolean,
): Conditional | null => {
  const said = source.slice(condition[0]?.start, condition.at(-1)?.end);
  if (kind === "while") {
    const [one, other] = isLeading ? [said, main] : [main, said];
    return {
      said: [
        { text: one, mood: "then" },
        { text: other, mood: "then" },
      ],
    };
  }
  const deeds = deedsOf(condition, source);
  if (deeds)
    return {
      said: [
        ...deeds.map((text) => ({ text, mood: "when" as const })),
        { text: main, mood: "then" },
      ],
    };
  // `As soon as "Loading" is gone, click "Save"`: what is waited for.
  return kind === "when" && isLeading
    ? {
        said: [
          { text: `wait until ${said}`, mood: null },
          { text: main, mood: null },
        ],
      }
    : null;
};

/** Whether what was read is what its clause is for: nothing is done where something is claimed. */
export const suits = (steps: readonly StepInput[], mood: "then" | "when" | null): boolean => {
  if (mood === null) return true;
  return steps.every(({ action }) => action.startsWith("assert_") === (mood === "then"));
};

const TIME = /^(?:ms|milliseconds?|s|secs?|seconds?)$/;
const AMOUNT = /^(?:\d{1,5}|one|two|three|four|five|ten|half)$/;

/** How many words say a time at a place: `2 seconds`, `500ms`; 0 when none do. */
const timeAt = (tokens: readonly Token[], at: number): number => {
  if (/^\d{1,5}(?:ms|s)$/.test(word(tokens[at]))) return 1;
  const isTime = AMOUNT.test(word(tokens[at])) && TIME.test(word(tokens[at + 1]));
  return isTime || (/^an?$/.test(word(tokens[at])) && word(tokens[at + 1]) === "second") ? 2 : 0;
};

type Delayed = {
  readonly time: string;
  readonly rest: readonly Token[];
  /** Whether the time stands before the rest. */
  readonly isBefore: boolean;
};

/** `after 2 seconds, …`, `… after a 500ms wait`: the time that is waited before the rest; null for all others. */
export const delayed = (tokens: readonly Token[], source: string): Delayed | null => {
  const say = (from: number, length: number): string =>
    source.slice(tokens[from]?.start, tokens[from + length - 1]?.end);
  if (word(tokens[0]) === "after" || word(tokens[0]) === "in") {
    const from = /^(?:another|about|some)$/.test(word(tokens[1])) ? 2 : 1;
    const time = word(tokens[0]) === "after" ? timeAt(tokens, from) : 0;
    let to = from + time;
    if (isMark(tokens[to])) to++;
    return time > 0 && tokens.length > to + 1
      ? { time: say(from, time), rest: tokens.slice(to), isBefore: true }
      : null;
  }
  const at = tokens.findLastIndex((token) => word(token) === "after");
  if (at < 2) return null;
  const from =
    timeAt(tokens, at + 1) === 0 && /^(?:a|another)$/.test(word(tokens[at + 1])) ? at + 2 : at + 1;
  const time = timeAt(tokens, from);
  const rest = tokens.slice(from + time);
  const isOver =
    rest.length === 0 || (rest.length === 1 && /^(?:wait|delay|pause)$/.test(word(rest[0])));
  return time > 0 && isOver
    ? { time: say(from, time), rest: tokens.slice(0, at), isBefore: false }
    : null;
};
