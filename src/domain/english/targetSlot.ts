import { longestKind } from "../catalogue/kinds.ts";
import { parseTarget, readTarget, type Target } from "../catalogue/target.ts";
import { isSameTarget } from "../catalogue/targetParts.ts";
import { isDescribed } from "./described.ts";
import { ARTICLE, type Slot, slot } from "./slotTypes.ts";
import type { Token } from "./words.ts";

/** With one of these in it, or at its end, a phrase is more than a target, or not yet one. */
const AUXILIARY = new Set(["should", "shouldn't", "must", "mustn't"]);
/** How it is done, or where: the end of no name. */
const TRAILING = /^(?:quickly|slowly|carefully|gently|briefly|rapidly|repeatedly|it|them)$/;

/** What is whose was said elsewhere. */
const POINTING = /^(?:its|their)$/;

/** Which one is meant nobody can tell. */
const VAGUE = new Set(
  "previously formerly earlier penultimate random whichever arbitrary whatever previous following respective".split(
    " ",
  ),
);
const UNFINISHED = new Set(
  "to the a an of not no is are be will do does has have can longer that".split(" "),
);

/** Finds the shortest text that means the same target: the person's words, without article and needless quotes. */
export const readTargetSlot = (tokens: readonly Token[], source: string): Slot | null => {
  const [first] = tokens;
  const last = tokens.at(-1);
  if (!first || !last) return null;
  for (const { kind, lower } of tokens) if (kind === "word" && AUXILIARY.has(lower)) return null;
  // `Type "Oslo" in To`: a field of many forms.
  const isTo = tokens.length === 1 && last.text === "To";
  if (last.kind === "word" && UNFINISHED.has(last.lower) && !isTo) return null;
  if (saysIn(tokens)) return null;
  const reading = readTarget(tokens, source);
  if (!reading) return null;
  if (tokens.length === 1 && first.kind === "literal") {
    // Taken as it is: whether its kind suits the sentence is not asked.
    const doubt = first.text.trim() === "" ? "The name is empty." : null;
    return { ...slot(first.text, doubt, true), isLiteral: true };
  }
  const { target } = reading;
  if (isClaim(tokens)) return null;
  const vague =
    tokens.length > 1 && tokens.find(({ kind, text }) => kind === "word" && VAGUE.has(text));
  const doubt =
    reading.doubt ??
    (POINTING.test(first.text) && tokens.length > 1 ? "It is not clear whose it is." : null) ??
    (tokens.length > 1 && TRAILING.test(last.text) && last.kind === "word"
      ? `It is not clear whether "${last.text}" belongs to the name: put the name in quotes.`
      : null) ??
    (vague ? `It is not clear which "${vague.text}" is.` : null) ??
    (isDescribed(tokens, target)
      ? "It is not clear which is meant: name it, or say what it is chosen from."
      : null) ??
    (isDeedOrName(tokens) ? `Say "the ${first.text} link", or put the name in quotes.` : null);
  const from = first.kind === "word" && tokens.length > 1 && ARTICLE.test(first.lower) ? 1 : 0;
  const raw = source.slice(tokens[from]?.start, last.end);
  const written = NOISY.has(last.lower) ? raw.replace(NOISE, "") : raw;
  let isPlain = true;
  for (const { kind } of tokens) if (kind !== "word") isPlain = false;
  if (isPlain) return slot(written, doubt, false, target);
  const text = known(tokens, from, target, written) ?? shortest(target, written);
  const unclear = "A selector cannot be narrowed down in words.";
  return slot(text ?? written, doubt ?? (text === null ? unclear : null), true, target);
};

/** `expect it`, `verify that`: a claim begins here, and no name. */
const isClaim = ([first, second]: readonly Token[]): boolean =>
  second?.kind === "word" &&
  first?.kind === "word" &&
  first.text === first.lower &&
  /^(?:expect|verify|ensure|assert)$/.test(first.text) &&
  /^(?:it|that|the|they|its)$/.test(second.lower);

/** `the message says "A"` is a claim; `the message that says "A"` is what is called so. */
const saysIn = (tokens: readonly Token[]): boolean =>
  tokens.some(
    ({ kind, text }, at) =>
      kind === "word" &&
      (text === "says" || text === "reads") &&
      at > 0 &&
      !/^(?:that|which)$/.test(tokens[at - 1]?.lower ?? ""),
  );

const TAKING_LINKS =
  /^(?:Send|Copy|Share|Get|Paste|Insert|Add|Create|Generate|Save|Edit|Remove|Delete|Email|Show)$/;

/** `Send link`, without an article: a link that is called so, or what is done to one? */
const isDeedOrName = (tokens: readonly Token[]): boolean =>
  tokens.length === 2 &&
  tokens[0]?.kind === "word" &&
  TAKING_LINKS.test(tokens[0].text) &&
  tokens[1]?.text === "link";

const NOISE = / +(?:on|in|at) the (?:page|screen)$/i;
const NOISY = new Set(["page", "screen"]);

const means = (text: string, target: Target): boolean => isSameTarget(parseTarget(text), target);

/** The name without its quotes, or what was written, if that is read as the same target; else null. */
const shortest = (target: Target, written: string): string | null => {
  const { find } = target;
  if (find.by === "name" && find.name !== written && means(find.name, target)) return find.name;
  return means(written, target) ? written : null;
};

/**
 * The same for what most targets look like, `"Sign in"`, `"Save" button` and `button "Save"`, without reading it once
 * more; else null.
 */
const known = (
  tokens: readonly Token[],
  from: number,
  { find }: Target,
  written: string,
): string | null => {
  const [first, second] = [tokens[from], tokens[from + 1]];
  const name = first?.kind === "word" ? second : first;
  if (!first || name?.kind !== "quoted") return null;
  if (tokens.length === from + 1) {
    return find.by === "name" && find.name === name.text && isPlainName(name.text)
      ? name.text
      : null;
  }
  const isOfKind = tokens.length === from + 2 && find.by === "kind" && find.name === name.text;
  // `message : "Saved"`: what stands between may have been left out.
  const isInQuotes =
    name === first ? written.startsWith('"') : written === `${first.text} "${name.text}"`;
  return isOfKind && isInQuotes && !written.includes("\\") ? written : null;
};

const PLAIN = /^[A-Za-z][A-Za-z\d]*(?: [A-Za-z\d]+)*$/;
/** Words that may be something else than a part of a name. */
const SPECIAL =
  /\b(?:the|an?|in|within|inside|of|on|at|from|next|beside|near|alongside|adjacent|for|with|page|screen|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|last|\d+(?:st|nd|rd|th))\b/i;

/** Whether words that nothing quotes are certainly read as a name. */
const isPlainName = (name: string): boolean =>
  PLAIN.test(name) &&
  !SPECIAL.test(name) &&
  longestKind(name.slice(name.lastIndexOf(" ") + 1).toLowerCase()) === 0;
