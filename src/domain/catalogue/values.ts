import { deviceSize } from "./devices.ts";

/**
 * Parsers of the `value` of a step, shared by validation, executor and exports. Each returns null if the text is invalid.
 */

/** Maximum pause of a step (steps.md). */
export const MAX_WAIT_MS = 60_000;

const DURATION =
  /^(\d{1,9}(?:\.\d{1,6})?)\s*(ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?)$/i;

/** Reads `500 ms`, `2 s`, `1.5 seconds` or `1 minute` as milliseconds. */
export const parseDuration = (text: string): number | null => {
  const match = DURATION.exec(text.trim());
  if (!match) return null;
  const amount = Number(match[1]);
  const unit = (match[2] ?? "").toLowerCase();
  if (unit === "ms" || unit.startsWith("milli")) return Math.round(amount);
  return Math.round(amount * (unit.startsWith("m") ? 60_000 : 1000));
};

/** States that `wait_for` waits for. */
export const WAIT_STATES = ["visible", "hidden", "enabled"] as const;

/** The value of `wait_for`; `withinMs` is null without a limit of its own. */
export type WaitedFor = {
  readonly state: (typeof WAIT_STATES)[number];
  readonly withinMs: number | null;
};

/** Maximum limit of `wait_for`. */
export const MAX_WAIT_FOR_MS = 600_000;

const WAITED_FOR = /^(visible|hidden|enabled)?(?:(?:^| )within (\S.*))?$/;

/** Reads `visible`, `hidden within 30 s` or `within 1 minute`; no state is visible. */
export const parseWaitFor = (text: string): WaitedFor | null => {
  const match = WAITED_FOR.exec(text.trim());
  if (!match) return null;
  const state = WAIT_STATES.find((one) => one === match[1]) ?? "visible";
  if (match[2] === undefined) return { state, withinMs: null };
  const withinMs = parseDuration(match[2]);
  return withinMs === null || withinMs > MAX_WAIT_FOR_MS ? null : { state, withinMs };
};

/** The options that the value of `select` names, one a line. */
export const optionsOf = (text: string): readonly string[] => {
  const options = text.split("\n").map((line) => line.trim());
  return options.length === 1 ? [text] : options.filter((option) => option !== "");
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

/** Reads `Ctrl-Shift-P`: after a modifier, a hyphen joins keys like a plus. */
const HYPHENED = /^(?:(?:control|ctrl|shift|alt|option|meta|cmd|command)-)+(?=.)/i;

const own = (table: ReadonlyMap<string, string>, key: string): string | null =>
  table.get(key) ?? null;

/**
 * Reads a key chord (`enter`, `Ctrl+A`, `arrow down`, `Shift+Tab`) as Playwright's names (`Enter`, `Control+A`, `ArrowDown`).
 * Null if a key is unknown. Every single character is a key.
 */
export const parseKeyChord = (text: string): string | null => {
  const trimmed = text.trim();
  if (trimmed === "") return null;
  // Fast path: most calls are for words that are not keys.
  if (/^[A-Za-z]{2,}$/.test(trimmed)) {
    const flat = trimmed.toLowerCase();
    return own(KEYS, flat) ?? own(MODIFIERS, flat);
  }
  if ([...trimmed].length === 1) return trimmed;
  const joined = trimmed.replace(HYPHENED, (modifiers) => modifiers.replaceAll("-", "+"));
  // The key can be a plus: `Control++`.
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
    // `Alt+Left`: after a modifier, the word is a key.
    const arrow = parts.length > 1 ? own(ARROWS, flat) : null;
    const key = [...word].length === 1 ? word : (own(KEYS, flat) ?? arrow ?? modifier);
    if (!key) return null;
    chord.push(key);
  }
  return chord.join("+");
};

/** A pattern for URLs and titles. */
export type TextPattern =
  | { readonly kind: "exact"; readonly text: string }
  | { readonly kind: "wildcard"; readonly text: string }
  | { readonly kind: "regex"; readonly source: string; readonly flags: string };

const REGEX = /^\/(.+)\/([imsu]{0,4})$/s;

/** Reads `exact text`, `with * wildcards` or `/regex/flags` (flags i, m, s, u). Any other text is exact. */
export const parsePattern = (text: string): TextPattern => {
  const match = REGEX.exec(text);
  if (match) return { kind: "regex", source: match[1] ?? "", flags: match[2] ?? "" };
  return text.includes("*") ? { kind: "wildcard", text } : { kind: "exact", text };
};

export const escapeRegExp = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");

/** Converts a text with wildcards to the source of an anchored regular expression. */
export const wildcardSource = (text: string): string =>
  `^${text.split(/\*+/).map(escapeRegExp).join("[\\s\\S]*")}$`;

/** Converts a pattern to a RegExp. Throws SyntaxError for an invalid `/regex/`, which validation refuses. */
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

/** Splits `name=value` of assert_attribute at the first `=`. Null if the name is invalid. */
export const parseAttribute = (text: string): { name: string; value: string } | null => {
  const at = text.indexOf("=");
  const name = text.slice(0, at).trim();
  if (at < 1 || !/^[^\s"'<>/=]{1,200}$/.test(name)) return null;
  return { name, value: text.slice(at + 1) };
};

/** Reads an integer of at least 0. */
export const parseCount = (text: string): number | null =>
  /^\d{1,7}$/.test(text.trim()) ? Number(text.trim()) : null;

/** Scroll to an end, or by pixels; negative numbers scroll up. */
export type ScrollWay = { readonly to: "top" | "bottom" } | { readonly by: number };

/** Reads `top`, `bottom`, `500` or `-200 px`. */
export const parseScroll = (text: string): ScrollWay | null => {
  const flat = text.trim().toLowerCase();
  if (flat === "top" || flat === "bottom") return { to: flat };
  const pixels = /^([+-]?\d{1,6})(?: ?(?:px|pixels))?$/.exec(flat);
  return pixels ? { by: Number(pixels[1]) } : null;
};

/** Reads `1280x720` or the name of a device as a size in CSS pixels. Null if it is too large. */
export const parseViewport = (text: string): { width: number; height: number } | null => {
  const match = /^(\d{2,5})\s*[x×]\s*(\d{2,5})$/i.exec(deviceSize(text) ?? text.trim());
  if (!match) return null;
  const [width, height] = [Number(match[1]), Number(match[2])];
  return width > MAX_SIDE || height > MAX_SIDE ? null : { width, height };
};

/** Browsers fail on larger pages. */
const MAX_SIDE = 10_000;

/** Distinct variables in a text, in order of appearance. */
export const variablesOf = (text: string): string[] =>
  text.includes("${")
    ? [...new Set(Array.from(text.matchAll(VARIABLE), (match) => match[1] ?? ""))]
    : [];

/** `${name}` with letters, digits, `_`, `.` and `-`. */
export const VARIABLE = /\$\{([A-Za-z_][\w.-]{0,99})\}/g;

/** Whether a value can only be validated with the values of its variables. */
export const hasVariables = (text: string): boolean => variablesOf(text).length > 0;

export type Side = "left" | "right" | "above" | "below";
const SIDE = /^(left|right|above|below)(?: of)? (.+)$/s;
/** The distance in pixels between an element and a drop beside it. */
export const BESIDE_PX = 10;

/** Where a drag ends: the element, or a side of it, as in `right of "Done"`. */
export const parseDrop = (
  value: string,
): { readonly target: string; readonly side: Side | null } => {
  const [, side, target] = SIDE.exec(value.trim()) ?? [];
  if (side === undefined || target === undefined) return { target: value, side: null };
  return { target, side: side as Side };
};
