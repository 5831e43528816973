import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_FIELD_BYTES, MAX_STEPS } from "../../../../src/domain/catalogue/step.ts";
import {
  actionDefinitions,
  actionNames,
  isAction,
  problemsOf,
  validateSteps,
} from "../../../../src/domain/catalogue/vocabulary.ts";

const problems = (draft: Parameters<typeof validateSteps>[0][number]) => {
  const result = validateSteps([draft]);
  return result.ok ? [] : result.problems;
};

describe("the vocabulary", () => {
  it("contains exactly the executable actions", () => {
    expect(actionNames).toEqual(
      (
        "navigate click double_click right_click hover focus fill type clear press select check uncheck " +
        "upload drag scroll wait_for wait assert_visible assert_hidden " +
        "assert_enabled assert_disabled assert_checked assert_unchecked assert_text assert_contains " +
        "assert_value assert_count assert_attribute assert_url assert_title screenshot visual_check " +
        "go_back go_forward reload accept_dialog dismiss_dialog switch_frame switch_tab set_viewport store call_test"
      ).split(" "),
    );
    expect(isAction("constructor")).toBe(false);
    expect(isAction("click")).toBe(true);
  });

  it("describes each action", () => {
    for (const name of actionNames) {
      const { summary, target, value } = actionDefinitions[name];
      expect(summary).not.toBe("");
      for (const rule of [target, value])
        expect(rule.use === "none" || rule.what !== "").toBe(true);
    }
  });
});

describe("validating steps", () => {
  it("adds defaults and keeps other fields of a draft", () => {
    expect(validateSteps([{ action: "click", target: "Save", id: "7" }])).toEqual({
      ok: true,
      steps: [
        {
          id: "7",
          action: "click",
          target: "Save",
          value: "",
          description: "",
          optional: false,
          disabled: false,
        },
      ],
    });
  });

  it.each([
    ["clik", /Did you mean click\?/],
    ["assert_visibel", /Did you mean assert_visible\?/],
    ["Assert Visible", /Did you mean assert_visible\?/],
    ["dance", /Unknown action "dance"\. Known actions: navigate, click, double_click/],
    ["", /Unknown action ""/],
    ["__proto__", /Unknown action/],
  ])("names the known actions for the unknown action %j", (action, message) => {
    expect(problems({ action })).toEqual([
      { position: 1, field: "action", message: expect.stringMatching(message) },
    ]);
  });

  it.each([
    [{ action: "click" }, "target", /needs a target/],
    [{ action: "click", target: "  " }, "target", /needs a target/],
    [{ action: "click", target: "a", value: "b" }, "value", /takes no value/],
    [{ action: "navigate", target: "/a", value: "/a" }, "target", /takes no target/],
    [{ action: "navigate" }, "value", /needs a value/],
    [{ action: "navigate", value: "javascript:alert(1)" }, "value", /full address/],
    [{ action: "navigate", value: "file:///etc/passwd" }, "value", /full address/],
    [{ action: "navigate", value: "//evil.test" }, "value", /full address/],
    [{ action: "navigate", value: "login" }, "value", /full address/],
    [{ action: "press", value: "Entre" }, "value", /known key/],
    [{ action: "wait", value: "2" }, "value", /unit/],
    [{ action: "wait", value: "61 s" }, "value", /60 s/],
    [{ action: "wait_for", target: "a", value: "gone" }, "value", /visible, hidden, enabled/],
    [{ action: "assert_count", target: "a", value: "-1" }, "value", /whole number/],
    [{ action: "assert_attribute", target: "a", value: "href" }, "value", /name=value/],
    [{ action: "assert_url", value: "/(/" }, "value", /regular expression/],
    [{ action: "screenshot", value: "../x" }, "value", /slashes/],
    [{ action: "screenshot", value: "${secret.x}" }, "value", /must not contain a secret/],
    [{ action: "call_test" }, "target", /name or id/],
    [{ action: "call_test", target: "Log in as ${user}" }, "target", /before any variable/],
    [{ action: "call_test", target: "Log in", value: "x" }, "value", /no value/],
    [{ action: "scroll" }, "value", /a target or a value/],
    [{ action: "scroll", value: "sideways" }, "value", /top, bottom/],
    [{ action: "set_viewport", value: "1280" }, "value", /1280x720/],
    [{ action: "set_viewport", value: "99999x10" }, "value", /1280x720/],
    [{ action: "store", target: "a", value: "secret.x" }, "value", /secret/],
    [{ action: "store", target: "a", value: "1a" }, "value", /letter/],
    [{ action: "upload", target: "a", value: "../x" }, "value", /file/],
    [{ action: "fill", target: "a", value: "\ud800" }, "value", /surrogate/],
    [{ action: "fill", target: "a", value: "\0" }, "value", /NUL/],
    [{ action: "fill", target: "a", value: "é".repeat(MAX_FIELD_BYTES / 2 + 1) }, "value", /bytes/],
  ])("rejects %j", (draft, field, message) => {
    expect(problems(draft)).toContainEqual({
      position: 1,
      field,
      message: expect.stringMatching(message),
    });
  });

  it.each([
    { action: "fill", target: "Email" },
    { action: "assert_value", target: "Email", value: "" },
    { action: "press", value: "ctrl+shift+p" },
    { action: "press", target: "Search", value: "Enter" },
    { action: "wait", value: "60 s" },
    { action: "wait", value: "$" + "{pause}" },
    { action: "navigate", value: "$" + "{base}/login" },
    { action: "navigate", value: "https://x.test/a?b#c" },
    { action: "assert_title", value: "/^Home$/i" },
    { action: "screenshot" },
    { action: "fill", target: "a", value: "é".repeat(MAX_FIELD_BYTES / 2) },
  ])("accepts %j", (draft) => {
    expect(problems(draft)).toEqual([]);
  });

  it("names invalid steps, counted from 1", () => {
    const result = validateSteps([
      { action: "screenshot" },
      { action: "jump" },
      { action: "click" },
    ]);
    expect(result.ok ? [] : result.problems.map(({ position }) => position)).toEqual([2, 3]);
  });

  it("accepts the maximum number of steps and rejects one more", () => {
    const steps = Array.from({ length: MAX_STEPS }, () => ({ action: "screenshot" }));
    expect(validateSteps(steps).ok).toBe(true);
    expect(validateSteps([...steps, { action: "screenshot" }])).toMatchObject({
      ok: false,
      problems: [{ field: "steps", message: expect.stringMatching(/at most 500/) }],
    });
  });

  it("never throws", () => {
    const step = fc.record({
      action: fc.oneof(fc.constantFrom(...actionNames), fc.string()),
      target: fc.string({ unit: "binary" }),
      value: fc.string({ unit: "binary" }),
    });
    fc.assert(
      fc.property(step, (draft) => {
        const found = problemsOf({ ...draft, description: "", optional: false, disabled: false });
        expect(found.every(({ message }) => message.length > 0)).toBe(true);
      }),
    );
  });
});
