import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type ActionName,
  actionDefinitions,
  actionNames,
  problemsOf,
} from "../../../../src/domain/catalogue/vocabulary.ts";
import { describeStep, parseEnglish } from "../../../../src/domain/english/index.ts";

const step = (action: string, target = "", value = "", optional = false) => ({
  action,
  target,
  value,
  optional,
});

const words = fc.constantFrom(
  ..."Save button the first \"x\" 'y' field and then in section row `z` css=a Enter 2 not [ * \\ \n ${v} /".split(
    " ",
  ),
);
const texts = fc.oneof(
  fc.string(),
  fc.string({ unit: "binary", maxLength: 20 }),
  fc.array(words, { minLength: 1, maxLength: 6 }).map((list) => list.join(" ")),
);

const values: Partial<Record<ActionName, fc.Arbitrary<string>>> = {
  navigate: fc.oneof(
    fc.webUrl(),
    texts.map((text) => `/${text}`),
  ),
  press: fc.constantFrom(
    "Enter",
    "Control+A",
    "ctrl+a",
    "Delete",
    "a",
    '"',
    "Shift+Tab",
    "ArrowDown",
  ),
  wait: fc.constantFrom("2 s", "500 ms", "1.5 seconds", "1 minute", "2s"),
  wait_for: fc.constantFrom("", "visible", "hidden", "enabled"),
  scroll: fc.constantFrom("", "top", "bottom", "500", "-200", "30 px"),
  set_viewport: fc.constantFrom("1280x720", "800 x 600", "iPhone 13", "pixel 7"),
  store: fc.constantFrom("total", "order_id", "a.b-c"),
  assert_count: fc.nat(1000).map(String),
  assert_attribute: texts.map((text) => `href=${text}`),
};

const none: readonly string[] = actionNames.filter(
  (name) => actionDefinitions[name].target.use === "none",
);

const steps = fc
  .constantFrom(...actionNames)
  .chain((action) =>
    fc.record({
      action: fc.constant(action),
      target: none.includes(action) ? fc.constant("") : texts,
      value:
        actionDefinitions[action].value.use === "none"
          ? fc.constant("")
          : (values[action] ?? fc.oneof(texts, fc.constant(""))),
      optional: fc.boolean(),
    }),
  )
  .map((drawn) => ({ ...drawn, description: "", disabled: false }))
  .map((drawn) =>
    problemsOf({ ...drawn, target: drawn.target || "x" }).some(
      ({ field, message }) => field === "value" && message.includes("takes no"),
    )
      ? { ...drawn, value: "" }
      : drawn,
  )
  .filter((drawn) => problemsOf(drawn).length === 0);

describe("describing a step", () => {
  it.each([
    [step("navigate", "", "/login"), "Go to /login"],
    [step("click", '"Sign in" button'), 'Click the "Sign in" button'],
    [step("click", "Sign in link"), "Click the Sign in link"],
    [step("fill", "Email", "a"), 'Fill "Email" with "a"'],
    [step("fill", "Email field", ""), 'Fill the Email field with ""'],
    [step("clear", "Email field"), "Clear the Email field"],
    [step("double_click", "Row"), 'Double-click "Row"'],
    [step("scroll", "", "bottom"), "Scroll to the bottom of the page"],
    [step("switch_tab", "2"), "Switch to tab 2"],
    [step("set_viewport", "", "800x600"), "Set the viewport to 800x600"],
    [step("store", "#total", "sum"), 'Store the text of #total as "sum"'],
    [step("press", "", "Enter"), "Press the Enter key"],
    [step("select", "Country dropdown", "Canada"), 'Select "Canada" from the Country dropdown'],
    [step("wait", "", "2 s"), "Wait 2 s"],
    [step("assert_visible", "Welcome"), 'I should see "Welcome"'],
    [step("assert_count", "items", "3"), "There should be 3 items"],
    [step("assert_disabled", "first Save button"), "The first Save button should be disabled"],
    [step("assert_title", "", "Home"), 'The title should be "Home"'],
    [step("assert_url", "", "/cart"), 'The URL should be "/cart"'],
    [step("assert_url", "", "/c.t/"), 'The URL should match "/c.t/"'],
    [step("assert_url", "", "/ /"), 'The URL should match "/ /"'],
    [step("click", "css=ul > li"), "Click css=ul > li"],
    [step("click", "Accept", "", true), 'Optionally, click "Accept"'],
    [step("drag", "x", "%"), 'Drag "x" to "%"'],
    [step("switch_frame", "2"), "Switch to the frame `2`"],
    [step("scroll", "2"), 'Scroll to "2"'],
  ])("says %j as %s", (given, sentence) => {
    expect(describeStep(given)).toBe(sentence);
  });

  it("says every step so that it is read back", () => {
    fc.assert(
      fc.property(steps, (given) => {
        const sentence = describeStep(given);
        const { steps: read, warnings } = parseEnglish(sentence);
        const { action, target, value, optional } = given;
        expect({ sentence, warnings, read }).toMatchObject({
          warnings: [],
          read: [{ action, target, value, optional }],
        });
        expect(read).toHaveLength(1);
      }),
      { numRuns: 1000 },
    );
  });

  it("reads back what it says of names that look like amounts or rows", () => {
    for (const given of [
      step("drag", "x", "%"),
      step("drag", "x", "50%"),
      step("switch_frame", "2"),
      step("scroll", "300 px"),
      // A bar divides the cells of a row, but not a text in quotes.
      step("store", " | ", "total"),
      step("click", "a | b"),
      step("fill", "it's | x", "'y' | `z`"),
    ]) {
      const { steps: read, warnings } = parseEnglish(describeStep(given));
      expect({ warnings, read }).toMatchObject({ warnings: [], read: [given] });
    }
  });

  it("says something of a step that it does not know", () => {
    expect(describeStep(step("dance", "x", "y"))).toBe("dance x y");
  });
});
