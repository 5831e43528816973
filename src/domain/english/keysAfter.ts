import { parseKeyChord } from "../catalogue/values.ts";
import type { Draft } from "./formTables.ts";
import { readNumber } from "./numberSlots.ts";
import { SUBJECTS, word } from "./phrases.ts";
import type { Read } from "./variants.ts";
import { repeatsOf } from "./wordings.ts";
import type { Token } from "./words.ts";

const FILLER = /^(?:then|and|afterwards?|finally|again|also|next|now|lastly|the|a|please)$/;
const PRESSING = /^(?:press|presses|hit|hits|push|use|strike|tap)$/;
const ARROW = /^(?:Up|Down|Left|Right)$/;
const MAX_WORDS = 9;

/** The key or chord that some words name, and nothing else; null for anything else. */
const keyOf = (tokens: readonly Token[]): string | null => {
  const named = /^keys?$/.test(word(tokens.at(-1))) ? tokens.slice(0, -1) : tokens;
  if (named.length === 0 || named.some(({ kind }) => kind !== "word")) return null;
  const said = named.map(({ text }) => text).join(" ");
  if (ARROW.test(said)) return `Arrow${said}`;
  const chord = parseKeyChord(said);
  // A letter by itself may be anything.
  return chord !== null && chord.length > 1 ? chord : null;
};

const ACTIVATED =
  /^(?:activate|trigger|press|open|select|confirm|use|click|submit) (?:it|this) (?:with|using|via|by (?:pressing|hitting|using)) (?:the )?/;

/** `… and activate it with Space`, behind what has the focus: the key; null for anything else. */
const byKey = (tokens: readonly Token[]): string | null => {
  const said = tokens.map(word).join(" ");
  const found = ACTIVATED.exec(said);
  return found ? keyOf(tokens.slice(found[0].trim().split(" ").length)) : null;
};

/** `…, then Delete`, `… and press Space twice`, behind a key that was pressed: another key, and no button that is called so. */
export const keyAfterKey = (all: readonly Token[], previous: Draft): Read | null => {
  const isFocused = previous.action === "focus";
  if ((previous.action !== "press" && !isFocused) || all.length > MAX_WORDS) return null;
  let at = 0;
  while (FILLER.test(word(all[at]))) at++;
  if (SUBJECTS.has(word(all[at]))) at++;
  const done = isFocused ? byKey(all.slice(at)) : null;
  if (done !== null) {
    return { kind: "step", draft: { action: "press", value: done }, lead: [], times: 1 };
  }
  if (isFocused) return null;
  if (PRESSING.test(word(all[at]))) at++;
  while (FILLER.test(word(all[at]))) at++;
  const rest = all.slice(at);
  const repeats = repeatsOf(rest, readNumber);
  const value = keyOf(repeats?.tokens ?? rest);
  if (value === null || (repeats && (repeats.times < 1 || repeats.times > 20))) return null;
  return { kind: "step", draft: { action: "press", value }, lead: [], times: repeats?.times ?? 1 };
};

const SEPARATOR = /^(?:and|then|,|&|;)$/;
/** Keys that are as often the name of a button. */
const DOUBLE = /^(?:delete|home|insert|pause|control|shift|alt|meta|return|back)$/i;
const MAX_KEYS = 20;

/** The keys between joints; null when what stands there is anything else, or can all be the name of a button. */
const keysAmong = (tokens: readonly Token[]): readonly string[] | null => {
  const keys: string[] = [];
  let isSure = false;
  let from = 0;
  for (let at = 0; at <= tokens.length; at++) {
    const token = tokens[at];
    const isBy = word(token) === "followed" && word(tokens[at + 1]) === "by";
    if (token && !isBy && !(token.kind !== "quoted" && SEPARATOR.test(token.lower))) continue;
    let part = tokens.slice(from, at);
    from = isBy ? at + 2 : at + 1;
    while (FILLER.test(word(part[0]))) part = part.slice(1);
    if (part.length === 0) continue;
    const repeats = repeatsOf(part, readNumber);
    const times = repeats?.times ?? 1;
    const key = keyOf(repeats?.tokens ?? part);
    if (key === null || times < 1 || keys.length + times > MAX_KEYS) return null;
    isSure ||= !DOUBLE.test(key) && !ARROW.test(part[0]?.text ?? "");
    for (let time = 0; time < times; time++) keys.push(`press the ${key} key`);
  }
  return isSure && keys.length > 1 ? keys : null;
};

/** `Tab, Tab, Enter`, `Press Home, then Shift+End`: nothing but keys; null for anything else. */
export const keysAlone = (tokens: readonly Token[]): readonly string[] | null => {
  // No text in quotes is a key.
  if (tokens.length > 40 || tokens.some(({ kind }) => kind === "quoted")) return null;
  const start = SUBJECTS.has(word(tokens[0])) ? 1 : 0;
  const isPressed = PRESSING.test(word(tokens[start]));
  const first = tokens[isPressed ? start + 1 : start];
  if (first?.kind !== "word" || (!isPressed && keyOf([first]) === null)) return null;
  return keysAmong(tokens.slice(isPressed ? start + 1 : start));
};
