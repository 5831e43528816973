import { findKind } from "../catalogue/kinds.ts";
import { GERUNDS, TOLD } from "./inflections.ts";
import type { Token } from "./words.ts";

/** What sentences are made of, and so often mistyped that it is worth a look. Names and texts are never corrected. */
const WORDS = [
  "click clicks press presses type types enter enters select selects choose chooses verify verifies check",
  "checks ensure assert confirm expect navigate navigates open opens visit visits wait waits until hover",
  "scroll upload reload refresh should visible displayed hidden enabled disabled appears disappears",
  "button link field checkbox dropdown heading dialog section table column title text message value",
  "with into from that then page contains double-click right-click drag tick untick uncheck clear",
]
  .join(" ")
  .split(" ");

/** What is no mistake though it nearly is another word, or is one that nobody looks up here. */
const WORDLIKE = new Set(
  "form forms filed quite trail lists tale tile tittle vale wits util hove".split(" "),
);

/** A word by what it is with two letters swapped, or with one left out. */
export const MEANT = new Map<string, string>([
  ["teh", "the"],
  ["shwon", "shown"],
  ["veryfy", "verify"],
  ["varify", "verify"],
  ["dispalyed", "displayed"],
  ["visable", "visible"],
  ["visibile", "visible"],
  ["buttom", "button"],
  ["shoud", "should"],
  ["shold", "should"],
]);
const SHORTEST = 3;
for (const word of WORDS) {
  for (let at = 1; at < word.length; at++) {
    const swapped = `${word.slice(0, at - 1)}${word[at]}${word[at - 1]}${word.slice(at + 1)}`;
    const short = `${word.slice(0, at)}${word.slice(at + 1)}`;
    const long = `${word.slice(0, at)}${word[at]}${word.slice(at)}`;
    // The first letter is seldom the wrong one.
    const slips = at > 1 ? [swapped] : [];
    // Without its last letter it may be another form of itself: `appears`.
    if (word.length > 4) slips.push(long, ...(at < word.length - 1 ? [short] : []));
    for (const slip of slips) if (!MEANT.has(slip)) MEANT.set(slip, word);
  }
}
for (const word of [...WORDS, ...GERUNDS.keys(), ...GERUNDS.values(), ...TOLD.keys()]) {
  MEANT.delete(word);
}
for (const word of [...MEANT.keys()]) {
  if (WORDLIKE.has(word) || findKind(word) !== null) MEANT.delete(word);
}

/** `Select "A" form the "B" dropdown`: behind a text and before a thing it is no form. */
const fromIn = (tokens: readonly Token[], at: number): string | undefined => {
  if (tokens[at]?.text !== "form" || tokens[at - 1]?.kind !== "quoted") return undefined;
  const next = tokens[at + 1];
  const isThing = next?.lower === "the" && tokens[at + 2]?.kind === "quoted";
  const verb = tokens[0]?.lower ?? "";
  return isThing && /^(?:select|choose|pick)$/.test(MEANT.get(verb) ?? verb) ? "from" : undefined;
};

/**
 * `Clcik the "Save" buton` → `Click the "Save" button`: slips of the pen in the words that sentences are made
 * of, mended. Null when there are none. A word with a capital in mid-sentence is a name, and stays.
 */
export const mended = (tokens: readonly Token[], source: string): string | null => {
  let text = "";
  let from = 0;
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at];
    const isLong = token?.kind === "word" && token.text.length >= SHORTEST;
    const meant = isLong ? (MEANT.get(token.lower) ?? fromIn(tokens, at)) : undefined;
    if (!token || meant === undefined || (at > 0 && token.text !== token.lower)) continue;
    text += source.slice(from, token.start) + meant;
    from = token.end;
  }
  return from === 0 ? null : text + source.slice(from);
};
