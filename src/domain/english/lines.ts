import { withoutBullets } from "./bullets.ts";
import { withExamples } from "./examples.ts";
import { labelled, sectionOf, withNames, withoutEmphasis } from "./labels.ts";
import type { Line } from "./line.ts";
import { startingWith } from "./marks.ts";
import { aroundSection } from "./reportSections.ts";
import { rowOf } from "./tables.ts";

const KEYWORD = /^(Given|When|Then|And|But)\b[,:]?\s*/i;
/** `Sign-in form:` names what the lines below are about. */
const ABOUT_WHAT =
  /^(?!(?:in|on|go|open|fill|enter|submit|complete|verify|check|click|see|the|and|then)\b)[A-Z][\w-]*(?: [\w-]+){0,3} (?:form|page|screen|flow)\s*:$/i;
/** `To change your address:` tells what the lines below are for. */
const PURPOSE = /^(?:to|how to|in order to) (?!do\b)[a-z][a-z' -]{2,60} ?:$/i;
const HEADING = /^(?:feature|background|rule|scenario|example)\s*:/i;

/** What a test is called and who wrote it: nothing that is done. */
const TITLE =
  /^(?:[*_#\s]*)(?:test (?:case|scenario|script)(?: (?:id|name|title|no\.?|number|description))?|test (?:id|name|title|objective|summary)|tc(?: id)?|tc[-_ ]?\d{1,6}|test case #?\d{1,6})(?:[*_]*)\s*:(?:[*_]*)\s*\S/i;
/** `TC-014 Password reset`, `Test case 7 - Change password`: a number is given to no instruction. */
const NUMBERED =
  /^(?:[*_#\s]*)(?:tc[-_ ]?\d{1,6}\b|test(?: ?case)?[-_ ]#?\d{1,6}\s*[-–—.])(?!\s*:)\s*[-–—]?\s*[\p{L}"]/iu;
/** `As a visitor`, `I want to …`: the story that a feature begins with. */
const STORY =
  /^(?:as (?:an?|the)|i (?:want|need|would like|should be able|can|wish)|so that|in order (?:to|that)|to be able)\b/i;

/** Whether a line tells the story of a feature, in which nothing is done. */
export const isStory = (raw: string): boolean => STORY.test(raw.trim());

const ABOUT =
  /^(?:[*_]{1,2})?(?:title|summary|bug|defect|issue|ticket|user story|test suite|suite|reporter|assignee|labels?|description|objective|goal|purpose|priority|severity|environment|browser|author|created by|module|component|status|version)(?:[*_]{1,2})?\s*:(?:[*_]{1,2})?\s*[^\s"'`]|^id\s*:\s*[a-z]{1,6}[-_ ]?\d{1,6}\s*$/i;

/** `Description: The icon is missing`: what is wrong, and no title. */
const WRONG =
  /^[*_]{0,2}(?:bug )?description[*_]{0,2}\s?:[*_]{0,2}\s*(?:the|when|after|it|on|if|there|this|clicking|in|no)\b.*\b(?:missing|does not|doesn't|do not|don't|cannot|can't|fails?|broken|wrong|wrongly|instead|crash\w*|overlaps?|nothing|stays?|no longer|not|incorrect(?:ly)?|unexpected(?:ly)?)\b/i;

/** Whether a line that stands before all steps only tells of the test: `Priority: high`. */
export const isAbout = (raw: string): boolean => ABOUT.test(raw.trim());

const NUMBERED_START = /^(?:[^.:"\d]{1,40}:\s*)?1[.)]\s/;

/** `Steps: 1. Open /a 2. Click "B"`: the entries of a list in one line; null for any other line. */
export const listedInLine = (raw: string): readonly string[] | null => {
  if (!raw.includes("2. ") && !raw.includes("2) ")) return null;
  if (!NUMBERED_START.test(raw.trimStart()) || !/\s2[.)]\s/.test(raw)) return null;
  const entries: string[] = [];
  let from = 0;
  for (let number = 1; ; number++) {
    const marks = [raw.indexOf(`${number}. `, from), raw.indexOf(`${number}) `, from)];
    const at = Math.min(...marks.map((mark) => (mark < 0 ? Number.POSITIVE_INFINITY : mark)));
    const isBehind = at < raw.length && (at === 0 || /\s/.test(raw[at - 1] ?? ""));
    if (!isBehind) break;
    entries.push(raw.slice(from, at));
    from = at;
  }
  entries.push(raw.slice(from));
  // A quote that is cut is no end of an entry.
  const isCut = entries.some((entry) => entry.split('"').length % 2 === 0);
  return entries.length < 3 || isCut ? null : entries.filter((entry) => entry.trim() !== "");
};

const mayBeGherkin = startingWith("gw \t\v\f");
const CAPITALS = /\s(?=(?:WHEN|THEN|AND|BUT) )/;

/** `GIVEN … WHEN … AND … THEN …` in one line, its keywords in capitals: a line for each; null for any other line. */
export const gherkinInLine = (raw: string): readonly string[] | null => {
  if (!mayBeGherkin(raw) || !/^\s*(?:GIVEN|WHEN) /.test(raw)) return null;
  if (!raw.includes(" THEN ") || raw.length > 2_000) return null;
  const parts = raw.split(CAPITALS);
  return parts.some((part) => part.split('"').length % 2 === 0) ? null : parts;
};

/** Longer lines are not read: no field could hold what they say, and time stays bounded. */
export const MAX_LINE_LENGTH = 20_000;

/** Lines that do not begin like a sentence: rulers, comments, tags, selectors; null for any other. */
const oddLine = (text: string): Line | null => {
  if (/^(?:[-=_*~]{3,}|```\w*)$/.test(text)) return { kind: "nothing" };
  if (/^#(?:$|[\s#!])/.test(text) || /^\/\/(?:$|[\s/])/.test(text)) return { kind: "nothing" };
  if (/^@[\w-]{1,100}(?:\s+@[\w-]{1,100}){0,50}$/.test(text)) return { kind: "nothing" };
  if (/^<!--(?:(?!-->).)*-->$/.test(text) || /^\/\*(?:(?!\*\/).)*\*\/$/.test(text)) {
    return { kind: "nothing" };
  }
  if (/^#\d{1,3}[.:)]?\s+\S/.test(text)) return null;
  // `#word` is a comment to some and a selector to others, `//word` a comment or an XPath.
  if (/^\/\/[\w*]+(?:\[|\/)/.test(text)) {
    return {
      kind: "unclear",
      message: "Write xpath=// for a selector, or // and a space for a comment.",
    };
  }
  if (text.startsWith("//")) return { kind: "nothing" };
  if (/^#[A-Za-z_][\w-]* (?:should|must|is|has|contains|shows|equals|appears)\b/.test(text)) {
    return { kind: "instruction", text, mood: null };
  }
  if (text.startsWith("#") && /\b(?:should|is|are|must)\b/i.test(text)) {
    return {
      kind: "unclear",
      message: "Write css=# for a selector, or # and a space for a comment.",
    };
  }
  if (text.startsWith("#")) return { kind: "nothing" };
  return null;
};

const mayBeOdd = startingWith("-=_*~`#/@<");
const mayBeStep = startingWith("s-*_");
const mayBeNumbered = startingWith("t*_#");
const mayBeKeyword = startingWith("gwtab");

/** Reads what kind of line it is. Linear in its length. */
export const readLine = (raw: string): Line => {
  let text = raw.trim();
  const special = text === "" ? null : (sectionOf(text) ?? aroundSection(text) ?? rowOf(text));
  if (special) return special;
  if (text === "") return { kind: "nothing" };
  const odd = mayBeOdd(text) ? oddLine(text) : null;
  if (odd) return odd;
  const isTitled = text.includes(":");
  if (isTitled && /^scenario\s*:/i.test(text)) return { kind: "scenario" };
  if (isTitled && /^feature\s*:/i.test(text)) return { kind: "feature" };
  if (mayBeStep(text) && /^(?:[-•] |\* |[*_]+)?step\s*#?\d{1,3}\s*[.:)]?[*_]*$/i.test(text)) {
    return { kind: "nothing" };
  }
  if (mayBeNumbered(text) && NUMBERED.test(text)) return { kind: "nothing" };
  if (isTitled && (ABOUT_WHAT.test(text) || PURPOSE.test(text))) return { kind: "nothing" };
  if (isTitled && text.length < 300 && WRONG.test(text)) {
    return {
      kind: "unclear",
      message: "This tells what happened, which is no part of the test: say what should happen.",
    };
  }
  if (isTitled && (HEADING.test(text) || TITLE.test(text))) return { kind: "nothing" };
  // `[Given] …`, `{color:red}Expected{color}: …`
  if (text.startsWith("["))
    text = text.replace(/^\[(given|when|then|and|but)\]:?\s+(?=\S)/i, "$1 ");
  if (text.includes("{color")) text = text.replaceAll(/\{color(?::[^{}]{1,20})?\}/g, "");
  if (text.startsWith("#")) text = text.replace(/^#\d{1,3}[.:)]?\s+(?=\S)/, "");
  text = withoutBullets(text);
  text = withExamples(withNames(withoutEmphasis(text)));
  const label = labelled(text, text !== raw.trim());
  if (label && "kind" in label) return label;
  if (label) text = label.rest;
  const keyword = mayBeKeyword(text) ? KEYWORD.exec(text) : null;
  if (!keyword) return { kind: "instruction", text, mood: null };
  const word = (keyword[1] ?? "").toLowerCase();
  const mood = word === "given" || word === "when" || word === "then" ? word : null;
  return {
    kind: "instruction",
    text: text.slice(keyword[0].length).replace(/^that (?=(?:i|we|you|the) )/i, ""),
    mood,
  };
};
