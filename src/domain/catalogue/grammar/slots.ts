import type { KindName } from "../kinds.ts";
import { parseTarget, readTarget, type Target } from "../target.ts";
import { isSameTarget, ordinalOf } from "../targetParts.ts";
import { parseDuration, parseKeyChord, parseViewport } from "../values.ts";
import type { Token } from "../words.ts";

/** What may stand in a slot of a form. */
export type SlotType =
  | "target"
  | "value"
  | "quoted"
  | "url"
  | "key"
  | "time"
  | "count"
  | "name"
  | "size"
  | "pixels"
  | "ordinal";

/** A slot that has been read. */
export type Slot = {
  /** What goes into the step. */
  readonly text: string;
  /** Why a person should be asked; null when it is certain. */
  readonly doubt: string | null;
  /** No other form may settle the doubt: it would be a guess. */
  readonly isFirm: boolean;
  readonly isQuoted: boolean;
  /** Marked to be taken as it is: nothing is made of it. */
  readonly isLiteral?: boolean;
  readonly target: Target | null;
};

/** What slots are called: by what they are in the step. */
export type SlotName =
  | "target"
  | "other"
  | "value"
  | "url"
  | "key"
  | "time"
  | "count"
  | "name"
  | "pair"
  | "size"
  | "pixels"
  | "ordinal";

export type Bindings = Readonly<Partial<Record<SlotName, Slot>>>;

/** The kind of thing that a slot's target names; null when it names none. */
export const kindOfSlot = (slot: Slot | undefined): KindName | null =>
  slot?.target?.find.by === "kind" ? slot.target.find.kind : null;

/** Reads the tokens of a slot; null when they cannot be what the slot asks for. */
export const readSlot = (type: SlotType, tokens: readonly Token[], source: string): Slot | null => {
  const [first] = tokens;
  const last = tokens.at(-1);
  if (!first || !last) return null;
  const only = tokens.length === 1 ? first : null;
  const quoted = only && (only.kind === "quoted" || only.kind === "literal") ? only.text : null;
  const raw = source.slice(first.start, last.end);
  switch (type) {
    case "target":
      return readTargetSlot(tokens, source);
    case "quoted":
      return quoted === null ? null : slot(quoted, null, true);
    case "value":
      return quoted === null ? readValue(tokens, raw) : slot(quoted, null, true);
    case "url":
      return only?.kind === "literal"
        ? slot(only.text, null, true)
        : readUrl(quoted ?? (only ? raw : null), quoted !== null);
    case "key":
      return readKey(tokens, quoted ?? raw, quoted !== null);
    case "time":
      return readTime(quoted, raw, tokens);
    case "count":
      return readCount(only);
    case "size":
      return readSize(quoted, raw);
    case "pixels":
      return readPixels(quoted, raw);
    case "ordinal":
      return readOrdinal(only);
    case "name":
      return only && /^[a-z_][\w:.-]*$/i.test(quoted ?? raw)
        ? slot(quoted ?? raw, null, quoted !== null)
        : null;
  }
};

const slot = (
  text: string,
  doubt: string | null,
  isQuoted: boolean,
  target: Target | null = null,
): Slot => ({
  text,
  doubt,
  isFirm: false,
  isQuoted,
  target,
});

const firm = (text: string, doubt: string, isQuoted: boolean): Slot => ({
  ...slot(text, doubt, isQuoted),
  isFirm: true,
});

/** With one of these in it, or at its end, a phrase is more than a target, or not yet one. */
const AUXILIARY = new Set(["should", "shouldn't", "must", "mustn't"]);
const UNFINISHED = new Set(
  "to the a an of not no is are be will do does has have can longer that".split(" "),
);

const ARTICLE = /^(?:the|an?)$/;

/** Finds the shortest text that means the same target: the person's words, without article and needless quotes. */
const readTargetSlot = (tokens: readonly Token[], source: string): Slot | null => {
  const [first] = tokens;
  const last = tokens.at(-1);
  if (!first || !last) return null;
  const isClaim = tokens.some(({ kind, lower }) => kind === "word" && AUXILIARY.has(lower));
  if (isClaim || (last.kind === "word" && UNFINISHED.has(last.lower))) return null;
  const reading = readTarget(tokens, source);
  if (!reading) return null;
  const isQuoted = tokens.some(({ kind }) => kind !== "word");
  if (tokens.length === 1 && first.kind === "literal") {
    // Taken as it is: whether its kind suits the sentence is not asked.
    const doubt = first.text.trim() === "" ? "The name is empty." : null;
    return { ...slot(first.text, doubt, true), isLiteral: true };
  }
  const { target } = reading;
  const start = first.kind === "word" && ARTICLE.test(first.lower) ? (tokens[1] ?? first) : first;
  const written = source.slice(start.start, last.end).replace(NOISE, "");
  // Worked out once, and only for the reading that counts.
  let text: string | null | undefined;
  const textOnce = (): string | null => {
    if (text === undefined) text = isQuoted ? shortest(target, written) : written;
    return text;
  };
  return {
    get text() {
      return textOnce() ?? written;
    },
    get doubt() {
      if (reading.doubt !== null || textOnce() !== null) return reading.doubt;
      return "A selector cannot be narrowed down in words.";
    },
    isFirm: false,
    isQuoted,
    target,
  };
};

const NOISE = / +(?:on|in|at) the (?:page|screen)$/i;

/** The name without its quotes, or what was written, if that is read as the same target; else null. */
const shortest = (target: Target, written: string): string | null => {
  const candidates = target.find.by === "name" ? [target.find.name, written] : [written];
  return candidates.find((text) => isSameTarget(parseTarget(text), target)) ?? null;
};

/** Words after which a value without quotes may have ended. */
const VALUE_TROUBLE = new Set(
  "and then but or in into on within inside at next near from using by with to as if when".split(
    " ",
  ),
);

/** Words that speak of a text instead of saying it: "your name", "a valid password", "username". */
const VAGUE = new Set(
  [
    "the a an your my our his her their its this that these some any all every each no valid invalid",
    "correct incorrect wrong right random new another first second third last something anything",
    "nothing username password email e-mail credentials text value it them",
    "today's tomorrow's yesterday's today tomorrow yesterday user's",
  ]
    .join(" ")
    .split(" "),
);

/** `Express (1-2 days)`: one pair of brackets at its end belongs to the text. */
const isBracketed = (raw: string): boolean =>
  /^[\p{L}\d][^()"]* \([^(),;:"]*\d[^(),;:"]*\)$/u.test(raw);

const readValue = (tokens: readonly Token[], raw: string): Slot | null => {
  if (tokens.some(({ kind }) => kind === "quoted" || kind === "literal")) return null;
  if (
    tokens.some(({ kind }) => kind === "mark" && !isBracketed(raw)) ||
    /^(?:<.*>|\{.*\}|\[.*\])$/.test(raw)
  ) {
    return slot(raw, "It is not clear where the text starts and ends.", false);
  }
  const [first] = tokens;
  if (first && VAGUE.has(first.lower) && (tokens.length > 1 || first.text === first.lower)) {
    return slot(
      raw,
      `Put the text that is meant in quotes: it is not clear what "${raw}" is.`,
      false,
    );
  }
  const trouble =
    tokens.length > 1 ? tokens.find(({ lower }) => VALUE_TROUBLE.has(lower)) : undefined;
  if (trouble)
    return slot(raw, `It is not clear whether "${trouble.text}" belongs to the text.`, false);
  return slot(raw, null, false);
};

const FILE_NAME =
  /\.(?:html?|xhtml|php\d?|aspx?|jspx?|cgi|do|action|json|xml|txt|pdf|svg|md|cfm|pl)(?:[?#].*)?$/i;
const LOCAL_HOST =
  /^(?:localhost|\d{1,3}(?:\.\d{1,3}){3}|\[[\da-f:]+\])(?::\d{1,5})?(?:[/?#].*)?$/i;
const HOST_NAME = /^(?:[a-z\d](?:[a-z\d-]*[a-z\d])?\.)+[a-z]{2,}(?::\d{1,5})?(?:[/?#].*)?$/i;

/** Reads an address as a browser's address bar would; null when it is no address. */
const readUrl = (text: string | null, isQuoted: boolean): Slot | null => {
  if (text === null || (/\s/.test(text) && !isQuoted)) return null;
  if (/^https?:\/\/./i.test(text) || /^[/?#]/.test(text) || /^\.\.?\//.test(text))
    return slot(text, null, isQuoted);
  if (text.startsWith("${")) return slot(text, null, isQuoted);
  if (/\s/.test(text)) return null;
  if (LOCAL_HOST.test(text)) return slot(`http://${text}`, null, isQuoted);
  if (FILE_NAME.test(text) && /^[\w./?#&=%-]+$/.test(text)) return slot(`/${text}`, null, isQuoted);
  if (HOST_NAME.test(text)) return slot(`https://${text}`, null, isQuoted);
  if (/^[a-z][a-z\d+.-]*:/i.test(text))
    return firm(text, "Only http and https addresses can be opened.", isQuoted);
  return null;
};

/** Keys that are as often the name of a button. */
const DOUBLE = new Set([
  "Delete",
  "Home",
  "End",
  "Insert",
  "Space",
  "Pause",
  "Control",
  "Shift",
  "Alt",
  "Meta",
]);

const readKey = (tokens: readonly Token[], text: string, isQuoted: boolean): Slot | null => {
  const last = tokens.at(-1);
  const saysKey =
    !isQuoted &&
    last?.kind === "word" &&
    /^(?:key|keys|button)$/.test(last.lower) &&
    last.lower !== "button";
  let words = text;
  if (saysKey) {
    const rest = tokens.slice(0, -1);
    const start =
      rest[0]?.kind === "word" && ARTICLE.test(rest[0].lower) && rest.length > 1 ? 1 : 0;
    const named = rest.slice(start);
    const [one] = named;
    if (!one) return null;
    const isOneQuoted = named.length === 1 && (one.kind === "quoted" || one.kind === "literal");
    if (isOneQuoted) return slot(one.text, null, true);
    words = text.slice(
      one.start - (tokens[0]?.start ?? 0),
      (named.at(-1)?.end ?? 0) - (tokens[0]?.start ?? 0),
    );
  }
  if (!isQuoted && /^the /i.test(words)) words = words.slice(4);
  const chord = parseKeyChord(words);
  if (!chord) return null;
  if (
    !saysKey &&
    !chord.includes("+") &&
    ((DOUBLE.has(chord) && !/^space ?bar$/i.test(words)) || [...chord].length === 1)
  ) {
    return firm(chord, `"${words}" may be a key or the name of a button.`, isQuoted);
  }
  return slot(chord, null, isQuoted);
};

const NUMBERS = "zero one two three four five six seven eight nine ten eleven twelve".split(" ");

/** A whole number in figures or, up to twelve, in words; null for anything else. */
export const readNumber = (text: string): number | null => {
  if (/^\d{1,7}$/.test(text)) return Number(text);
  const number = NUMBERS.indexOf(text);
  return number >= 0 ? number : null;
};

const readTime = (quoted: string | null, raw: string, tokens: readonly Token[]): Slot | null => {
  if (quoted !== null) return slot(quoted, null, true);
  if (/^\$\{[^}\s]+\}$/.test(raw)) return slot(raw, null, false);
  const number = NUMBERS.indexOf(tokens[0]?.lower ?? "");
  if (/^(?:a )?half a second$/i.test(raw)) return slot("500 ms", null, false);
  if (/^an? (?:second|minute)$/i.test(raw)) return slot(raw.replace(/^an?/i, "1"), null, false);
  const text = number > 0 ? `${number}${raw.slice(tokens[0]?.text.length ?? 0)}` : raw;
  return parseDuration(text) === null ? null : slot(text, null, false);
};

const readSize = (quoted: string | null, raw: string): Slot | null => {
  if (quoted !== null) return slot(quoted, null, true);
  const flat = raw
    .toLowerCase()
    .replace(/^an? /, "")
    .replace(/ (?:px|pixels)$/, "");
  const size = /^(\d{2,5}) ?(?:px)? ?(?:x|×|by|\*) ?(\d{2,5})(?:px)?$/.exec(flat);
  if (size) return slot(`${size[1]}x${size[2]}`, null, false);
  return parseViewport(flat) ? slot(raw.replace(/^an? /i, ""), null, false) : null;
};

const readPixels = (quoted: string | null, raw: string): Slot | null => {
  if (quoted !== null) return slot(quoted, null, true);
  const pixels = /^([+-]?\d{1,6}) ?(?:px|pixels?)?$/i.exec(raw);
  return pixels ? slot(pixels[1] ?? "", null, false) : null;
};

/** `2nd`, `second` → `2`; `last` as it is. */
const readOrdinal = (only: Token | null): Slot | null => {
  const ordinal = only?.kind === "word" ? ordinalOf(only) : null;
  if (!ordinal) return null;
  return slot(ordinal.at === "last" ? "last" : String(ordinal.nth), null, false);
};

const readCount = (only: Token | null): Slot | null => {
  if (!only) return null;
  if (only.kind === "quoted")
    return /^(?:\d{1,7}|\$\{[^}\s]+\})$/.test(only.text) ? slot(only.text, null, true) : null;
  if (/^\d{1,7}$/.test(only.text) || /^\$\{[^}\s]+\}$/.test(only.text))
    return slot(only.text, null, false);
  const number = readNumber(only.lower);
  return number === null ? null : slot(String(number), null, false);
};
