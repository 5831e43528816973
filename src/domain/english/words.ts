/**
 * Cuts a sentence or a target into words, quoted texts and punctuation. One pass, linear in the text.
 *
 * - `"…"`, `'…'`, `“…”`, `‘…’`, `«…»`, `„…“` are quoted texts; `\"` stands for a quote in double quotes and
 *   no other backslash means anything, so that a Windows path stays what it is;
 * - `**…**` is a quoted text, too: emphasis in notes that are written in Markdown;
 * - `` `…` `` is a target or value to be taken as it is;
 * - `e"…"` and `` e`…` `` are the same with JSON's escapes, for texts that no other quotes can hold;
 * - `css=…`, `xpath=…`, `text=…`, `role=…`, `testid=…`, `#id` are selectors up to the next white space
 *   outside of brackets and quotes.
 */
export type Token = {
  readonly kind: "word" | "quoted" | "literal" | "selector" | "mark";
  /** The word, or what stands between the quotes. */
  readonly text: string;
  /** `text` in lower case, curly apostrophes straightened: what keywords are compared with. */
  readonly lower: string;
  readonly start: number;
  readonly end: number;
};

export type Tokens = {
  readonly tokens: readonly Token[];
  /** Why the text cannot be trusted to mean one thing (an unclosed quote); null when all is well. */
  readonly problem: string | null;
};

const CLOSING: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ["'", "'"],
  ["`", "`"],
  ["“", "”“"],
  ["„", "“”"],
  ["«", "»"],
  ["‘", "’"],
]);
const SPACES = /\s/;
const isSpace = (char: string): boolean =>
  char === " " || ((char < "!" || char > "~") && SPACES.test(char));
const BEFORE = new Set("([{,;:=");
const isBefore = (char: string): boolean => BEFORE.has(char) || isSpace(char);
const AFTER = new Set(")]},;:.!?…");
const isAfter = (char: string): boolean => AFTER.has(char) || isSpace(char);
const TRAILING = new Set(",;:.!?…)");
const ESCAPED = new Set('"`');
const SELECTOR_START = new Set("cxtrCXTR#");
const SELECTOR = /^(?:(?:css|xpath|text|role|testid)=|#[A-Za-z_])/i;

/** Whether a text begins like an explicit selector (`css=…`, `#id`). */
export const startsSelector = (text: string): boolean => SELECTOR.test(text);

const tokenOf = (kind: Token["kind"], text: string, start: number, end: number): Token => {
  const lower = text.toLowerCase();
  return {
    kind,
    text,
    lower: lower.includes("’") ? lower.replaceAll("’", "'") : lower,
    start,
    end,
  };
};

/** A text that is being cut. */
type Scan = {
  readonly source: string;
  readonly tokens: Token[];
  /** Closing quotes known not to come any more: looked for once, not once for each opening. */
  readonly exhausted: string[];
  problem: string | null;
};

/** Tokenizes a text. Never throws. */
export const tokenize = (source: string): Tokens => {
  const scan: Scan = { source, tokens: [], exhausted: [], problem: null };
  let at = 0;
  while (at < source.length) at = isSpace(source[at] ?? "") ? at + 1 : endOfToken(scan, at);
  return { tokens: scan.tokens, problem: scan.problem };
};

/** Adds the token at a position and returns where it ends. */
const endOfToken = (scan: Scan, at: number): number => {
  const { source, tokens } = scan;
  const plainEnd = plainWordEnd(source, at);
  if (plainEnd > at) {
    const text = source.slice(at, plainEnd);
    const lower = hasCapital(source, at, plainEnd) ? text.toLowerCase() : text;
    tokens.push({ kind: "word", text, lower, start: at, end: plainEnd });
    return plainEnd;
  }
  const isFree = isBefore(at === 0 ? " " : (source[at - 1] ?? " "));
  const marked = isFree
    ? (quotedAt(scan, at) ?? emphasisAt(scan, at) ?? selectorAt(source, at))
    : null;
  const token = marked ?? markAt(source, at) ?? wordAt(scan, at);
  tokens.push(token);
  return token.end;
};

const quotedAt = (scan: Scan, at: number): Token | null => {
  const { source } = scan;
  const char = source[at] ?? "";
  const isEscaped = (char === "e" || char === "E") && ESCAPED.has(source[at + 1] ?? "");
  const open = isEscaped ? at + 1 : at;
  const opening = source[open] ?? "";
  if (!CLOSING.has(opening)) return null;
  const end = closingOf(source, open, isEscaped, scan.exhausted);
  if (end === null) {
    scan.problem ??= "A quote is not closed.";
    return null;
  }
  const inner = source.slice(open + 1, end);
  const text = isEscaped ? decodeEscapes(opening, inner) : unquoted(opening, inner);
  const isDoubled = inner.length > 2 && inner.startsWith("'") && inner.endsWith("'");
  if (text === null || !isAfter(source[end + 1] ?? " ") || (opening === "'" && isDoubled)) {
    scan.problem ??= "The quotes do not pair up.";
  }
  return tokenOf(opening === "`" ? "literal" : "quoted", text ?? inner, at, end + 1);
};

const unquoted = (opening: string, inner: string): string => {
  if (opening === '"') return unescaped(inner);
  // `« Bienvenue »`: French sets a space on both sides of a quoted text.
  return opening === "«" ? inner.trim() : inner;
};

const emphasisAt = ({ source, exhausted }: Scan, at: number): Token | null => {
  if (source[at] !== "*" || source[at + 1] !== "*") return null;
  const end = emphasisEnd(source, at, exhausted);
  return end === null ? null : tokenOf("quoted", source.slice(at + 2, end), at, end + 2);
};

const selectorAt = (source: string, at: number): Token | null => {
  if (!SELECTOR_START.has(source[at] ?? "") || !SELECTOR.test(source.slice(at, at + 8)))
    return null;
  const end = selectorEnd(source, at);
  return tokenOf("selector", source.slice(at, end), at, end);
};

/** A full stop before a letter is part of a word (`.env`); before white space it ends one. */
const markAt = (source: string, at: number): Token | null => {
  const char = source[at] ?? "";
  const next = source[at + 1] ?? " ";
  const isEnd = TRAILING.has(char) && (char === "," || isSpace(next) || TRAILING.has(next));
  return isEnd || char === "(" ? tokenOf("mark", char, at, at + 1) : null;
};

const wordAt = (scan: Scan, at: number): Token => {
  const end = wordEnd(scan.source, at);
  const text = scan.source.slice(at, end);
  if (/["“”„«»`]|^''|''$/.test(text)) scan.problem ??= "A quote stands inside a word.";
  return tokenOf("word", text, at, end);
};

/** Most texts have no backslash: a replacement that finds nothing costs more than looking for one. */
const unescaped = (inner: string): string =>
  inner.includes("\\") ? inner.replaceAll('\\"', '"') : inner;

/** Whether a code is an ASCII letter or figure. */
const isPlain = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57);

/** Whether one of some plain letters and figures is a capital. */
const hasCapital = (source: string, from: number, to: number): boolean => {
  for (let at = from; at < to; at++) {
    const code = source.charCodeAt(at);
    if (code >= 65 && code <= 90) return true;
  }
  return false;
};

/** Where a word of nothing but letters and figures ends, if white space or one mark follows; else where it starts. */
const plainWordEnd = (source: string, start: number): number => {
  let end = start;
  while (isPlain(source.charCodeAt(end))) end++;
  if (end === start || end === source.length) return end;
  const next = source.charCodeAt(end);
  if (next === 32) return end;
  // A comma or a full stop before a space ends it, too.
  const isMark = next === 44 || next === 46;
  return isMark && (end + 1 === source.length || source.charCodeAt(end + 1) === 32) ? end : start;
};

/** Where `**Save**` ends: emphasis marks a name. */
const emphasisEnd = (source: string, start: number, exhausted: string[]): number | null => {
  if (exhausted.includes("**")) return null;
  const end = source.indexOf("**", start + 2);
  if (end < 0) exhausted.push("**");
  const isName = /^[^\s*]/.test(source[start + 2] ?? "") && !isSpace(source[end - 1] ?? " ");
  return end > start + 2 && isName && isAfter(source[end + 2] ?? " ") ? end : null;
};

const closingOf = (
  source: string,
  open: number,
  escaped: boolean,
  exhausted: string[],
): number | null => {
  const quote = source[open] ?? "";
  const closers = CLOSING.get(quote) ?? "";
  const key = escaped ? `${quote}e` : quote;
  if (exhausted.includes(key)) return null;
  let from = open + 1;
  if (quote === '"' && !escaped) {
    const end = source.indexOf('"', from);
    if (end < 0) from = source.length;
    else if (source[end - 1] !== "\\") return end;
  }
  for (let at = from; at < source.length; at++) {
    const char = source[at] ?? "";
    if (char === "\\" && (escaped || (quote === '"' && source[at + 1] === '"'))) {
      at++;
      continue;
    }
    if (!closers.includes(char)) continue;
    // An apostrophe inside a word (don't) closes nothing.
    const isApostrophe = quote === "'" || quote === "‘";
    if (isApostrophe && !isAfter(source[at + 1] ?? " ")) continue;
    return at;
  }
  exhausted.push(key);
  return null;
};

const decodeEscapes = (quote: string, inner: string): string | null => {
  try {
    const value: unknown = JSON.parse(`"${quote === "`" ? inner.replaceAll("\\`", "`") : inner}"`);
    return typeof value === "string" ? value : null;
  } catch {
    return null;
  }
};

const TAGS =
  "a|article|aside|b|body|button|dd|div|dl|dt|em|fieldset|figure|footer|form|h[1-6]|header|i|iframe|img|input|label|legend|li|main|nav|ol|option|p|section|select|span|strong|svg|table|tbody|td|textarea|tfoot|th|thead|tr|ul|video";
/** ` > li`, ` + .note`, ` .item`, ` button.primary`: the rest of a selector. */
const COMBINED = new RegExp(
  `^ (?=[.#[][A-Za-z_-]|(?:${TAGS})[.#[:][A-Za-z_-])|^ [>+~] (?=(?:${TAGS})(?=[\\s.#:[,;]|$)|[a-z\\d]*[.#:[][\\w-])`,
);

const selectorEnd = (source: string, from: number, start = from): number => {
  let depth = 0;
  let quote = "";
  let at = from;
  for (; at < source.length; at++) {
    const char = source[at] ?? "";
    if (quote) {
      if (char === quote) quote = "";
    } else if (/["']/.test(char)) quote = char;
    else if (/[[(]/.test(char)) depth++;
    else if (/[\])]/.test(char)) depth--;
    else if (depth <= 0 && isSpace(char)) break;
  }
  // `css=nav > li.first`: the next word belongs to the selector if it is a selector itself.
  const rest = COMBINED.exec(source.slice(at, at + 200));
  if (depth <= 0 && !quote && rest && /^css=|^#/i.test(source.slice(start, start + 4))) {
    return selectorEnd(source, at + rest[0].length, start);
  }
  // A comma or a full stop at the end belongs to the sentence.
  while (at > start + 1 && /[,;.!?]/.test(source[at - 1] ?? "")) at--;
  return at;
};

const JOINING = new Set(":=(");

const wordEnd = (source: string, start: number): number => {
  let at = start;
  while (at < source.length && !isSpace(source[at] ?? "")) {
    // `with:"x"` and `text="x"` are a word and a quoted text.
    if (at > start && CLOSING.has(source[at] ?? "") && JOINING.has(source[at - 1] ?? "")) break;
    at++;
  }
  const hardEnd = at;
  while (at > start + 1 && TRAILING.has(source[at - 1] ?? "")) at--;
  // `f(x)` and `a=(b)` keep their bracket; so does a word that is nothing but marks.
  if (source[at] === ")" && source.slice(start, at).includes("(")) {
    at++;
  }
  return Math.min(at, hardEnd);
};

/**
 * Quotes a text so that `tokenize` gives it back as one quoted token: in plain double quotes where that
 * does, in other quotes where not, and with JSON's escapes for line ends and the like.
 */
export const quote = (text: string): string => {
  const plain = [`"${text.replaceAll('"', '\\"')}"`, `“${text}”`, `'${text}'`];
  const found = plain.find(
    (form) => !/[\p{Cc}\u2028\u2029\p{Cs}]/u.test(form) && holds(form, "quoted", text),
  );
  return found ?? `e${escapeNonPrinting(JSON.stringify(text))}`;
};

/** Marks a text as a target to be taken as it is: `` `…` ``, with JSON's escapes where it needs any. */
export const quoteLiteral = (text: string): string => {
  const form = `\`${text}\``;
  if (!/[\p{Cc}\u2028\u2029\p{Cs}]/u.test(form) && holds(form, "literal", text)) return form;
  return `e\`${escapeNonPrinting(JSON.stringify(text)).slice(1, -1).replaceAll("`", "\\`")}\``;
};

const holds = (form: string, kind: Token["kind"], text: string): boolean => {
  const { tokens, problem } = tokenize(form);
  const [token] = tokens;
  return problem === null && tokens.length === 1 && token?.kind === kind && token.text === text;
};

/** JSON leaves some characters that end a line or do not print: they are escaped too. */
const escapeNonPrinting = (json: string): string =>
  json.replaceAll(
    /[\u007f-\u009f\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
