import type { Features, Fingerprint, Rival } from "./fingerprint.ts";

/** How alike an element must be to what the step had, from 0 to 1, and how far ahead of the next one. */
export const ENOUGH = 0.6;
export const AHEAD = 0.1;

/** How alike two texts are, from 0 to 1: pairs of letters that they share, case and white space aside. */
export const likeness = (one: string, other: string): number => {
  const [a, b] = [folded(one), folded(other)];
  if (a === b) return 1;
  const [left, right] = [pairsOf(a), pairsOf(b)];
  if (left.length === 0 || right.length === 0) return 0;
  const counts = new Map<string, number>();
  for (const pair of left) counts.set(pair, (counts.get(pair) ?? 0) + 1);
  let shared = 0;
  for (const pair of right) {
    const left = counts.get(pair) ?? 0;
    if (left === 0) continue;
    shared += 1;
    counts.set(pair, left - 1);
  }
  return (2 * shared) / (left.length + right.length);
};

const folded = (text: string): string => text.toLowerCase().replace(/\s+/g, " ").trim();
const pairsOf = (text: string): string[] =>
  Array.from({ length: Math.max(0, text.length - 1) }, (_, at) => text.slice(at, at + 2));

/** Which part of either list the two have in common. */
const shared = (one: readonly string[], other: readonly string[]): number => {
  const all = new Set([...one, ...other]);
  return all.size === 0 ? 1 : one.filter((each) => other.includes(each)).length / all.size;
};

type Compare = (was: Features, is: Features) => number;
const same =
  (key: keyof Features): Compare =>
  (was, is) =>
    was[key] === is[key] ? 1 : 0;
const alike =
  (
    key: "name" | "text" | "placeholder" | "alt" | "title" | "heading" | "before" | "after",
  ): Compare =>
  (was, is) =>
    likeness(was[key], is[key]);

/**
 * What counts and how much: an identity that somebody gave it most, then its words, then where it is and what it
 * looks like. Place and looks alone never come to ENOUGH of an element that has words or an identity.
 */
const MEASURES: readonly {
  readonly weight: number;
  readonly has: (was: Features) => boolean;
  readonly compare: Compare;
}[] = [
  { weight: 28, has: ({ testId }) => testId !== "", compare: same("testId") },
  { weight: 18, has: ({ id }) => id !== "", compare: same("id") },
  { weight: 14, has: (was) => was.nameAttribute !== "", compare: same("nameAttribute") },
  { weight: 14, has: ({ href }) => href !== "" && href !== "#", compare: same("href") },
  { weight: 24, has: ({ name }) => name !== "", compare: alike("name") },
  { weight: 8, has: ({ text, name }) => text !== "" && text !== name, compare: alike("text") },
  {
    weight: 8,
    has: (was) => was.placeholder !== "" && was.placeholder !== was.name,
    compare: alike("placeholder"),
  },
  { weight: 6, has: ({ alt, name }) => alt !== "" && alt !== name, compare: alike("alt") },
  { weight: 6, has: ({ title, name }) => title !== "" && title !== name, compare: alike("title") },
  {
    weight: 8,
    has: ({ ownClasses }) => ownClasses.length > 0,
    compare: (was, is) => (was.ownClasses.some((one) => is.classes.includes(one)) ? 1 : 0),
  },
  { weight: 6, has: () => true, compare: same("role") },
  { weight: 4, has: () => true, compare: same("tag") },
  { weight: 4, has: ({ type }) => type !== "", compare: same("type") },
  {
    weight: 5,
    has: ({ classes }) => classes.length > 0,
    compare: (was, is) => shared(was.classes, is.classes),
  },
  { weight: 6, has: ({ heading }) => heading !== "", compare: alike("heading") },
  { weight: 6, has: ({ before }) => before !== "", compare: alike("before") },
  { weight: 6, has: ({ after }) => after !== "", compare: alike("after") },
  {
    weight: 5,
    has: ({ path }) => path.length > 0,
    compare: (was, is) => shared([...new Set(was.path)], [...new Set(is.path)]),
  },
  {
    weight: 3,
    has: () => true,
    compare: (was, is) => 1 / (1 + Math.abs(was.index - is.index)),
  },
  {
    weight: 4,
    has: () => true,
    compare: (was, is) => Math.max(0, 1 - Math.hypot(was.x - is.x, was.y - is.y) / 600),
  },
];

/** How alike an element is to what the step had, from 0 to 1. Only what the fingerprint has is counted. */
export const scoreOf = (was: Features, is: Features): number => {
  let [sum, most] = [0, 0];
  for (const { weight, has, compare } of MEASURES) {
    if (!has(was)) continue;
    most += weight;
    sum += weight * compare(was, is);
  }
  return most === 0 ? 0 : sum / most;
};

/** Types of a field that nothing else can stand for. */
const OWN_TYPES = ["password", "file", "checkbox", "radio", "date", "time", "color", "range"];

/** Whether it can be the element at all: one can do the same to it, and it did not stand beside it before. */
const canBe = (was: Fingerprint, is: Features): boolean => {
  if (was.kind !== is.kind) return false;
  if (was.type !== is.type && [was.type, is.type].some((type) => OWN_TYPES.includes(type))) {
    return false;
  }
  return !was.rivals.some((rival) => isRival(rival, was, is));
};

const isRival = (rival: Rival, was: Features, is: Features): boolean => {
  if (rival.role !== is.role) return false;
  if (rival.id !== "") return rival.id === is.id && is.id !== was.id;
  if (rival.name === "" || rival.name === was.name) return false;
  return rival.name === is.name && (rival.href === is.href || is.href !== was.href);
};

/** Words so alike are the same words, written a little differently. */
const SAME_WORDS = 0.85;

/** What somebody called it in the code. */
const IDENTITIES = ["testId", "id", "href", "nameAttribute"] as const;

/**
 * Whether anything but place and looks says that it is the same: what somebody called it in the code, or its
 * words, unless others are called so too (each row of a table has its Delete); then what stands on both sides of it
 * must be the same as well.
 */
const isKnown = (was: Fingerprint, is: Features): boolean => {
  const kept = IDENTITIES.filter((key) => was[key] !== "" && was[key] !== "#")
    .filter((key) => was[key] === is[key])
    .filter((key) => key !== "nameAttribute" || was.kind !== "check");
  const isOne = (key: "name" | (typeof IDENTITIES)[number]): boolean =>
    !was.rivals.some((rival) => rival[key] === was[key]);
  if (kept.some(isOne)) return true;
  if (was.ownClasses.some((one) => is.classes.includes(one))) return true;
  const words = [
    [was.name, is.name],
    [was.placeholder, is.placeholder],
  ] as const;
  const isCalledSo = words.some(([one, other]) => one !== "" && likeness(one, other) >= SAME_WORDS);
  if (isCalledSo && isOne("name")) return true;
  return (isCalledSo || kept.length > 0) && was.before === is.before && was.after === is.after;
};

/** One of the elements on the page, with how alike it is. */
export type Scored<Candidate> = { readonly candidate: Candidate; readonly score: number };

export type Choice<Candidate> =
  | {
      readonly kind: "found";
      readonly best: Scored<Candidate>;
      readonly second: Scored<Candidate> | null;
    }
  | { readonly kind: "none"; readonly best: Scored<Candidate> | null }
  | {
      readonly kind: "several";
      readonly best: Scored<Candidate>;
      readonly second: Scored<Candidate>;
    };

/** The element that a step had, among those that are there: alike enough, clearly ahead of every other, and known by more than its place. */
export const choose = <Candidate extends { readonly features: Features }>(
  was: Fingerprint,
  candidates: readonly Candidate[],
): Choice<Candidate> => {
  const scored = candidates
    .filter(({ features }) => canBe(was, features))
    .map((candidate) => ({ candidate, score: scoreOf(was, candidate.features) }))
    .sort((one, other) => other.score - one.score);
  const [best, second = null] = scored;
  if (!best) return { kind: "none", best: null };
  if (best.score < ENOUGH || !isKnown(was, best.candidate.features)) return { kind: "none", best };
  if (second && best.score - second.score < AHEAD) return { kind: "several", best, second };
  return { kind: "found", best, second };
};

/** What of an element is not as it was. */
export type Change = { readonly what: string; readonly before: string; readonly after: string };

const SAID: readonly (readonly [key: keyof Features, what: string])[] = [
  ["name", "name"],
  ["text", "text"],
  ["testId", "test id"],
  ["id", "id"],
  ["nameAttribute", "attribute name"],
  ["href", "address"],
  ["placeholder", "placeholder"],
  ["alt", "alternative text"],
  ["title", "title"],
  ["role", "role"],
  ["tag", "tag"],
  ["type", "type"],
  ["classes", "classes"],
  ["heading", "heading before it"],
  ["path", "elements that it is in"],
  ["index", "place among its siblings"],
];

/** Lists what changed of an element, the most telling first. */
export const changesOf = (was: Features, is: Features): readonly Change[] =>
  SAID.flatMap(([key, what]) => {
    const [before, after] = [was[key], is[key]].map((value) =>
      Array.isArray(value) ? value.join(" ") : String(value),
    );
    if (before === undefined || after === undefined || before === after) return [];
    return key === "text" && was.text === was.name && is.text === is.name
      ? []
      : [{ what, before, after }];
  });
