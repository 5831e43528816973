/** The letters, digits and symbols of a text in their order, ignoring case. */
const signsOf = (text: string): string =>
  text
    .normalize("NFC")
    .replace(/[^\p{L}\p{N}\p{S}]/gu, "")
    .toLowerCase();

const NUMBER = /^[+\-−]?(?!0\d)\d[\d.,'’]*$/;

/** The number that digits mean with a decimal point; null if their groups are not those of a number. */
const numberOf = (digits: string, point: "." | ","): number | null => {
  const group = point === "." ? /[,'’]/ : /[.'’]/;
  const [whole = "", fraction = "0", ...more] = digits.split(point);
  const [first = "", ...groups] = whole.split(group);
  if (more.length > 0 || group.test(fraction)) return null;
  if (groups.some((three) => three.length !== 3) || (groups.length > 0 && first.length > 3)) {
    return null;
  }
  return Number(`${first}${groups.join("")}.${fraction}`);
};

/**
 * The values that a text may mean as a number: `1.000` is 1 or 1000. None if it is no number, or a code that begins
 * with 0. A unit around it, such as `$` or `%`, and spaces between groups of digits are left out.
 */
const numbersOf = (text: string): readonly number[] => {
  const plain = text.replace(/[\s\p{Sc}%]/gu, "");
  if (!NUMBER.test(plain)) return [];
  const sign = /^[-−]/.test(plain) ? -1 : 1;
  const digits = plain.replace(/^[+\-−]/, "");
  return [numberOf(digits, "."), numberOf(digits, ",")].flatMap((number) =>
    number === null ? [] : [sign * number],
  );
};

/** The characters that carry meaning in addresses; a page that formats a text keeps them. */
const marksOf = (text: string): string => text.replace(/[^@#&%*_]/g, "");

/** Whether words are divided where they were: `Ann Lee` is not `AnnLee`. */
const keepsWords = (shown: string, typed: string): boolean => {
  const words = (text: string) => text.split(/[^\p{L}\p{M}\p{N}\p{S}]+/u).filter(Boolean).length;
  return !/\p{L}[^\p{L}\p{N}]+\p{L}/u.test(typed) || words(shown) >= words(typed);
};

/** A page may write all letters large or small, and leaves no other case than was typed. */
const keepsCase = (shown: string, typed: string): boolean =>
  [shown.toUpperCase(), shown.toLowerCase()].includes(shown) ||
  lettersOf(shown) === lettersOf(typed);

const lettersOf = (text: string): string => text.normalize("NFC").replace(/\P{L}/gu, "");

/**
 * Whether a field shows a text as it was typed, or the same text in the page's formatting: groups of digits, a unit,
 * the dashes of a telephone number, capitals. A number keeps its value.
 */
export const isFormatted = (shown: string, typed: string): boolean => {
  if (shown === typed) return true;
  const [one, other] = [numbersOf(shown), numbersOf(typed)];
  if (one.length > 0 && other.length > 0) return one.some((number) => other.includes(number));
  return (
    (shown.trim() !== "" || typed.trim() === "") &&
    signsOf(shown) === signsOf(typed) &&
    marksOf(shown) === marksOf(typed) &&
    keepsWords(shown, typed) &&
    keepsCase(shown, typed)
  );
};

/** Whether the typed text has arrived in a field, which may have had a text before. */
export const hasTyped = (shown: string, before: string, typed: string): boolean =>
  shown !== before && signsOf(shown).includes(signsOf(typed));
