import { nearestTo } from "../catalogue/vocabulary.ts";
import { actForms } from "./actForms.ts";
import { claimForms } from "./claimForms.ts";
import { waitForms } from "./waitForms.ts";

/** Examples of forms by the words that a sentence of the form may start with or have in it. */
const byVerb = new Map<string, string[]>();
const byWord = new Map<string, string[]>();

const add = (map: Map<string, string[]>, key: string, example: string): void => {
  const known = map.get(key) ?? [];
  if (!known.includes(example)) map.set(key, [...known, example]);
};

for (const { pattern, example } of [...actForms, ...waitForms, ...claimForms]) {
  const [first = "", ...rest] = pattern.split(" ").filter((part) => !part.endsWith("?"));
  if (!first.startsWith("{")) {
    for (const words of first.split("|")) add(byVerb, words.split("_")[0] ?? "", example);
  }
  for (const part of [first, ...rest].filter((part) => !part.startsWith("{"))) {
    for (const words of part.split("|")) add(byWord, words.split("_").at(-1) ?? "", example);
  }
}

const COMMON = ['Click the "Sign in" button', 'Type "ann" into Username', 'I should see "Welcome"'];
const verbs = [...byVerb.keys()].filter((verb) => verb.length > 2);
const memory = new Map<string, readonly string[]>();
/** Words that no sentence is recognised by. */
const IDLE = new Set("i we you the user then and please a should".split(" "));
const KEYWORDS = new Set(
  "title url screenshot enabled disabled visible hidden checked value attribute items".split(" "),
);

/** Up to three forms nearest to a sentence, by its verb, a verb that is spelt like it, or its key words. */
export const suggestionsFor = (sentence: string): readonly string[] => {
  const said = sentence.slice(0, 200).toLowerCase();
  // Letters of all scripts are looked up in a long list: most sentences have plain ones alone.
  const words = said
    .split(/[^ -~]/.test(said) ? /[^\p{L}'-]+/u : /[^a-z'-]+/)
    .filter((word) => word !== "")
    .slice(0, 12);
  const start = words.find((word) => !IDLE.has(word)) ?? "";
  const keyword = words.find((word) => KEYWORDS.has(word)) ?? "";
  const key = `${start} ${keyword}`;
  const known = memory.get(key);
  if (known) return known;
  const near = byVerb.has(start) ? [start] : nearestTo(start, verbs, 1);
  const found = [
    ...(keyword ? (byWord.get(keyword) ?? []) : []),
    ...near.flatMap((verb) => byVerb.get(verb) ?? []),
    ...COMMON,
  ];
  const suggestions = [...new Set(found)].slice(0, 3);
  // Bounded: the memory is of sentences seen, not of all that may come.
  if (memory.size < 1000) memory.set(key, suggestions);
  return suggestions;
};
