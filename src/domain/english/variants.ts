import { findKind } from "../catalogue/kinds.ts";
import { CUE } from "./cueBits.ts";
import { TOLD } from "./inflections.ts";
import { readNumber } from "./numberSlots.ts";
import {
  HARD_CONNECTORS,
  PERSONS,
  SOFT_CONNECTORS,
  SUBJECTS,
  spoken,
  withoutAdverb,
  word,
} from "./phrases.ts";
import { withoutPurpose } from "./purposes.ts";
import { type Reader, readerOf } from "./reader.ts";
import { type Context, type Outcome, tryForms } from "./search.ts";
import { expanded, inPresent, repeatsOf, TELLING, withoutTail, withSigns } from "./wordings.ts";
import type { Token } from "./words.ts";

const MAX_REPEATS = 50;

/** A clause that has been read, and how often it is done. */
export type Read = (Outcome & { kind: "step"; times: number }) | Exclude<Outcome, { kind: "step" }>;

const REPEATED = new Set(["click", "press", "go_back", "go_forward", "reload"]);

/** `Click "+" 3 times`, `press Tab twice`. */
export const withRepeats = (tokens: readonly Token[], reader: Reader, context: Context): Read => {
  const repeats = (reader.cues & CUE.repeat) === 0 ? null : repeatsOf(tokens, readNumber);
  if (!repeats || repeats.times < 1) {
    const read = readVariants(tokens, reader, context);
    return read.kind === "step" ? done(read, 1) : read;
  }
  const read = readVariants(repeats.tokens, readerOf(reader.source), context);
  if (read.kind !== "step") return read;
  if (!REPEATED.has(read.draft.action)) {
    // `"Apple" appears 3 times`
    const whole = readVariants(tokens, readerOf(reader.source), context);
    if (whole.kind === "step") return done(whole, 1);
  }
  if (repeats.times > MAX_REPEATS || !REPEATED.has(read.draft.action)) {
    return {
      kind: "doubt",
      message: `Only a click or a key can be repeated, up to ${MAX_REPEATS} times.`,
      firm: true,
    };
  }
  return done(read, repeats.times);
};

const done = ({ draft, lead }: Outcome & { kind: "step" }, times: number): Read => ({
  kind: "step",
  draft,
  lead,
  times,
});

const URGED = [
  ["make", "sure", "to"],
  ["be", "sure", "to"],
  ["remember", "to"],
  ["don't", "forget", "to"],
  ["you", "should"],
  ["you", "must"],
  ["let's"],
];
const URGES = new Set(URGED.map(([first = ""]) => first));
const DEED =
  /^(?:click|press|tap|enter|type|fill|select|choose|tick|untick|uncheck|hover|open|go|navigate|visit|double-click|right-click|scroll|upload|wait)$/;

/** `Make sure to tick "Terms"` → `tick "Terms"`: urged or not, it is done. */
const withoutUrging = (tokens: readonly Token[]): readonly Token[] => {
  if (!URGES.has(word(tokens[0]))) return tokens;
  const urge = URGED.find((words) => words.every((one, at) => word(tokens[at]) === one));
  return urge && DEED.test(word(tokens[urge.length])) ? tokens.slice(urge.length) : tokens;
};

const LINKS: readonly (readonly string[])[] = [
  ["after", "that"],
  ["after", "this"],
  ["as", "a", "result"],
  ["at", "this", "point"],
  ["in", "the", "end"],
  ["at", "the", "end"],
  ["from", "there"],
  ["once", "there"],
  ["once", "done"],
  ["at", "last"],
  ["at", "first"],
  ["to", "begin", "with"],
];

const LINKED = new Set(LINKS.map(([first = ""]) => first));

/** `after that you should see "A"` → `you should see "A"`. */
const withoutLink = (tokens: readonly Token[]): readonly Token[] => {
  if (!LINKED.has(word(tokens[0]))) return tokens;
  const link = LINKS.find((words) => words.every((one, at) => word(tokens[at]) === one));
  return link && tokens.length > link.length + 1 ? tokens.slice(link.length) : tokens;
};

const WAITED =
  /^(?:visible|shown|displayed|hidden|gone|enabled|appears|disappears|opens|closes|open|closed|appeared|vanishes)$/;

const WAITS = new Set(["once", "when", "after", "as"]);

/** `once the "Close" button is visible` between others → `wait until the "Close" button is visible`. */
const waitedFor = (tokens: readonly Token[]): readonly Token[] => {
  if (!WAITS.has(word(tokens[0]))) return tokens;
  const isOnce = word(tokens[0]) !== "as";
  const isSoon = ["as", "soon", "as"].every((one, at) => word(tokens[at]) === one);
  if ((!isOnce && !isSoon) || !WAITED.test(word(tokens.at(-1)))) return tokens;
  return [spoken("wait"), spoken("until"), ...tokens.slice(isSoon ? 3 : 1)];
};

const ARTICLES = new Set(["the", "a", "an"]);

/** What only persons do. */
const ACTS = new Set(
  [
    "clicks taps presses types enters fills selects chooses picks ticks unticks checks unchecks hovers hits",
    "double-clicks right-clicks uploads drags visits inputs scrolls attaches navigates",
  ]
    .join(" ")
    .split(" "),
);

/** One of these is in every clause that is tried in more ways than as it is. */
export const VARIED: readonly string[] = [
  ...[...URGES, ...LINKED, ...WAITS, ...ACTS, ...SUBJECTS, ...PERSONS],
  ...[...HARD_CONNECTORS, ...SOFT_CONNECTORS, ...TELLING, ...TOLD.keys()],
];

const isPersonal = (token: Token | undefined, at: number): boolean =>
  token?.kind === "word" &&
  /^\p{L}+$/u.test(token.text) &&
  (at === 0 || token.text === token.lower) &&
  !ACTS.has(token.lower) &&
  findKind(token.lower) === null;

/** Tries the clause as it is, then without the words that say who acts and when. */
const readVariants = (tokens: readonly Token[], reader: Reader, context: Context): Outcome => {
  if ((reader.cues & CUE.variant) === 0) {
    const said = (reader.cues & CUE.purpose) === 0 ? tokens : withoutPurpose(tokens);
    return tryForms(said, reader, context);
  }
  let bare = withoutUrging(expanded(withSigns(withoutTail(tokens))));
  bare = withoutLink(bare);
  while (bare.length > 1 && HARD_CONNECTORS.has(word(bare[0]))) bare = bare.slice(1);
  bare = waitedFor(bare);
  if (SUBJECTS.has(word(bare[0]))) bare = withoutAdverb(bare.slice(1));
  const variants = [bare];
  if (bare.length > 1 && SOFT_CONNECTORS.has(word(bare[0]))) {
    const rest = bare.slice(1);
    variants.push(SUBJECTS.has(word(rest[0])) ? withoutAdverb(rest.slice(1)) : rest);
  }
  const start = ARTICLES.has(word(bare[0])) ? 1 : 0;
  const acts = withoutAdverb(bare.slice(start + 1));
  // `the agent types …`: who types is a person, whatever he is called.
  const isPerson = ACTS.has(word(acts[0])) && isPersonal(bare[start], start);
  if (PERSONS.has(word(bare[start])) || isPerson) variants.push(acts);
  for (const variant of [...variants]) {
    const told = inPresent(variant);
    if (told) variants.push(told);
  }
  let softest: Outcome = { kind: "unknown" };
  for (const variant of variants) {
    const outcome = tryForms(withoutPurpose(variant), reader, context);
    if (outcome.kind === "step" || (outcome.kind === "doubt" && outcome.firm)) return outcome;
    if (outcome.kind === "doubt" && softest.kind === "unknown") softest = outcome;
  }
  return softest;
};
