/**
 * The marks that stand in a line, as bits: one look at each letter spares most lines the patterns that need one of
 * them. A mark that is not there is certain.
 */
export const MARK = {
  colon: 1,
  equals: 2,
  arrow: 4,
  dash: 8,
  /** A bar or a tab. */
  bar: 16,
  /** A comma or a semicolon. */
  comma: 32,
  quote: 64,
  figure: 128,
  /** Whatever is to be seen. */
  ink: 256,
} as const;

const PLAIN = 128;
const bits = new Uint16Array(PLAIN).fill(MARK.ink, 33);
const put = (chars: string, bit: number): void => {
  for (const char of chars) bits[char.charCodeAt(0)] = bit | MARK.ink;
};
put(":", MARK.colon);
put("=", MARK.equals);
put(">", MARK.arrow);
put("|", MARK.bar);
put(",;", MARK.comma);
put('"', MARK.quote);
put("0123456789", MARK.figure);
bits["\t".charCodeAt(0)] = MARK.bar;

const ARROW = "→".charCodeAt(0);
const DASHES = ["–", "—"].map((dash) => dash.charCodeAt(0));

/** The marks of a line. */
export const marksOf = (raw: string): number => {
  let marks = 0;
  for (let at = 0; at < raw.length; at++) {
    const code = raw.charCodeAt(at);
    if (code < PLAIN) marks |= bits[code] ?? 0;
    else if (code === ARROW) marks |= MARK.arrow;
    else if (DASHES.includes(code)) marks |= MARK.dash;
  }
  return marks;
};

/**
 * Says of a text whether it may begin with one of some characters: one that is not ASCII counts as one of them. What
 * needs one of them to begin with need not be asked of all others.
 */
export const startingWith = (chars: string): ((text: string) => boolean) => {
  const isOne = new Uint8Array(PLAIN);
  for (const char of chars) {
    isOne[char.toLowerCase().charCodeAt(0)] = 1;
    isOne[char.toUpperCase().charCodeAt(0)] = 1;
  }
  return (text) => {
    const code = text.charCodeAt(0);
    return code >= PLAIN || isOne[code] === 1;
  };
};

/** Whether nothing is to be seen in a line. */
export const isBlank = (raw: string, marks: number): boolean =>
  (marks & MARK.ink) === 0 && raw.trim() === "";
