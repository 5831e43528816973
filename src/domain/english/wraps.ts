import { isListed } from "./bullets.ts";
import { baseOf } from "./inflections.ts";
import { startingWith } from "./marks.ts";

/** What no line of a test ends with: the sentence goes on in the next one. */
const OPEN =
  /(?:\s(?:the|an|into|onto|and|or|your|called|named|labelled)|[^:]{3}\s(?:a|(?<!as )is|be|should)|\w,)$/i;
/** What a name may end with as well: `Sign in`. */
const LEADING =
  /\S\s+\S.*(?<!\b(?:sign|log|opt|check|clock|zoom|logged|signed))\s(?:in|on|of|with|to|from|for|at|by|as)$/i;
/** What such a line ends with at least: looked for first. */
const LEADING_END = /\s(?:in|on|of|with|to|from|for|at|by|as)$/i;
/** No end that is looked for here is longer. */
const MAX_END = 14;
/** What goes on behind these is a thing, of which nothing is said yet. */
const THING = /^(?:the|an?|your|its|this|that|["'`“])(?=\W|\s|\p{L})/u;
const CLAIMING =
  /\b(?:\w+n['’]t|is|are|was|were|should|must|shows?|appears?|disappears?|contains?|has|displays?|visible|displayed|opens?|closes?)\b/i;
/** What no line begins with that says something by itself. */
const GOING_ON = /^(?:into|onto|and then|, |with the text)\b/;
/** A line of its own, whatever the one before ends with. */
const OWN =
  /^(?:given|when|then|and|but|expected|actual|result|steps?|#|\/\/|\||@|[\p{L}\d ]{1,30}\s?[:=]\s)/iu;

const MAX_LENGTH = 290;

const isWhole = (line: string): boolean => line.split('"').length % 2 === 1;

/** The last words of `OPEN` and `LEADING`, behind white space each. */
const ENDS = new Set(
  [
    "the an into onto and or your called named labelled a is be should",
    "in on of with to from for at by as",
  ]
    .join(" ")
    .split(" "),
);
const mayGoOn = startingWith("ioa,w");
const COMMA = 44;

const isLetter = (code: number): boolean => (code | 32) >= 97 && (code | 32) <= 122;

/** The letters that a text ends with; of more than stand in any of `ENDS` the last ones. */
const lastWord = (text: string): string => {
  const least = Math.max(0, text.length - MAX_END);
  let from = text.length;
  while (from > least && isLetter(text.charCodeAt(from - 1))) from--;
  return text.slice(from).toLowerCase();
};

/**
 * The lines of a text, of which those that are broken in the midst of a sentence stand in the first of them: the
 * others are empty.
 */
export const unwrapped = (lines: readonly string[]): readonly string[] => {
  const all = [...lines];
  let to = 0;
  for (let at = 1; at < all.length; at++) {
    const before = all[to] ?? "";
    const line = all[at] ?? "";
    if (before.length + line.length > MAX_LENGTH || !goesOn(before, line)) {
      to = at;
      continue;
    }
    all[to] = `${before.trimEnd()} ${line.trim()}`;
    all[at] = "";
  }
  return all;
};

const goesOn = (before: string, line: string): boolean => {
  // Most lines end with a quote, of which nothing goes on.
  if (before.endsWith('"')) return false;
  const next = line.trimStart();
  const first = before.trimEnd();
  if (next === "" || first === "") return false;
  const last = first.charCodeAt(first.length - 1);
  if (last !== COMMA && !isLetter(last)) return false;
  if (last !== COMMA && !ENDS.has(lastWord(first)) && !mayGoOn(next)) return false;
  // Only what it ends with is looked at: all of it would be looked through at every place.
  const end = first.slice(-MAX_END);
  const isLeading =
    LEADING_END.test(end) && THING.test(next) && LEADING.test(first) && !CLAIMING.test(next);
  const isOpen = isLeading || OPEN.test(end);
  if (!isOpen && !GOING_ON.test(next)) return false;
  if (isListed(line) || (isOpen && OWN.test(next))) return false;
  const isDeed =
    baseOf(/^[a-z-]+/.exec(next)?.[0] ?? "") !== null || /^(?:see|expect)\b/.test(next);
  // Behind a joint a deed goes on as well.
  if (isDeed && !/(?:\sand|,)$/i.test(first)) return false;
  // A comma ends a line of a list, too, and a greeting.
  if (first.endsWith(",") && (!/^\p{Ll}/u.test(next) || first.length < 20)) return false;
  return !OWN.test(first) && /\s/.test(first) && isWhole(first) && isWhole(line);
};
