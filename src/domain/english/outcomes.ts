const RESULT = "results?|behaviou?rs?|outcomes?|outputs?";
/** `… - Expected: …`, `… (expected result: …)`: what is done, and in the same line what is expected of it. */
const LABEL = new RegExp(
  `(?:\\s[-–—|]{1,2}|\\s?[;,.]|\\s(?:=>|->|→))?\\s+([([])?(?:the )?(?:expected(?: (?:${RESULT}))?|exp\\.?(?: (?:${RESULT}))?|ER)\\s?(?::|=>|->|→|=|–|—)\\s+`,
  "gi",
);
const CLOSING: Readonly<Record<string, string>> = { "(": ")", "[": "]" };

const isOutside = (text: string, at: number): boolean =>
  text.slice(0, at).split('"').length % 2 === 1;

const MAX_LENGTH = 2_000;

/**
 * `Click "A" (expected: "B" is shown)`: what is done, and what is expected of it as a line of its own; null for a line
 * that says no such thing.
 */
export const withOutcome = (raw: string): readonly string[] | null => {
  if (raw.length > MAX_LENGTH || !/exp|\bER\b/i.test(raw) || raw.trimStart().startsWith("|")) {
    return null;
  }
  LABEL.lastIndex = 0;
  const found = LABEL.exec(raw);
  if (!found || found.index < 3 || !isOutside(raw, found.index)) return null;
  const before = raw.slice(0, found.index).trimEnd();
  // A label stands in front, and not behind the words of a name.
  if (/[:*_#]$/.test(before) || !/[\s"'`\w)»”]$/.test(before)) return null;
  let rest = raw.slice(found.index + found[0].length).trim();
  const closing = CLOSING[found[1] ?? ""];
  if (closing !== undefined) {
    rest = rest.replace(/\.$/, "");
    if (!rest.endsWith(closing)) return null;
    rest = rest.slice(0, -1);
  }
  LABEL.lastIndex = 0;
  return rest === "" || LABEL.test(` ${rest}`) ? null : [before, `Expected: ${rest}`];
};
