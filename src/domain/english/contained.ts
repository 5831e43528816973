import { findKind, kinds } from "../catalogue/kinds.ts";
import { parseTarget } from "../catalogue/target.ts";
import type { Draft } from "./formTables.ts";
import { isQuoted, word } from "./phrases.ts";
import type { Token } from "./words.ts";

const IN = /^(?:in|inside|within|on|under)$/;

/** What of a target can hold other things: the whole of it, or the place that it is in; null when nothing can. */
const holderOf = (text: string): string | null => {
  const target = parseTarget(text);
  const holds = (kind: string | null): boolean =>
    kind !== null && kind in kinds && kinds[kind as keyof typeof kinds].container === true;
  const { find, within } = target;
  if (within === null) return find.by === "kind" && holds(find.kind) ? text : null;
  if (find.by === "kind" && holds(find.kind)) return text;
  const at = text.lastIndexOf(" in the ");
  const isHolder = within.find.by === "kind" && holds(within.find.kind) && within.within === null;
  return isHolder && at > 0 ? text.slice(at + " in the ".length) : null;
};

/**
 * `Click "OK" in it`, `Inside it tick "Red"`, after a dialog or a row was spoken of: the sentence with that in its place;
 * null when none was, or nothing is said to be in it.
 */
export const withinIt = (
  tokens: readonly Token[],
  source: string,
  last: Draft | null | undefined,
): string | null => {
  const holder = last?.target && last.action !== "assert_hidden" ? holderOf(last.target) : null;
  if (holder === null) return null;
  let said = "";
  let from = tokens[0]?.start ?? 0;
  for (let at = 1; at < tokens.length; at++) {
    const token = tokens[at];
    if (word(token) !== "it" || !token) continue;
    const of = word(tokens[at - 1]) === "of" ? 1 : 0;
    const before = tokens[at - 1 - of];
    if (!before || !IN.test(word(before))) return null;
    const isFirst = before === tokens[0] && tokens[at + 1]?.kind === "word";
    said += `${source.slice(from, before.start)}in the ${holder}${isFirst ? "," : ""}`;
    from = token.end;
  }
  return said === "" ? null : said + source.slice(from, tokens.at(-1)?.end);
};

/** What is done with what stands in brackets behind it: it is clicked. */
const BY_CLICK =
  /^(?:open|accept|submit|close|confirm|save|send|delete|remove|cancel|continue|proceed|add|create|show|hide|expand|collapse|dismiss|log|sign|finish|complete|agree|reject|decline|share|edit|download|export|print|search|apply|reset|publish)$/;
const CLICKED = /^(?:button|link|icon|tab|switch|menuitem|image)$/;

/**
 * `Accept all cookies (button "Accept all")`, `Delete "A" (trash icon next to it)`: what is clicked stands in brackets.
 * Null for anything else.
 */
export const clickedInBrackets = (tokens: readonly Token[], source: string): string | null => {
  const open = tokens.findIndex(({ kind, text }) => kind === "mark" && text === "(");
  const last = tokens.at(-1);
  if (open < 1 || last?.text !== ")" || open > 10) return null;
  const before = tokens.slice(0, open);
  const inside = tokens.slice(open + 1, -1);
  if (!BY_CLICK.test(word(before[0])) || inside.length === 0 || inside.length > 9) return null;
  const names = before.filter(isQuoted);
  const it = inside.findIndex((token) => word(token) === "it");
  if (names.length > 1 || (names.length === 1) !== it >= 0) return null;
  const end = it < 0 ? inside.length : inside.findIndex((token) => NEXT.test(word(token)));
  const named = inside.slice(0, end);
  const isThing = named.some((token) => CLICKED.test(findKind(word(token)) ?? ""));
  if (end < 1 || !isThing || named.some((token) => token.kind === "mark")) return null;
  const [name] = names;
  if (it < 0) return `click the ${source.slice(inside[0]?.start, inside.at(-1)?.end)}`;
  if (!name || it !== inside.length - 1) return null;
  return `click the ${source.slice(inside[0]?.start, inside[it - 1]?.end)} ${source.slice(name.start, name.end)}`;
};

const NEXT = /^(?:next|beside|near|in)$/;
