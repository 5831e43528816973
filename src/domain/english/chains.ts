import { findKind } from "../catalogue/kinds.ts";
import { baseOf } from "./inflections.ts";
import { isQuoted, word } from "./phrases.ts";
import type { Token } from "./words.ts";

/** What one does to follow a path through menus. */
export const GOING =
  /^(?:go|goes|navigate|navigates|open|opens|select|choose|click|use|move|browse|head|proceed|visit|access)$/;

const ARROWS = new Set("-> --> ---> ----> => → » > >> › ▸ ➜ ⇒".split(" "));
const isArrow = ({ kind, text }: Token): boolean => kind === "word" && ARROWS.has(text);

/** Where a sentence is divided by arrows; null when it has none. */
export const arrowed = (tokens: readonly Token[]): readonly (readonly Token[])[] | null => {
  if (!tokens.some(isArrow)) return null;
  const parts: Token[][] = [[]];
  for (const token of tokens) {
    if (isArrow(token)) parts.push([]);
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
    const other = tokens.length === 2 ? tokens.find((token) => !isQuoted(token)) : undefined;
    const kind = findKind(word(other));
    // `Button "Export"`, and at the end `error "Too long"`.
    if (other && CLICKED.test(word(other))) return `click the ${said}`;
    if (isLast && kind !== null && SEEN.test(kind)) return `I should see the ${said}`;
    return CLICKED.test(word(tokens.at(-1))) ? `click ${said}` : null;
  }
  const isName =
    /^\p{Lu}/u.test(first.text) &&
    !(tokens.length > 1 && GOING.test(first.lower)) &&
    tokens.every(({ kind, text }) => kind === "word" && /^[\p{L}\d&'’-]+$/u.test(text));
  if (!isName) return null;
  return CLICKED.test(word(tokens.at(-1))) ? `click the ${said}` : `click "${said}"`;
};

const SEEN = /^(?:text|heading|dialog|image)$/;

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

/** Whether what stands before an arrow is but a name, and what stands behind it but a text. */
export const isNameAndText = ([one = [], other = []]: readonly (readonly Token[])[]): boolean =>
  other.length === 1 &&
  other[0]?.kind === "quoted" &&
  one.every(({ kind, text }) => kind === "word" && !text.startsWith("/") && !/:/.test(text)) &&
  baseOf(word(one[0])) === null;

const STATE =
  /^(?:visible|shown|displayed|hidden|gone|enabled|disabled|checked|unchecked|ticked|unticked|clickable)$/;

/** `"Login" button -> disabled` → `the "Login" button should be disabled`; null for anything else. */
export const arrowedState = (tokens: readonly Token[], source: string): string | null => {
  const state = tokens.at(-1);
  if (!state || !STATE.test(word(state))) return null;
  // `Log in button -> should be disabled`
  let said = tokens.slice(0, -1);
  if (word(said.at(-1)) === "be" && /^(?:should|must)$/.test(word(said.at(-2))))
    said = said.slice(0, -2);
  else if (word(said.at(-1)) === "is") said = said.slice(0, -1);
  const arrow = said.at(-1);
  const name = said.slice(0, -1);
  if (!arrow || !/^(?:->|=>|→|=|:|-|–)$/.test(arrow.text)) return null;
  const isNamed =
    (name.length === 1 && isQuoted(name[0])) ||
    (name.length > 1 && name.length < 6 && findKind(word(name.at(-1))) !== null) ||
    (name.length === 2 && isQuoted(name[1]) && findKind(word(name[0])) !== null);
  const isDone = baseOf(word(name[0])) !== null && word(name[0]) === name[0]?.text;
  return isNamed && !isDone
    ? `${source.slice(name[0]?.start, name.at(-1)?.end)} should be ${state.text}`
    : null;
};

/** Where a dash divides a sentence behind the end of a name, and what is done or claimed begins; 0 when none does. */
export const dashAt = (tokens: readonly Token[]): number => {
  for (let at = 2; at < tokens.length - 2; at++) {
    const said = tokens[at]?.text;
    if (said !== "-" && said !== "–" && said !== "—") continue;
    const before = tokens[at - 1];
    const next = tokens[at + 1];
    const isEnd =
      isQuoted(before) ||
      findKind(word(before)) !== null ||
      /^(?:visible|shown|displayed|hidden|enabled|disabled|checked|tab|page)$/.test(word(before));
    const isStart =
      /^(?:the|a|an|i|you|we|verify|expect|make|there|it)$/.test(word(next)) ||
      isQuoted(next) ||
      (next !== undefined && next.text === next.lower && baseOf(word(next)) !== null);
    if (isEnd && isStart) return at;
  }
  return 0;
};
