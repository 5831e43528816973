/** The tokens that may follow within arrays and objects. */
type Expects = "value" | "valueOrEnd" | "name" | "nameOrEnd" | "colon" | "commaOrEnd" | "nothing";

const SPACE = /[ \t\n\r]*/y;
const LITERAL = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.+-])/y;
const ESCAPED = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;
/** `"`, `\`, and the first character that a string of JSON may hold as it is. */
const [QUOTE, BACKSLASH, FIRST_PLAIN] = [0x22, 0x5c, 0x20];

/**
 * Where a text stops being JSON, as the number of its characters before that: the length of the text where it is
 * JSON as far as it goes. The engine's parser says where in some of its messages alone.
 */
export const jsonFaultAt = (text: string): number => {
  const open: string[] = [];
  let expects: Expects = "value";
  let at = 0;
  const take = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    if (!pattern.test(text)) return false;
    at = pattern.lastIndex;
    return true;
  };
  const takeString = (): boolean => {
    const end = endOfString(text, at);
    if (end.whole) at = end.at;
    return end.whole;
  };
  const afterValue = (): Expects => (open.length === 0 ? "nothing" : "commaOrEnd");
  for (;;) {
    take(SPACE);
    const next = text.charAt(at);
    if (next === "") return text.length;
    const isEnd = expects === "valueOrEnd" || expects === "nameOrEnd" || expects === "commaOrEnd";
    if ((next === "]" || next === "}") && isEnd && open.at(-1) === next) {
      open.pop();
      at += 1;
      expects = afterValue();
    } else if (expects === "commaOrEnd" && next === ",") {
      at += 1;
      expects = open.at(-1) === "}" ? "name" : "value";
    } else if (expects === "colon" && next === ":") {
      at += 1;
      expects = "value";
    } else if ((expects === "name" || expects === "nameOrEnd") && takeString()) {
      expects = "colon";
    } else if (expects === "value" || expects === "valueOrEnd") {
      if (next === "{" || next === "[") {
        open.push(next === "{" ? "}" : "]");
        at += 1;
        expects = next === "{" ? "nameOrEnd" : "valueOrEnd";
      } else if (takeString() || take(LITERAL)) expects = afterValue();
      else return isUnended(text, at) ? text.length : at;
    } else return isUnended(text, at) ? text.length : at;
  }
};

/**
 * The end of the string that begins at an offset, or its fault. Scans character by character because a pattern with
 * alternatives overflows the stack on megabytes of text.
 */
const endOfString = (
  text: string,
  start: number,
): { readonly whole: boolean; readonly at: number } => {
  if (text.charCodeAt(start) !== QUOTE) return { whole: false, at: start };
  let at = start + 1;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return { whole: true, at: at + 1 };
    if (code < FIRST_PLAIN) return { whole: false, at };
    if (code === BACKSLASH) {
      ESCAPED.lastIndex = at;
      if (!ESCAPED.test(text)) return { whole: false, at };
      at = ESCAPED.lastIndex;
    } else at += 1;
  }
  return { whole: false, at };
};

/** So few characters at the end may be a word, or a character that is written as a number, that the end cuts. */
const CUT_SHORT = 20;

/** A string, or a word, that the end of the text cuts. */
const isUnended = (text: string, at: number): boolean => {
  if (text.charCodeAt(at) !== QUOTE) {
    return text.length - at <= CUT_SHORT && /^[-\w.+]*$/.test(text.slice(at));
  }
  const { at: end } = endOfString(text, at);
  return end === text.length || /^\\(?:u[\da-fA-F]{0,3})?$/.test(text.slice(end, end + CUT_SHORT));
};
