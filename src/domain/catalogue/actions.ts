import {
  MAX_WAIT_MS,
  parseAttribute,
  parseCount,
  parseDuration,
  parseKeyChord,
  parsePattern,
  patternToRegExp,
} from "./values.ts";

/** Whether a field is taken, and in words for a person what belongs in it. */
export type FieldRule = { readonly use: "none" | "optional" | "required"; readonly what: string };

/** How a step is said: `target` and `value` are phrases that the grammar reads back; `raw` is the value as it is. */
export type EnglishParts = {
  readonly target: string;
  readonly value: string;
  readonly raw: string;
};

/** What an element is looked for, which decides what can be meant by a name: nobody fills a heading. */
export type Purpose = "look" | "action" | "fill" | "select" | "check";

/** The Python expressions a step is written with. */
export type PythonParts = {
  /** A locator; for an action without an element `page`. */
  readonly locator: string;
  /** The locators that the target may mean, best first, separated by commas. */
  readonly candidates: string;
  readonly hasTarget: boolean;
  /** The value, as an expression of type str. */
  readonly value: string;
  readonly raw: string;
  /** Any text as an expression of type str, variables put in. */
  text(text: string): string;
  /** The value as a pattern (exact, wildcards, regex) that `expect(page)` takes. */
  readonly pattern: string;
};

/** One action: everything that the service knows about it stands here and nowhere else. */
export type ActionDefinition = {
  readonly summary: string;
  readonly purpose: Purpose;
  readonly target: FieldRule;
  readonly value: FieldRule;
  /** Says what is wrong with a value that is not empty, variables known; null when it is fine. */
  checkValue(value: string): string | null;
  english(parts: EnglishParts): string;
  python(parts: PythonParts): string;
};

const NONE: FieldRule = { use: "none", what: "" };
const ELEMENT: FieldRule = { use: "required", what: 'the element, as in "Save" button' };
const ELEMENT_OR_PAGE: FieldRule = { use: "optional", what: "the element, or empty for the page" };
const required = (what: string): FieldRule => ({ use: "required", what });
const optional = (what: string): FieldRule => ({ use: "optional", what });
const anyValue = () => null;

/** An action on an element alone, or a claim about one. */
const onElement = (
  purpose: Purpose,
  summary: string,
  english: ActionDefinition["english"],
  python: ActionDefinition["python"],
): ActionDefinition => ({
  summary,
  purpose,
  target: ELEMENT,
  value: NONE,
  checkValue: anyValue,
  english,
  python,
});

const state = (purpose: Purpose, word: string, assertion: string): ActionDefinition =>
  onElement(
    purpose,
    `the element is ${word}`,
    ({ target }) => `${target} should be ${word}`,
    ({ locator }) => `expect(${locator}).${assertion}()`,
  );

const pagePattern = (noun: string, assertion: string): ActionDefinition => ({
  summary: `the page's ${noun}: exact, with * wildcards or a /regex/`,
  target: NONE,
  purpose: "look",
  value: required(`the ${noun}: exact, with * wildcards or a /regex/`),
  checkValue: checkPattern,
  english: ({ value }) => `The ${noun} should be ${value}`,
  python: ({ pattern }) => `expect(page).${assertion}(${pattern})`,
});

function checkPattern(value: string): string | null {
  try {
    patternToRegExp(parsePattern(value));
    return null;
  } catch {
    return "Not a regular expression. Without slashes around it, it is compared as text.";
  }
}

const checkDuration = (value: string): string | null => {
  const time = parseDuration(value);
  if (time === null) return "Write a time with its unit, such as 500 ms or 2 s.";
  return time > MAX_WAIT_MS ? "At most 60 s; wait_for waits for an element instead." : null;
};

/** An address of the web, or a path: other schemes (file:, javascript:) never reach the browser. */
const checkAddress = (value: string): string | null =>
  /^(https?:\/\/[^\s/?#]|\/|\?|#|\.\.?\/)/i.test(value) && !/^\/[/\\]/.test(value)
    ? null
    : "Write a full address (https://example.com/page) or a path that starts with /.";

const WAIT_STATES = ["visible", "hidden", "enabled"];

/** The actions, in the order in which they are listed to people. To add one is to add one entry. */
export const actionTable = {
  navigate: {
    summary: "open an address",
    purpose: "look",
    target: NONE,
    value: required("an address, or a path on the base URL"),
    checkValue: checkAddress,
    english: ({ value }) => `Go to ${value}`,
    python: ({ value }) => `page.goto(${value})`,
  },
  click: onElement(
    "action",
    "click the element",
    ({ target }) => `Click ${target}`,
    ({ locator }) => `${locator}.click()`,
  ),
  fill: {
    summary: "put a text into a field, in place of what was in it; an empty text clears it",
    purpose: "fill",
    target: ELEMENT,
    value: optional("the text"),
    checkValue: anyValue,
    english: ({ target, value, raw }) =>
      raw === "" ? `Clear ${target}` : `Fill ${target} with ${value}`,
    python: ({ locator, value }) => `${locator}.fill(${value})`,
  },
  press: {
    summary: "press a key or a chord, in an element or where the focus is",
    purpose: "action",
    target: ELEMENT_OR_PAGE,
    value: required("a key or a chord, such as Enter or Control+A"),
    checkValue: (value) =>
      parseKeyChord(value) ? null : "Not a known key: write Enter, Tab, ArrowDown, a or Control+A.",
    english: ({ target, value }) =>
      target === "" ? `Press the ${value} key` : `Press the ${value} key in ${target}`,
    python: ({ hasTarget, locator, raw, text }) =>
      `${hasTarget ? locator : "page.keyboard"}.press(${text(parseKeyChord(raw) ?? raw)})`,
  },
  select: {
    summary: "choose an option of a dropdown",
    purpose: "select",
    target: ELEMENT,
    value: required("the option's label or value"),
    checkValue: anyValue,
    english: ({ target, value }) => `Select ${value} from ${target}`,
    python: ({ locator, value }) => `${locator}.select_option(${value})`,
  },
  check: onElement(
    "check",
    "tick a checkbox, a radio button or a switch",
    ({ target }) => `Tick ${target}`,
    ({ locator }) => `${locator}.check()`,
  ),
  uncheck: onElement(
    "check",
    "untick a checkbox or a switch",
    ({ target }) => `Untick ${target}`,
    ({ locator }) => `${locator}.uncheck()`,
  ),
  hover: onElement(
    "action",
    "move the mouse over the element",
    ({ target }) => `Hover over ${target}`,
    ({ locator }) => `${locator}.hover()`,
  ),
  wait_for: {
    summary: "wait until the element is visible, hidden or enabled",
    purpose: "look",
    target: ELEMENT,
    value: optional(WAIT_STATES.join(", ")),
    checkValue: (value) =>
      WAIT_STATES.includes(value) ? null : `One of ${WAIT_STATES.join(", ")}; empty is visible.`,
    english: ({ target, raw, value }) => {
      if (raw === "") return `Wait for ${target}`;
      return `Wait until ${target} is ${WAIT_STATES.includes(raw) ? raw : value}`;
    },
    python: ({ locator, candidates, raw }) => {
      if (raw === "hidden") return `expect_hidden(${candidates})`;
      return `expect(${locator}).to_be_${raw === "enabled" ? "enabled" : "visible"}()`;
    },
  },
  wait: {
    summary: "pause for a time, at most 60 s",
    purpose: "look",
    target: NONE,
    value: required("a time, such as 500 ms or 2 s"),
    checkValue: checkDuration,
    english: ({ raw, value }) => `Wait ${parseDuration(raw) === null ? value : raw}`,
    python: ({ raw, value }) => {
      const time = parseDuration(raw);
      return `page.wait_for_timeout(${time ?? `milliseconds(${value})`})`;
    },
  },
  assert_visible: onElement(
    "look",
    "the element is visible",
    ({ target }) => `I should see ${target}`,
    ({ candidates }) => `expect_visible(${candidates})`,
  ),
  assert_hidden: onElement(
    "look",
    "the element is not there, or not visible",
    ({ target }) => `I should not see ${target}`,
    ({ candidates }) => `expect_hidden(${candidates})`,
  ),
  assert_enabled: state("look", "enabled", "to_be_enabled"),
  assert_disabled: state("look", "disabled", "to_be_disabled"),
  assert_checked: state("check", "checked", "to_be_checked"),
  assert_unchecked: state("check", "unchecked", "not_to_be_checked"),
  assert_text: {
    summary: "the element's text is exactly this (white space folded)",
    purpose: "look",
    target: ELEMENT,
    value: optional("the text"),
    checkValue: anyValue,
    english: ({ target, value }) => `${target} should have the text ${value}`,
    python: ({ locator, value }) => `expect(${locator}).to_have_text(${value})`,
  },
  assert_contains: {
    summary: "the element's text contains this",
    purpose: "look",
    target: ELEMENT,
    value: required("the text"),
    checkValue: anyValue,
    english: ({ target, value }) => `${target} should contain the text ${value}`,
    python: ({ locator, value }) => `expect(${locator}).to_contain_text(${value})`,
  },
  assert_value: {
    summary: "the field's value is exactly this",
    purpose: "fill",
    target: ELEMENT,
    value: optional("the value"),
    checkValue: anyValue,
    english: ({ target, value }) => `${target} should have the value ${value}`,
    python: ({ locator, value }) => `expect(${locator}).to_have_value(${value})`,
  },
  assert_count: {
    summary: "so many visible elements match",
    purpose: "look",
    target: ELEMENT,
    value: required("a whole number"),
    checkValue: (value) => (parseCount(value) === null ? "Write a whole number from 0 up." : null),
    english: ({ target, raw, value }) =>
      `There should be ${parseCount(raw) === null ? value : raw} ${target}`,
    python: ({ candidates, raw, value }) =>
      `expect_count(${parseCount(raw) ?? `int(${value})`}, ${candidates})`,
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
  },
  assert_url: pagePattern("URL", "to_have_url"),
  assert_title: pagePattern("title", "to_have_title"),
  screenshot: {
    summary: "take a screenshot of the page or an element",
    purpose: "look",
    target: ELEMENT_OR_PAGE,
    value: optional("a name"),
    checkValue: (value) =>
      /^[^\p{Cc}/\\]{1,200}$/u.test(value) ? null : "At most 200 characters, no slashes.",
    english: ({ target, value, raw }) =>
      `Take a screenshot${target === "" ? "" : ` of ${target}`}${raw === "" ? "" : ` called ${value}`}`,
    python: ({ locator, value, raw }) =>
      `${locator}.screenshot(path=${raw === "" ? "next_screenshot()" : `screenshot_path(${value})`})`,
  },
} as const satisfies Record<string, ActionDefinition>;
