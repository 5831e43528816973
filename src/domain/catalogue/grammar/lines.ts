/** The mood of Gherkin's keywords: a Given sets up, a When acts, a Then claims; And and But go on. */
export type Mood = "given" | "when" | "then";

/** A line of a test, without its bullet and keyword. */
export type Line =
  | { readonly kind: "nothing" }
  | { readonly kind: "instruction"; readonly text: string; readonly mood: Mood | null }
  | { readonly kind: "scenario" }
  | { readonly kind: "unclear"; readonly message: string };

const BULLET =
  /^(?:[-*+•‣◦▪●–—→]\s+(?:\[[ xX]?\]\s+)?|\(?\d{1,3}(?:\.\d{1,3})*[.):]\s+|[a-zA-Z]\)\s+|step\s+\d{1,3}\s*[:.)-]\s*|\[[ xX]?\]\s+)/i;
const KEYWORD = /^(Given|When|Then|And|But)\b[,:]?\s*/i;
const HEADING = /^(?:feature|background|rule|scenario|example)\s*:/i;

/** Longer lines are not read: no field could hold what they say, and time stays bounded. */
export const MAX_LINE_LENGTH = 20_000;

/** Reads what kind of line it is. Linear in its length. */
export const readLine = (raw: string): Line => {
  let text = raw.trim();
  if (text === "" || /^(?:[-=_*~]{3,}|```\w*)$/.test(text)) return { kind: "nothing" };
  if (/^#(?:$|[\s#!])/.test(text) || /^\/\/(?:$|[\s/])/.test(text)) return { kind: "nothing" };
  if (/^(?:@[\w-]{1,100}(?:\s+|$)){1,50}$/.test(text)) return { kind: "nothing" };
  if (/^scenario\s*:/i.test(text)) return { kind: "scenario" };
  if (HEADING.test(text)) return { kind: "nothing" };
  // `#word` is a comment to some and a selector to others, `//word` a comment or an XPath.
  if (/^\/\/[\w*]+(?:\[|\/)/.test(text)) {
    return {
      kind: "unclear",
      message: "Write xpath=// for a selector, or // and a space for a comment.",
    };
  }
  if (text.startsWith("//")) return { kind: "nothing" };
  if (text.startsWith("#") && /\b(?:should|is|are|must)\b/i.test(text)) {
    return {
      kind: "unclear",
      message: "Write css=# for a selector, or # and a space for a comment.",
    };
  }
  if (text.startsWith("#")) return { kind: "nothing" };

  for (let bullets = 0; bullets < 2; bullets++) text = text.replace(BULLET, "");
  const keyword = KEYWORD.exec(text);
  if (!keyword) return { kind: "instruction", text, mood: null };
  const word = (keyword[1] ?? "").toLowerCase();
  const mood = word === "given" || word === "when" || word === "then" ? word : null;
  return { kind: "instruction", text: text.slice(keyword[0].length), mood };
};
