import { deviceSize } from "../../catalogue/devices.ts";
import { findKind } from "../../catalogue/kinds.ts";
import { parseDuration, parseKeyChord, parseViewport } from "../../catalogue/values.ts";
import type { Token } from "../words.ts";
import { reading } from "./slots.ts";
import { bounded, type SlotReader } from "./types.ts";

/** The lists of words with which a language bounds texts that are not quoted. */
export type TextWords = {
  readonly articles: ReadonlySet<string>;
  readonly vague: ReadonlySet<string>;
  readonly trouble: ReadonlySet<string>;
  readonly describing: ReadonlySet<string>;
  readonly numbers: ReadonlyMap<string, number>;
};

const isQuoted = (token: Token | undefined): boolean =>
  token?.kind === "quoted" || token?.kind === "literal";

const VARIABLES = /^(?:\$\{[A-Za-z_][\w.-]*\})+$/;

/** The raw text of a span. */
const rawOf = (tokens: readonly Token[], from: number, to: number, source: string): string =>
  source.slice(tokens[from]?.start, tokens[to - 1]?.end);

/** A quoted text; `(quoted)`, a variable and a number count as quoted. */
export const quotedSlot: SlotReader = bounded(1, (tokens, from, to) => {
  const token = tokens[from];
  if (to !== from + 1 || !token) return null;
  return isQuoted(token) || (token.kind === "word" && VARIABLES.test(token.text))
    ? reading(token.text)
    : null;
});

/** Several quoted texts: `"A", "B" and "C"`. */
export const quotedListSlot =
  (ands: ReadonlySet<string>): SlotReader =>
  (tokens, from, to, source) => {
    const texts: string[] = [];
    for (let at = from; at < to; at++) {
      const token = tokens[at];
      const one = quotedSlot(tokens, at, at + 1, source);
      if (one && typeof one.text === "string") texts.push(one.text);
      else if (token?.text !== "," && !ands.has(token?.lower ?? "")) return null;
    }
    const last = tokens[to - 1];
    return texts.length > 1 && isQuoted(last) ? reading(texts) : null;
  };

/** A text that is typed, chosen or expected: quoted, or words that certainly are one. */
export const textSlot =
  (words: TextWords, isExpected = false): SlotReader =>
  (tokens, from, to, source) => {
    const first = tokens[from];
    if (!first) return null;
    if (to === from + 1 && isQuoted(first)) return reading(first.text);
    const span = tokens.slice(from, to);
    if (span.some(({ kind }) => kind !== "word") || span.length > 8) return null;
    const raw = rawOf(tokens, from, to, source);
    if (/^(?:<.*>|\{.*\}|\[.*\])$/.test(raw)) {
      return reading(raw, "It is not clear where the text starts and ends.");
    }
    const quotes = `Put the text that is meant in quotes: it is not clear what "${raw}" is.`;
    const isVague = words.vague.has(first.lower) && (span.length > 1 || first.text === first.lower);
    if (isVague || span.some(({ lower }) => words.describing.has(lower)))
      return reading(raw, quotes);
    const trouble = span.length > 1 && span.find(({ lower }) => words.trouble.has(lower));
    if (trouble) {
      return reading(raw, `It is not clear whether "${trouble.text}" belongs to the text.`, 1);
    }
    if (/^[\d]+(?:st|nd|rd|th)$/.test(first.lower)) return reading(raw, quotes, 1);
    if (isExpected && span.length > 1 && first.text === first.lower) return reading(raw, quotes, 1);
    const isWords = span.every(({ text, lower }) => text === lower && /^[a-z'-]+$/.test(text));
    if (isExpected && isWords) {
      return reading(raw, `Quote the text: it is not clear what "${raw}" is.`, 1);
    }
    if (isWords && (span.length > 1 || words.numbers.get(raw) === undefined))
      return reading(raw, quotes, 1);
    return reading(raw, null, 0.3 + span.length / 100);
  };

const FILE_NAME =
  /\.(?:html?|xhtml|php\d?|aspx?|jspx?|cgi|do|action|json|xml|txt|pdf|svg|md|cfm|pl)(?:[?#].*)?$/i;
const LOCAL_HOST =
  /^(?:localhost|\d{1,3}(?:\.\d{1,3}){3}|\[[\da-f:]+\])(?::\d{1,5})?(?:[/?#].*)?$/i;
const HOST_NAME = /^(?:[a-z\d](?:[a-z\d-]*[a-z\d])?\.)+[a-z]{2,}(?::\d{1,5})?(?:[/?#].*)?$/i;

/** An address as the address bar of a browser takes it. */
export const urlSlot: SlotReader = bounded(1, (tokens, from, to) => {
  const token = tokens[from];
  if (to !== from + 1 || !token || token.kind === "mark") return null;
  const { text } = token;
  if (/^https?:\/\/./i.test(text) || /^\.\.?\//.test(text)) return reading(text);
  const isAsWritten = token.kind === "literal" || !/^\/[/\\]/.test(text);
  if (/^[/?#]/.test(text) && isAsWritten) return reading(text);
  if (text.startsWith("${")) return reading(text);
  if (/\s/.test(text)) return null;
  if (LOCAL_HOST.test(text)) return reading(`http://${text}`);
  if (FILE_NAME.test(text) && /^[\w./?#&=%-]+$/.test(text)) return reading(`/${text}`);
  if (HOST_NAME.test(text)) return reading(`https://${text}`);
  if (/^[a-z][a-z\d+.-]*:/i.test(text)) {
    return reading(text, "Only http and https addresses can be opened.");
  }
  return null;
});

/** An expected address: any text in quotes, or an address as written. */
export const addressSlot: SlotReader = bounded(1, (tokens, from, to, source) => {
  const token = tokens[from];
  if (to !== from + 1 || !token || token.kind === "mark") return null;
  if (isQuoted(token)) return reading(token.text);
  const isAddress =
    /^(?:https?:\/\/|[/?#*]|\$\{)/i.test(token.text) || /^[\w-]+[./=?]/.test(token.text);
  return isAddress || urlSlot(tokens, from, to, source) ? reading(token.text) : null;
});

/** The whole expected address. */
export const wholeAddressSlot: SlotReader = (tokens, from, to, source) => {
  const found = addressSlot(tokens, from, to, source);
  return found && /^\/[\w/-]+\/$/.test(String(found.text))
    ? reading(found.text, "It is not clear whether it is a path or a regular expression.")
    : found;
};

/** The cost of a doubt that no other reading removes. */
export const BLOCKING = -1;

/** Keys that are as often the name of a button. */
const DOUBLE = new Set(["Delete", "Home", "Insert", "Pause", "Control", "Shift", "Alt", "Meta"]);

const chordOf = (text: string): string | null => {
  const flat = text.replace(/\s*\+\s*/g, "+");
  return parseKeyChord(flat);
};

/** A key or chord. `isNamed` allows names that may be buttons, because the sentence says that it is a key. */
export const keySlot =
  (isNamed: boolean): SlotReader =>
  (tokens, from, to, source) => {
    const token = tokens[from];
    if (!token || to - from > 5) return null;
    const isOne = to === from + 1;
    if (isOne && token.kind === "literal")
      return parseKeyChord(token.text) ? reading(token.text) : null;
    const text = isOne && isQuoted(token) ? token.text : rawOf(tokens, from, to, source);
    if (!isOne && tokens.slice(from, to).some(({ kind }) => kind !== "word")) return null;
    const ARROW = /^(up|down|left|right)$/i.exec(text);
    const chord = ARROW && isNamed ? chordOf(`Arrow${text}`) : chordOf(text);
    if (!chord) {
      return ARROW && !isNamed && isOne && !isQuoted(token)
        ? reading(text, `"${text}" may be a key or a name.`, BLOCKING)
        : null;
    }
    if (isNamed) return reading(chord);
    if (isOne && isQuoted(token)) return [...chord].length === 1 ? null : reading(chord);
    if (!chord.includes("+") && (DOUBLE.has(chord) || [...chord].length === 1)) {
      return /^space ?bar$/i.test(text) || chord === "Space"
        ? reading(chord)
        : reading(chord, `"${text}" may be a key or the name of a button.`, BLOCKING);
    }
    return reading(chord);
  };

/** A whole number in figures or words. */
export const numberSlot =
  (words: TextWords): SlotReader =>
  (tokens, from, to) => {
    const token = tokens[from];
    if (to !== from + 1 || !token || token.kind === "mark") return null;
    if (/^\d{1,7}$/.test(token.text)) return reading(token.text);
    const number = token.kind === "word" ? words.numbers.get(token.lower) : undefined;
    return number === undefined ? null : reading(String(number));
  };

/** A number of repetitions: 2 to 20. */
export const timesSlot =
  (words: TextWords): SlotReader =>
  (tokens, from, to, source) => {
    const number = numberSlot(words)(tokens, from, to, source);
    const count = Number(number?.text);
    if (!number) return null;
    return count >= 1 && count <= 20
      ? number
      : reading(number.text, "A step can be repeated at most 20 times.");
  };

/** The longest pause. */
export const MAX_PAUSE_MS = 60_000;

/** A time: `2 seconds`, `500ms`, `two seconds`. */
export const durationSlot =
  (words: TextWords, most: number): SlotReader =>
  (tokens, from, to, source) => {
    const first = tokens[from];
    if (!first || to - from > 2) return null;
    const raw = isQuoted(first) ? first.text : rawOf(tokens, from, to, source);
    const number =
      words.numbers.get(first.lower) ?? (words.articles.has(first.lower) ? 1 : undefined);
    const text =
      number !== undefined && to === from + 2 ? `${number} ${tokens[from + 1]?.text ?? ""}` : raw;
    const time = parseDuration(text);
    if (time === null) return null;
    if (time <= most) return reading(text);
    const isPause = most === MAX_PAUSE_MS;
    return reading(
      text,
      isPause
        ? "A pause is at most 60 s; wait for an element instead."
        : "A wait is at most 10 minutes.",
    );
  };

/** The name of a file of the project. */
export const fileSlot: SlotReader = bounded(1, (tokens, from, to, source) => {
  const token = tokens[from];
  if (!token || token.kind === "mark") return null;
  if (to === from + 1 && isQuoted(token)) return reading(token.text);
  const raw = rawOf(tokens, from, to, source);
  return to === from + 1 && /^[\w\-()~]+(?:\.[\w-]+)+$/.test(raw) ? reading(raw) : null;
});

/** A file name: its extension says what it is. */
export const fileNameSlot: SlotReader = bounded(1, (tokens, from, to, source) => {
  const found = fileSlot(tokens, from, to, source);
  return found && /^[^/]+\.[a-z][a-z\d]{1,4}$/i.test(String(found.text)) ? found : null;
});

/** A size of the page or the name of a device. */
export const sizeSlot: SlotReader = bounded(5, (tokens, from, to, source) => {
  if (to - from > 5) return null;
  const first = tokens[from];
  if (first?.kind === "literal")
    return parseViewport(first.text) === null ? null : reading(first.text);
  const isOne = to === from + 1 && isQuoted(first);
  const raw = isOne ? (first?.text ?? "") : rawOf(tokens, from, to, source);
  const flat = raw.replace(
    /^(\d+)\s*(?:px)?\s*(?:x|×|by|\*)\s*(\d+)(?:\s*(?:px|pixels))?$/i,
    "$1x$2",
  );
  if (parseViewport(flat) !== null && /^\d/.test(flat)) return reading(flat);
  return deviceSize(raw) ? reading(raw) : null;
});

/** The name of a picture or an attribute: one word, or a quoted text. */
export const wordSlot: SlotReader = bounded(1, (tokens, from, to) => {
  const token = tokens[from];
  if (to !== from + 1 || !token || (token.kind !== "word" && !isQuoted(token))) return null;
  return /^[\p{L}_][\w.\p{L}-]*$/u.test(token.text) || isQuoted(token) ? reading(token.text) : null;
});

/** The name of a variable: one word, a quoted text, or `${name}`. */
export const variableSlot: SlotReader = bounded(1, (tokens, from, to, source) => {
  const name = /^\$\{([\w.-]+)\}$/.exec(tokens[from]?.text ?? "")?.[1];
  return to === from + 1 && name ? reading(name) : wordSlot(tokens, from, to, source);
});

const HTML_ATTRIBUTE =
  /^(?:placeholder|href|src|alt|title|class|id|type|target|role|rel|name|maxlength|minlength|min|max|step|pattern|autocomplete|for|lang|aria-[a-z]+|data-[a-z-]+)$/;

/** An attribute that the sentence does not call so: `has the placeholder "x"`. */
export const htmlAttributeSlot: SlotReader = bounded(1, (tokens, from, to) => {
  const token = tokens[from];
  const isOne = to === from + 1 && token !== undefined && HTML_ATTRIBUTE.test(token.text);
  return isOne ? reading(token?.text ?? "") : null;
});

/** A number of pixels: `250`, `250px`. */
export const pixelsSlot: SlotReader = bounded(1, (tokens, from, to) => {
  const first = tokens[from];
  if (to === from + 1 && first?.kind === "literal")
    return /^-?\d{1,6}(?: ?px)?$/i.test(first.text) ? reading(first.text) : null;
  const amount = /^(-?\d{1,6})(?:px)?$/i.exec(tokens[from]?.text ?? "");
  return to === from + 1 && amount ? reading(amount[1] ?? "") : null;
});

/** An attribute and its value in backquotes: `target=_blank`. */
export const pairSlot: SlotReader = (tokens, from, to) => {
  const token = tokens[from];
  return to === from + 1 && token?.kind === "literal" && token.text.includes("=")
    ? reading(token.text)
    : null;
};

/** A single character in quotes, which may be a key. */
export const characterSlot: SlotReader = bounded(1, (tokens, from, to) => {
  const token = tokens[from];
  return to === from + 1 && token !== undefined && isQuoted(token) && [...token.text].length === 1
    ? reading(token.text)
    : null;
});

/** The name of an attribute. A role, kind or other noun is none. */
export const attributeSlot: SlotReader = bounded(1, (tokens, from, to) => {
  const token = tokens[from];
  if (to !== from + 1 || !token || token.kind === "mark") return null;
  const name = token.text.replace(/=$/, "");
  return /^(?:[a-z]+-)*[a-z]+$/.test(name) && findKind(name) === null ? reading(name) : null;
});
