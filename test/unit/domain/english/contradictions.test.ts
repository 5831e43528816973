import { describe, expect, it } from "vitest";
import { parseEnglish } from "../../../../src/domain/english/index.ts";

const actionsOf = (text: string) => parseEnglish(text).steps.map(({ action }) => action);

describe("a sentence that asserts opposites of one element", () => {
  it.each([
    ["Verify that the Pay button is both enabled and disabled", "enabled and disabled"],
    ["Verify that the Pay button is enabled and disabled", "enabled and disabled"],
    ['Verify that "Done" is visible and hidden', "visible and hidden"],
    ['Check that the box "A" is checked and unchecked', "checked and unchecked"],
  ])("gives a warning and no step: %s", (sentence, opposites) => {
    const { steps, warnings } = parseEnglish(`Go to /\n${sentence}\nClick "Pay"`);
    expect(steps.map(({ action }) => action)).toEqual(["navigate", "click"]);
    expect(warnings).toMatchObject([
      { line: 2, text: sentence, message: expect.stringContaining(opposites) },
    ]);
    for (const suggestion of warnings[0]?.suggestions ?? []) {
      expect(parseEnglish(suggestion).warnings).toEqual([]);
    }
    expect(warnings[0]?.suggestions).toHaveLength(2);
  });

  it("is none if it tells a change, or two elements", () => {
    const change = ["assert_disabled", "assert_enabled"];
    expect(actionsOf("Verify the Pay button is disabled, then enabled")).toEqual(change);
    const sentences = 'Verify that "A" is visible\nVerify that "A" is hidden';
    expect(actionsOf(sentences)).toEqual(["assert_visible", "assert_hidden"]);
    expect(actionsOf('Verify that "A" is visible and "B" is hidden')).toHaveLength(2);
  });
});
