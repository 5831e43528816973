import { findKind } from "../catalogue/kinds.ts";
import { arrowed, GOING } from "./chains.ts";
import { baseOf } from "./inflections.ts";
import { isQuoted, word } from "./phrases.ts";
import type { Token } from "./words.ts";

/** What stands between what is done one after the other. */
const SEPARATOR = /^(?:and|then|,|&)$/;
/** `Go to "Orders" > "Returns"`, `Open Settings > Billing`: the names that are clicked one after the other; null for others. */
export const menuPath = (tokens: readonly Token[], source: string): readonly string[] | null => {
  const first = word(tokens[0]);
  const start = first === "i" || first === "we" || first === "you" ? 1 : 0;
  if (!GOING.test(word(tokens[start]))) return null;
  let from = start + 1;
  const isGone = /^(?:go|goes|navigate|navigates|browse|head)$/.test(word(tokens[start]));
  while (
    /^(?:to|the|on|over|back|menu|path)$/.test(word(tokens[from])) ||
    tokens[from]?.text === ":"
  )
    from++;
  const whole = isGone ? pathIn(tokens[from]) : null;
  if (whole && from + 1 === tokens.length) return whole;
  const end = behindPath(tokens, from);
  const parts = arrowed(tokens.slice(from, end));
  if (!parts || parts.length < 2) return null;
  const names = parts.map((part) => {
    const [first] = part;
    const said = source.slice(first?.start, part.at(-1)?.end);
    const isAddress = /^(?:\/|[a-z]+:\/\/|www\.)/i.test(first?.text ?? "");
    if (part.length === 1 && first?.kind === "quoted" && !isAddress) return `click ${said}`;
    if (isTitled(part)) return `click "${said}"`;
    // Without quotes it is not certain what is a page, a menu, or part of a name.
    return null;
  });
  if (!names.every((name) => name !== null)) return null;
  let next = end;
  while (next < tokens.length && SEPARATOR.test(tokens[next]?.lower ?? "")) next++;
  const rest = next > end ? [source.slice(tokens[next]?.start, tokens.at(-1)?.end)] : [];
  return [...(names as string[]), ...rest];
};

/** `Go to Settings > Users and click "Add"`: where the path ends because something else is done. */
const behindPath = (tokens: readonly Token[], from: number): number => {
  for (let at = from + 3; at < tokens.length - 1; at++) {
    const token = tokens[at];
    if (!token || isQuoted(token) || !SEPARATOR.test(token.lower)) continue;
    let next = at;
    while (SEPARATOR.test(tokens[next]?.lower ?? "")) next++;
    const verb = tokens[next];
    if (verb?.kind === "word" && verb.text === verb.lower && baseOf(verb.lower) !== null) return at;
  }
  return tokens.length;
};

/** `Settings>Users`, `**Settings > Users**`: a path in one piece; null for anything else. */
const pathIn = (token: Token | undefined): readonly string[] | null => {
  if (!token || (token.kind !== "quoted" && token.kind !== "word")) return null;
  const names = token.text.split(/\s*(?:>|→|›|»)\s*/);
  const isPath = names.length > 1 && names.every((name) => TITLE.test(name));
  return isPath ? names.map((name) => `click "${name}"`) : null;
};

const TITLE = /^\p{Lu}[\p{L}\d&'’ -]{1,40}$/u;

/** `Settings`, `API keys`: what begins with a capital and has nothing but words in it. */
const isTitled = (tokens: readonly Token[]): boolean =>
  tokens.length < 5 &&
  /^\p{Lu}/u.test(tokens[0]?.text ?? "") &&
  tokens.every(
    (token) =>
      token.kind === "word" &&
      /^[\p{L}\d&'’-]+$/u.test(token.text) &&
      (findKind(token.lower) === null || token.text !== token.lower) &&
      (token.text === "Home" ||
        !/^(?:page|screen|app|site|home|homepage|back|then)$/.test(token.lower)) &&
      !(token.text === token.lower && baseOf(token.lower) !== null),
  );
