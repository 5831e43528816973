import type { Features, Fingerprint, Rival } from "./fingerprint.ts";

/** Minimum similarity to the fingerprint, from 0 to 1. */
export const MIN_SCORE = 0.6;
/** Minimum distance to the second-best element. */
export const MIN_LEAD = 0.1;

/** Similarity of two texts, from 0 to 1, by common letter pairs, ignoring case and white space. */
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

/** Similarity of two lists by common elements, from 0 to 1. */
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
 * Weights of features: explicit identifiers most, then texts, then position and appearance. For an element with texts or
 * identifiers, position and appearance alone never reach MIN_SCORE.
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

/** Similarity of an element to the fingerprint, from 0 to 1. Ignores features that the fingerprint lacks. */
export const scoreOf = (was: Features, is: Features): number => {
  let [sum, most] = [0, 0];
  for (const { weight, has, compare } of MEASURES) {
    if (!has(was)) continue;
    most += weight;
    sum += weight * compare(was, is);
  }
  return most === 0 ? 0 : sum / most;
};

/** Field types that only match themselves. */
const OWN_TYPES = ["password", "file", "checkbox", "radio", "date", "time", "color", "range"];

/** Whether the element is of the same kind and was not another element of the page before. */
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

/** Texts with this similarity count as equal. */
const SAME_WORDS = 0.85;

/** Identifiers from the source code of the page. */
const IDENTITIES = ["testId", "id", "href", "nameAttribute"] as const;

/**
 * Whether identifiers or texts match, not only position and appearance. Texts that other elements share, such as the Delete
 * button of each table row, only count together with the adjacent texts.
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

/** A candidate on the page with its similarity. */
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

/** Chooses the step's element among the candidates. It must reach MIN_SCORE, lead by MIN_LEAD, and match in more than its position. */
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
  if (best.score < MIN_SCORE || !isKnown(was, best.candidate.features))
    return { kind: "none", best };
  if (second && best.score - second.score < MIN_LEAD) return { kind: "several", best, second };
  return { kind: "found", best, second };
};

/** A feature of an element that changed. */
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

/** Changed features, most significant first. */
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
