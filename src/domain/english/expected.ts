import { findKind } from "../catalogue/kinds.ts";
import { isFieldName } from "./fieldNames.ts";
import { baseOf } from "./inflections.ts";
import { readerOf } from "./reader.ts";
import { readText } from "./readings.ts";
import { describedAs, type ReadSentence, readSentence } from "./sentence.ts";
import { tokenize } from "./words.ts";

const PAIR =
  /^(?:the )?("[^"]{1,80}"|[\p{L}][\p{L}\d' /-]{0,40}?)\s?(?::|==?)\s+("[^"]{1,200}"|[^\s"][^"]{0,80})$/iu;
const ENDING = /[.;,]$/;

/** `Total: £30`, where it is expected: what is shown for a name; null for anything else. */
const pairSaid = (words: string): string | null => {
  const pair = PAIR.exec(words.replace(ENDING, ""));
  if (!pair) return null;
  const [, name = "", value = ""] = pair;
  const bare = name.replaceAll('"', "");
  const parts = bare.split(/\s+/);
  const [first = ""] = parts;
  // What a field holds is its value.
  if (isFieldName(bare) || parts.length > 4 || baseOf(first.toLowerCase()) !== null) return null;
  if (NO_NAME.test(bare) || (!value.startsWith('"') && SAYING.test(` ${value} `))) return null;
  const quoted = value.startsWith('"') ? value : `"${value}"`;
  return `The text of ${name.startsWith('"') ? name : `"${name}"`} should be ${quoted}`;
};

const NO_NAME =
  /^(?:expected|actual|result|note|url|title|page title|page|status code|http status|response|time|step|and|then|but|or|user|system|in|on|at|if|when|after|negative|positive|the|a|an|error code|ac\d*|tc\d*|message|error|error message|toast|banner|tooltip|heading|alert|warning|text|popup|notification|by default|initially|also|observed|see|check|verify)$/i;
const SAYING =
  /\s(?:is|are|should|must|shows?|visible|displayed|shown|hidden|enabled|disabled|appears?|not|no|and|or|if|when|then|with|to|in|on|at)\s/i;

/** `the Save button`, `2 rows`, `no errors`: what is named alone, of a kind that is known; null for anything else. */
const thingSaid = (words: string): string | null => {
  const bare = words.replace(ENDING, "");
  if (bare.length > 60 || !/^[\p{L}\d][\p{L}\d &'-]*$/u.test(bare)) return null;
  const parts = bare.split(/\s+/);
  const kind = findKind((parts.at(-1) ?? "").toLowerCase());
  if (parts.length < 2 || parts.length > 6 || kind === null || SAYING.test(` ${bare} `))
    return null;
  const [first = ""] = parts;
  if (baseOf(first.toLowerCase()) === first.toLowerCase() && first === first.toLowerCase()) {
    return null;
  }
  return `I should see ${/^(?:the|a|an|no|\d+)$/i.test(first) ? bare : `the ${bare}`}`;
};

const CONTEXT = { mood: "then", isFirst: false } as const;

/** `Expected: error message "Email is required"`: what is named is to be seen. */
export const readExpected = (words: string): ReadSentence | null => {
  const hidden = /^not (?=["“'`])/i.exec(words);
  const said = hidden
    ? `I should not see ${words.slice(hidden[0].length)}`
    : `I should see ${words}`;
  const { tokens, problem } = tokenize(said);
  if (!problem && tokens.some(({ kind }) => kind === "quoted")) {
    const read = readSentence(tokens, readerOf(said), CONTEXT);
    if (read.ok) {
      return { ok: true, steps: read.steps.map((step) => describedAs(step, words)) };
    }
  }
  for (const other of [pairSaid(words), thingSaid(words)]) {
    const read = other === null ? null : readText(other, CONTEXT);
    if (read?.every(({ action }) => action.startsWith("assert_"))) {
      return { ok: true, steps: read.map((step) => describedAs(step, words)) };
    }
  }
  return null;
};
