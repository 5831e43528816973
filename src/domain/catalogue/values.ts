import { deviceSize } from "./devices.ts";

/**
 * What the `value` of a step may be: the readings shared by validation, the executor and the exports.
 * Each reader answers null when the text is not of its kind, so a value is checked and used by one rule.
 */

/** The longest fixed pause that a test may ask for (steps.md). */
export const MAX_WAIT_MS = 60_000;

const DURATION =
  /^(\d{1,9}(?:\.\d{1,6})?)\s*(ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?)$/i;

/** Reads `500 ms`, `2 s`, `1.5 seconds`, `1 minute` as milliseconds; null when it is no time with a unit. */
export const parseDuration = (text: string): number | null => {
  const match = DURATION.exec(text.trim());
  if (!match) return null;
  const amount = Number(match[1]);
  const unit = (match[2] ?? "").toLowerCase();
  if (unit === "ms" || unit.startsWith("milli")) return Math.round(amount);
  return Math.round(amount * (unit.startsWith("m") ? 60_000 : 1000));
};

const MODIFIERS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    control: "Control",
    ctrl: "Control",
    strg: "Control",
    shift: "Shift",
    alt: "Alt",
    option: "Alt",
    opt: "Alt",
    meta: "Meta",
    cmd: "Meta",
    command: "Meta",
    windows: "Meta",
    controlormeta: "ControlOrMeta",
  }),
);

const NAMED_KEYS = [
  ..."Enter Tab Escape Backspace Delete Insert Home End PageUp PageDown Space".split(" "),
  ..."ArrowUp ArrowDown ArrowLeft ArrowRight CapsLock ContextMenu PrintScreen Pause".split(" "),
  ...Array.from({ length: 12 }, (_, index) => `F${index + 1}`),
];

const KEYS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...Object.fromEntries(NAMED_KEYS.map((key) => [key.toLowerCase(), key])),
    return: "Enter",
    esc: "Escape",
    del: "Delete",
    ins: "Insert",
    spacebar: "Space",
    pgup: "PageUp",
    pgdn: "PageDown",
    ...Object.fromEntries(
      ["Up", "Down", "Left", "Right"].flatMap((way) => [
        [`${way.toLowerCase()}arrow`, `Arrow${way}`],
        [`arrow${way.toLowerCase()}`, `Arrow${way}`],
      ]),
    ),
  }),
);

const ARROWS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    up: "ArrowUp",
    down: "ArrowDown",
    left: "ArrowLeft",
    right: "ArrowRight",
  }),
);

/** `Ctrl-Shift-P`: a hyphen joins like a plus behind a modifier. */
const HYPHENED = /^(?:(?:control|ctrl|shift|alt|option|meta|cmd|command)-)+(?=.)/i;

const own = (table: ReadonlyMap<string, string>, key: string): string | null =>
  table.get(key) ?? null;

/**
 * Reads a key chord (`enter`, `Ctrl+A`, `arrow down`, `Shift+Tab`) as Playwright names it (`Enter`,
 * `Control+A`, `ArrowDown`); null when a part is no known key. A single character is a key as it is.
 */
export const parseKeyChord = (text: string): string | null => {
  const trimmed = text.trim();
  if (trimmed === "") return null;
  // Most of what is asked about is a word that is no key: nothing in it joins two.
  if (/^[A-Za-z]{2,}$/.test(trimmed)) {
    const flat = trimmed.toLowerCase();
    return own(KEYS, flat) ?? own(MODIFIERS, flat);
  }
  if ([...trimmed].length === 1) return trimmed;
  const joined = trimmed.replace(HYPHENED, (modifiers) => modifiers.replaceAll("-", "+"));
  // The key itself may be a plus: `Control++`.
  const parts = joined.endsWith("++")
    ? [...joined.slice(0, -2).split("+"), "+"]
    : joined.split("+");
  const chord: string[] = [];
  for (const [index, part] of parts.entries()) {
    const word = part.trim();
    const flat = word.toLowerCase().replace(/[\s_-]/g, "");
    const isLast = index === parts.length - 1;
    const modifier = own(MODIFIERS, flat);
    if (!isLast) {
      if (!modifier) return null;
      chord.push(modifier);
      continue;
    }
    // `Alt+Left`: behind a modifier it is no name of a button.
    const arrow = parts.length > 1 ? own(ARROWS, flat) : null;
    const key = [...word].length === 1 ? word : (own(KEYS, flat) ?? arrow ?? modifier);
    if (!key) return null;
    chord.push(key);
  }
  return chord.join("+");
};

/** What an address or a title is compared with. */
export type TextPattern =
  | { readonly kind: "exact"; readonly text: string }
  | { readonly kind: "wildcard"; readonly text: string }
  | { readonly kind: "regex"; readonly source: string; readonly flags: string };

const REGEX = /^\/(.+)\/([imsu]{0,4})$/s;

/** Reads `exact text`, `with * wildcards` or `/regex/flags` (flags i, m, s, u). Never null: any text is at least exact. */
export const parsePattern = (text: string): TextPattern => {
  const match = REGEX.exec(text);
  if (match) return { kind: "regex", source: match[1] ?? "", flags: match[2] ?? "" };
  return text.includes("*") ? { kind: "wildcard", text } : { kind: "exact", text };
};

/** A text as the source of a regular expression that means just that text. */
export const escapeRegExp = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");

/** The source of an anchored regular expression in which each `*` of a wildcard text stands for anything. */
export const wildcardSource = (text: string): string =>
  `^${text.split(/\*+/).map(escapeRegExp).join("[\\s\\S]*")}$`;

/** A pattern as a RegExp. Throws SyntaxError when a `/regex/` is not one: validation has refused it before. */
export const patternToRegExp = (pattern: TextPattern): RegExp => {
  switch (pattern.kind) {
    case "exact":
      return new RegExp(`^${escapeRegExp(pattern.text)}$`);
    case "wildcard":
      return new RegExp(wildcardSource(pattern.text));
    case "regex":
      return new RegExp(pattern.source, pattern.flags);
  }
};

/** Splits `name=value` of assert_attribute at the first `=`; null without a usable attribute name. */
export const parseAttribute = (text: string): { name: string; value: string } | null => {
  const at = text.indexOf("=");
  const name = text.slice(0, at).trim();
  if (at < 1 || !/^[^\s"'<>/=]{1,200}$/.test(name)) return null;
  return { name, value: text.slice(at + 1) };
};

/** Reads a whole number from 0 up; null for anything else. */
export const parseCount = (text: string): number | null =>
  /^\d{1,7}$/.test(text.trim()) ? Number(text.trim()) : null;

/** How far to scroll: to an end, or by pixels down (up when negative). */
export type ScrollWay = { readonly to: "top" | "bottom" } | { readonly by: number };

/** Reads `top`, `bottom`, `500`, `-200 px`; null for anything else. */
export const parseScroll = (text: string): ScrollWay | null => {
  const flat = text.trim().toLowerCase();
  if (flat === "top" || flat === "bottom") return { to: flat };
  const pixels = /^([+-]?\d{1,6})(?: ?(?:px|pixels))?$/.exec(flat);
  return pixels ? { by: Number(pixels[1]) } : null;
};

/** Reads `1280x720` or a device's name as a size in CSS pixels; null when it is neither or no screen is so large. */
export const parseViewport = (text: string): { width: number; height: number } | null => {
  const match = /^(\d{2,5})\s*[x×]\s*(\d{2,5})$/i.exec(deviceSize(text) ?? text.trim());
  if (!match) return null;
  const [width, height] = [Number(match[1]), Number(match[2])];
  return width > MAX_SIDE || height > MAX_SIDE ? null : { width, height };
};

/** Browsers refuse or choke on larger pages. */
const MAX_SIDE = 10_000;

/** The variables (`${name}`) that a text mentions, in order of first mention. */
export const variablesOf = (text: string): string[] =>
  text.includes("${")
    ? [...new Set(Array.from(text.matchAll(VARIABLE), (match) => match[1] ?? ""))]
    : [];

/** One `${name}`: letters, digits, `_`, `.` and `-`. */
export const VARIABLE = /\$\{([A-Za-z_][\w.-]{0,99})\}/g;

/** Whether a value can be judged only when its variables are known. */
export const hasVariables = (text: string): boolean => variablesOf(text).length > 0;
