import type { PageValue } from "./inPage.ts";
import { type Mutator, NAMED, TEXTUAL } from "./mutator.ts";

declare const document: PageValue;
declare const Option: PageValue;

const NAMES = NAMED;

/** The text of a claim, or the name of an element, is another one. */
export const textMutators: readonly Mutator[] = [
  {
    name: "letters before",
    why: "The text is the end of another word: Active in Inactive.",
    on: [...TEXTUAL, ...NAMES],
    apply: (element, it, use) => {
      if (!/^\p{L}/u.test(it.text)) return false;
      return use.rename(element, it.text, `Un${it.text[0]?.toLowerCase()}${it.text.slice(1)}`);
    },
  },
  {
    name: "letters behind",
    why: "The text is the beginning of another word: Slow in Slowly.",
    on: [...TEXTUAL, ...NAMES],
    apply: (element, it, use) =>
      /\p{L}$/u.test(it.text) && use.rename(element, it.text, `${it.text}ness`),
  },
  {
    name: "letters around",
    why: "The text is the middle of another word: aid in unpaid bills.",
    on: [...TEXTUAL, ...NAMES],
    apply: (element, it, use) =>
      /^[\p{L} ]+$/u.test(it.text) && use.rename(element, it.text, `qu${it.text}xs`),
  },
  {
    name: "digits behind letters",
    why: "A word with a digit is another word: Order in Order2.",
    on: [...TEXTUAL, ...NAMES],
    apply: (element, it, use) =>
      /\p{L}$/u.test(it.text) && use.rename(element, it.text, `${it.text}7`),
  },
  {
    name: "underscore behind",
    why: "An identifier is another word: Name in Name_old.",
    on: [...TEXTUAL, ...NAMES],
    apply: (element, it, use) =>
      /\p{L}$/u.test(it.text) && use.rename(element, it.text, `${it.text}_old`),
  },
  {
    name: "another text",
    why: "The text says something else.",
    on: [...TEXTUAL, ...NAMES],
    apply: (element, it, use) => use.rename(element, it.text, use.other),
  },
  {
    name: "empty",
    why: "The text is gone, the element is there.",
    on: [...TEXTUAL, ...NAMES],
    apply: (element, it, use) => use.rename(element, it.text, ""),
  },
  {
    name: "last letter missing",
    why: "The text is cut.",
    on: [...TEXTUAL, ...NAMES],
    apply: (element, it, use) =>
      it.text.length > 2 && use.rename(element, it.text, it.text.slice(0, -1)),
  },
  {
    name: "first letter missing",
    why: "The text is cut.",
    on: [...TEXTUAL, ...NAMES],
    apply: (element, it, use) =>
      it.text.length > 2 && use.rename(element, it.text, it.text.slice(1)),
  },
  {
    name: "letters swapped",
    why: "The text has a typing error.",
    on: [...TEXTUAL, ...NAMES],
    apply: (element, it, use) => {
      const [a = "", b = "", c = "", ...rest] = it.text;
      if (b === c || it.text.length < 4 || !/^\p{L}{3}/u.test(it.text)) return false;
      return use.rename(element, it.text, [a, c, b, ...rest].join(""));
    },
  },
  {
    name: "first word missing",
    why: "Only a part of the text is there.",
    on: [...TEXTUAL, ...NAMES],
    apply: (element, it, use) =>
      it.text.includes(" ") && use.rename(element, it.text, it.text.replace(/^\S+ /, "")),
  },
  {
    name: "last word missing",
    why: "Only a part of the text is there.",
    on: [...TEXTUAL, ...NAMES],
    apply: (element, it, use) =>
      it.text.includes(" ") && use.rename(element, it.text, it.text.replace(/ \S+$/, "")),
  },
  {
    name: "words swapped",
    why: "The words stand in another order.",
    on: [...TEXTUAL, ...NAMES],
    apply: (element, it, use) => {
      const words = it.text.split(" ");
      const swapped = [...words.slice(1), words[0]].join(" ");
      return words.length > 1 && swapped !== it.text && use.rename(element, it.text, swapped);
    },
  },
  {
    name: "a word between",
    why: "The words are not next to each other: Order not shipped.",
    on: [...TEXTUAL, ...NAMES],
    apply: (element, it, use) =>
      it.text.includes(" ") && use.rename(element, it.text, it.text.replace(" ", " not ")),
  },
  {
    name: "words joined",
    why: "The words are one other word.",
    on: [...TEXTUAL, ...NAMES],
    apply: (element, it, use) =>
      /^\p{L}+( \p{L}+)+$/u.test(it.text) &&
      use.rename(element, it.text, it.text.replaceAll(" ", "")),
  },
  {
    name: "another last word",
    why: "One word is another one.",
    on: [...TEXTUAL, ...NAMES],
    apply: (element, it, use) =>
      it.text.includes(" ") && use.rename(element, it.text, it.text.replace(/\S+$/, use.other)),
  },
  {
    name: "number plus one",
    why: "The number is another one.",
    on: [...TEXTUAL, ...NAMES],
    apply: (element, it, use) =>
      /\d/.test(it.text) &&
      use.rename(
        element,
        it.text,
        it.text.replace(/\d(?=\D*$)/, (digit) => String((Number(digit) + 1) % 10)),
      ),
  },
  {
    name: "a digit before",
    why: "3 is not in 13.",
    on: TEXTUAL,
    apply: (element, it, use) =>
      /\d/.test(it.text) &&
      use.rename(
        element,
        it.text,
        it.text.replace(/\d/, (digit) => `1${digit}`),
      ),
  },
  {
    name: "a digit behind",
    why: "3 is not in 30.",
    on: TEXTUAL,
    apply: (element, it, use) =>
      /(?:^|[^.\d])\d+$/.test(it.text) && use.rename(element, it.text, `${it.text}0`),
  },
  {
    name: "decimals behind",
    why: "3 is not in 3.5.",
    on: TEXTUAL,
    apply: (element, it, use) =>
      /(?:^|[^.\d])\d+$/.test(it.text) && use.rename(element, it.text, `${it.text}.5`),
  },
  {
    name: "thousands before",
    why: "42.50 is not in 1,042.50.",
    on: TEXTUAL,
    apply: (element, it, use) =>
      /^\$?\d+(?:\.\d+)?$/.test(it.text) &&
      use.rename(
        element,
        it.text,
        it.text.replace(/\d+/, (digits) => `1,${digits.padStart(3, "0")}`),
      ),
  },
  {
    name: "negative",
    why: "-3 is not 3.",
    on: TEXTUAL,
    apply: (element, it, use) =>
      /^\$?\d/.test(it.text) && use.rename(element, it.text, `-${it.text}`),
  },
  {
    name: "another currency",
    why: "An amount in euro is not one in dollar.",
    on: TEXTUAL,
    apply: (element, it, use) =>
      it.text.startsWith("$") && use.rename(element, it.text, it.text.replace("$", "€")),
  },
  {
    name: "placeholder instead",
    why: "A placeholder is a hint, and not a text of the page.",
    on: TEXTUAL,
    apply: (element, it, use) => {
      if (!use.retext(element, it.text, "")) return false;
      element.append(Object.assign(document.createElement("input"), { placeholder: it.text }));
      return true;
    },
  },
  {
    name: "title instead",
    why: "A title attribute is seen by nobody who does not hover.",
    on: ["text", "content"],
    apply: (element, it, use) => {
      if (!use.retext(element, it.text, use.other)) return false;
      element.title = it.text;
      return true;
    },
  },
  {
    name: "aria-label instead",
    why: "An accessible name is not drawn.",
    on: ["text", "content"],
    apply: (element, it, use) => {
      if (!use.retext(element, it.text, use.other)) return false;
      element.setAttribute("aria-label", it.text);
      return true;
    },
  },
  {
    name: "alt instead",
    why: "The alternative text of an image that has loaded is not drawn.",
    on: ["text", "content"],
    apply: (element, it, use) => {
      if (!use.retext(element, it.text, use.other)) return false;
      const src = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";
      element.append(Object.assign(document.createElement("img"), { src, alt: it.text }));
      return true;
    },
  },
  {
    name: "an option that is not chosen",
    why: "A closed list shows what is chosen, and nothing else.",
    on: ["text", "content"],
    apply: (element, it, use) => {
      if (!use.retext(element, it.text, use.other)) return false;
      const select = use.html("<select><option>Other</option></select>");
      select.append(new Option(it.text));
      element.append(select);
      return true;
    },
  },
  {
    name: "in a comment",
    why: "A comment is not rendered.",
    on: ["text", "content", "cell"],
    apply: (element, it, use) => {
      if (!use.retext(element, it.text, "")) return false;
      element.append(document.createComment(it.text));
      return true;
    },
  },
  {
    name: "in a script",
    why: "A script is not rendered.",
    on: ["text", "content", "cell"],
    apply: (element, it, use) => {
      if (!use.retext(element, it.text, "")) return false;
      const script = document.createElement("script");
      script.type = "application/json";
      script.textContent = JSON.stringify(it.text);
      element.append(script);
      return true;
    },
  },
  {
    name: "in a data attribute",
    why: "Attributes are not drawn.",
    on: ["text", "content", "cell"],
    apply: (element, it, use) => {
      if (!use.retext(element, it.text, "")) return false;
      element.dataset.value = it.text;
      return true;
    },
  },
];
