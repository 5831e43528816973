/** What may follow within arrays and objects. */
type Expects = "value" | "valueOrEnd" | "name" | "nameOrEnd" | "colon" | "commaOrEnd" | "nothing";

const SPACE = /[ \t\n\r]*/y;
const LITERAL = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.+-])/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON's strings hold none.
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"/y;

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
    } else if ((expects === "name" || expects === "nameOrEnd") && take(STRING)) {
      expects = "colon";
    } else if (expects === "value" || expects === "valueOrEnd") {
      if (next === "{" || next === "[") {
        open.push(next === "{" ? "}" : "]");
        at += 1;
        expects = next === "{" ? "nameOrEnd" : "valueOrEnd";
      } else if (take(STRING) || take(LITERAL)) expects = afterValue();
      else return isUnended(text, at) ? text.length : at;
    } else return isUnended(text, at) ? text.length : at;
  }
};

/** A string, or a word, that the end of the text cuts. */
const isUnended = (text: string, at: number): boolean => {
  const rest = text.slice(at);
  return /^"(?:[^"\\\n]|\\.)*\\?$/.test(rest) || /^[-\w.+]{0,20}$/.test(rest);
};
