import { parseAttribute, parseCount, parsePattern, patternToRegExp } from "../values.ts";
import {
  type ActionDefinition,
  anyValue,
  ELEMENT,
  NONE,
  onElement,
  optional,
  type Purpose,
  required,
} from "./definition.ts";

const state = (
  purpose: Purpose,
  word: string,
  python: string,
  typescript: string,
): ActionDefinition =>
  onElement(
    purpose,
    `the element is ${word}`,
    ({ target }) => `${target} should be ${word}`,
    ({ locator }) => `expect(${locator}).${python}()`,
    ({ locator }) => `await expect(${locator}).${typescript}()`,
  );

const pagePattern = (noun: string, python: string, typescript: string): ActionDefinition => ({
  summary: `the page's ${noun}: exact, with * wildcards or a /regex/`,
  target: NONE,
  purpose: "look",
  value: required(`the ${noun}: exact, with * wildcards or a /regex/`),
  checkValue: checkPattern,
  // The grammar asks about "Should be /a/", which may be a path.
  english: ({ value, raw }) =>
    `The ${noun} should ${parsePattern(raw).kind === "regex" ? "match" : "be"} ${value}`,
  python: ({ pattern }) => `expect(page).${python}(${pattern})`,
  typescript: ({ value }) => `await ${typescript}(page, ${value})`,
});

function checkPattern(value: string): string | null {
  try {
    patternToRegExp(parsePattern(value));
    return null;
  } catch {
    return "Not a regular expression. Without slashes around it, it is compared as text.";
  }
}

/** A claim about the content of an element. */
const holds = (
  summary: string,
  purpose: Purpose,
  value: ActionDefinition["value"],
  what: string,
  python: string,
  typescript: string,
): ActionDefinition => ({
  summary,
  purpose,
  target: ELEMENT,
  value,
  checkValue: anyValue,
  english: ({ target, value: said }) => `${target} should ${what} ${said}`,
  python: ({ locator, value: text }) =>
    `expect(${locator}).${python}(${python === "to_contain_text" ? `words(${text})` : text})`,
  typescript: ({ candidates, value: text }) => `await ${typescript}(${text}, ${candidates})`,
});

/** The claims. */
export const claims = {
  assert_visible: onElement(
    "claim",
    "the element is visible",
    ({ target }) => `I should see ${target}`,
    ({ candidates }) => `expect_visible(${candidates})`,
    ({ candidates }) => `await expectVisible(${candidates})`,
  ),
  assert_hidden: onElement(
    "claim",
    "the element is not there, or not visible",
    ({ target }) => `I should not see ${target}`,
    ({ candidates }) => `expect_hidden(${candidates})`,
    ({ candidates }) => `await expectHidden(${candidates})`,
  ),
  assert_enabled: state("look", "enabled", "to_be_enabled", "toBeEnabled"),
  assert_disabled: state("look", "disabled", "to_be_disabled", "toBeDisabled"),
  assert_checked: state("check", "checked", "to_be_checked", "toBeChecked"),
  assert_unchecked: state("check", "unchecked", "not_to_be_checked", "not.toBeChecked"),
  assert_text: holds(
    "the element's text is exactly this (white space folded)",
    "look",
    optional("the text"),
    "have the text",
    "to_have_text",
    "expectText",
  ),
  assert_contains: holds(
    "the element's text contains these words",
    "look",
    required("the text"),
    "contain the text",
    "to_contain_text",
    "expectContains",
  ),
  assert_value: holds(
    "the field's value is exactly this",
    "fill",
    optional("the value"),
    "have the value",
    "to_have_value",
    "expectValue",
  ),
  assert_count: {
    summary: "so many visible elements match",
    purpose: "claim",
    target: ELEMENT,
    value: required("a whole number"),
    checkValue: (value) => (parseCount(value) === null ? "Write a whole number from 0 up." : null),
    english: ({ target, raw, value }) =>
      `There should be ${parseCount(raw) === null ? value : raw} ${target}`,
    python: ({ candidates, raw, value }) =>
      `expect_count(${parseCount(raw) ?? `int(${value})`}, ${candidates})`,
    typescript: ({ candidates, raw, value }) =>
      `await expectCount(${parseCount(raw) ?? `Number(${value})`}, ${candidates})`,
  },
  assert_attribute: {
    summary: "the element has an attribute with this value",
    purpose: "look",
    target: ELEMENT,
    value: required("name=value"),
    checkValue: (value) => (parseAttribute(value) ? null : "Write name=value, such as href=/home."),
    english: ({ target, value }) => `${target} should have the attribute ${value}`,
    python: ({ locator, raw, text }) => {
      const { name, value } = parseAttribute(raw) ?? { name: raw, value: "" };
      return `expect(${locator}).to_have_attribute(${text(name)}, ${text(value)})`;
    },
    typescript: ({ locator, raw, text }) => {
      const { name, value } = parseAttribute(raw) ?? { name: raw, value: "" };
      return `await expect(${locator}).toHaveAttribute(${text(name)}, ${text(value)})`;
    },
  },
  assert_url: pagePattern("URL", "to_have_url", "expectAddress"),
  assert_title: pagePattern("title", "to_have_title", "expectTitle"),
} as const satisfies Record<string, ActionDefinition>;
