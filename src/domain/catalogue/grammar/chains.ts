import { findKind } from "../kinds.ts";
import { parseKeyChord } from "../values.ts";
import type { Token } from "../words.ts";
import { baseOf } from "./inflections.ts";
import { isQuoted, word } from "./phrases.ts";

const ARROW = /^(?:->|=>|→|»|>|-->|>>|›|▸)$/;

/** Where a sentence is divided by arrows; null when it has none. */
export const arrowed = (tokens: readonly Token[]): readonly (readonly Token[])[] | null => {
  const parts: Token[][] = [[]];
  for (const token of tokens) {
    if (token.kind === "word" && ARROW.test(token.text)) parts.push([]);
    else parts.at(-1)?.push(token);
  }
  const all = parts.filter((part, at) => part.length > 0 || at > 0);
  return all.length > 1 && all.length < 30 && all.every((part) => part.length > 0) ? all : null;
};

const CLICKED = /^(?:tab|button|link|menu|item|option|icon)$/;

/**
 * What stands between arrows, as a sentence: a name alone is clicked, a text in quotes at the end is seen; null
 * for what is no name alone.
 */
export const namedAlone = (
  tokens: readonly Token[],
  source: string,
  isLast: boolean,
): string | null => {
  const [first] = tokens;
  const said = source.slice(first?.start, tokens.at(-1)?.end);
  if (!first || tokens.length > 5) return null;
  if (tokens.length === 1 && isQuoted(first)) {
    return isLast && first.kind === "quoted" ? `I should see ${said}` : `click ${said}`;
  }
  if (tokens.some(isQuoted)) {
    return CLICKED.test(word(tokens.at(-1))) ? `click ${said}` : null;
  }
  const isName =
    /^\p{Lu}/u.test(first.text) &&
    tokens.every(({ kind, text }) => kind === "word" && /^[\p{L}\d&'’-]+$/u.test(text));
  if (!isName) return null;
  return CLICKED.test(word(tokens.at(-1))) ? `click the ${said}` : `click "${said}"`;
};

const GOING =
  /^(?:go|goes|navigate|navigates|open|opens|select|choose|click|use|move|browse|head|proceed|visit|access)$/;

/** `Go to "Orders" > "Returns"`, `Open Settings > Billing`: the names that are clicked one after the other; null for others. */
export const menuPath = (tokens: readonly Token[], source: string): readonly string[] | null => {
  const start = /^(?:i|we|you)$/.test(word(tokens[0])) ? 1 : 0;
  if (!GOING.test(word(tokens[start]))) return null;
  let from = start + 1;
  while (/^(?:to|the|on|menu|path)$/.test(word(tokens[from])) || tokens[from]?.text === ":") from++;
  const parts = arrowed(tokens.slice(from));
  if (!parts || parts.length < 2) return null;
  const names = parts.map((part) => {
    const [first] = part;
    const said = source.slice(first?.start, part.at(-1)?.end);
    const isAddress = /^(?:\/|[a-z]+:\/\/|www\.)/i.test(first?.text ?? "");
    if (part.length === 1 && first?.kind === "quoted" && !isAddress) return `click ${said}`;
    // Without quotes it is not certain what is a page, a menu, or part of a name.
    return null;
  });
  return names.every((name) => name !== null) ? (names as string[]) : null;
};

const SEPARATOR = /^(?:and|then|,|&)$/;
/** Keys that are as often the name of a button. */
const DOUBLE = /^(?:delete|home|end|insert|space|pause|control|shift|alt|meta|return|back)$/i;

/** `Tab, Tab, Enter`: nothing but keys; null for anything else. */
export const keysAlone = (tokens: readonly Token[]): readonly string[] | null => {
  const keys: string[] = [];
  for (const token of tokens) {
    if (!isQuoted(token) && SEPARATOR.test(token.lower)) continue;
    const chord = token.kind === "word" && token.text.length > 1 ? parseKeyChord(token.text) : null;
    if (chord === null || DOUBLE.test(token.text)) return null;
    keys.push(`press the ${token.text} key`);
  }
  return keys.length > 1 ? keys : null;
};

const CONNECTED = /^(?:after|before|upon|on|once|when|by)$/;
const MAX_CUTS = 4;

/**
 * `After clicking on Sign out the user is taken to /goodbye`: where what was done may end, when no comma says so. A
 * sentence with a comma in its place for each.
 */
export const cutBehindDeed = (tokens: readonly Token[], source: string): readonly string[] => {
  const start = /^(?:verify|check|ensure|confirm)$/.test(word(tokens[0])) ? 1 : 0;
  let from = start;
  while (from > 0 && /^(?:that|if|,)$/.test(tokens[from]?.lower ?? "")) from++;
  if (!CONNECTED.test(word(tokens[from])) || tokens.length > 40) return [];
  const verb = word(tokens[from + 1]);
  const isDeed =
    /ing$/.test(verb) || /^(?:a|the)$/.test(verb) || /^(?:click|press|tap)$/.test(verb);
  if (!isDeed || (baseOf(verb) === null && !/^(?:a|the)$/.test(verb))) return [];
  const cuts: string[] = [];
  for (let at = from + 3; at < tokens.length - 1 && cuts.length < MAX_CUTS; at++) {
    const token = tokens[at];
    const before = tokens[at - 1];
    if (!token || !before || isMark(token)) continue;
    const isPerson =
      /^(?:i|you|we)$/.test(word(token)) ||
      (/^(?:the|a)$/.test(word(token)) &&
        /^(?:user|customer|page|app|system)$/.test(word(tokens[at + 1])));
    const isName =
      isPerson ||
      isQuoted(before) ||
      /^[\p{Lu}/]/u.test(before.text) ||
      findKind(word(before)) !== null;
    const goesOn =
      isQuoted(token) ||
      /^(?:the|a|an|i|you|we|user|there|verify|check|it|no)$/.test(word(token)) ||
      (token.text === token.lower && baseOf(word(token)) !== null && !/ing$/.test(token.lower));
    if (!isName || !goesOn) continue;
    // `after a click on "Show more"`
    const article = /^(?:a|the)$/.test(verb) ? 1 : 0;
    const done = baseOf(word(tokens[from + 1 + article]));
    const deed = source.slice(tokens[from + 2 + article]?.start, before.end);
    const lead = start > 0 ? "verify that " : "";
    const rest = `${lead}${source.slice(token.start, tokens.at(-1)?.end)}`;
    if (done === null || deed === "") continue;
    cuts.push(
      word(tokens[from]) === "before" ? `${rest}\n${done} ${deed}` : `${done} ${deed}\n${rest}`,
    );
  }
  return cuts;
};

const isMark = (token: Token): boolean => token.kind === "mark";

const MAX_PARTS = 12;

/** The parts of a sentence between commas, each of which begins with what is done or claimed; else the whole. */
export const separated = (tokens: readonly Token[]): readonly (readonly Token[])[] => {
  const parts: (readonly Token[])[] = [];
  let from = 0;
  for (let at = 0; at <= tokens.length; at++) {
    const token = tokens[at];
    if (token && !(token.kind === "mark" && /^[,;]$/.test(token.text))) continue;
    let start = from;
    while (/^(?:and|then|but)$/.test(word(tokens[start]))) start++;
    const first = tokens[start];
    if (first === undefined || start >= at) return [tokens];
    const isOwn =
      isQuoted(first) || /^(?:the|a|an|i|you|we|user|verify|expect|make|in|on)$/.test(word(first));
    if (!isOwn && baseOf(word(first)) === null) return [tokens];
    parts.push(tokens.slice(start, at));
    from = at + 1;
  }
  return parts.length <= MAX_PARTS ? parts : [tokens];
};
