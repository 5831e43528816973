import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Step } from "../../../../src/domain/catalogue/step.ts";
import { keepStepIds } from "../../../../src/domain/catalogue/stepIds.ts";

/** Steps written as `action target value`, with ids made of a prefix and their place. */
const steps = (prefix: string, lines: readonly string[]): Step[] =>
  lines.map((line, index) => {
    const [action = "", target = "", value = ""] = line.split(" ");
    return {
      id: `${prefix}${index + 1}`,
      action,
      target,
      value,
      description: "",
      optional: false,
      disabled: false,
    };
  });

const kept = (before: string[], after: string[]): string[] =>
  keepStepIds(steps("old", before), steps("new", after)).map((step) => step.id);

describe("step ids of a replaced list", () => {
  it("keep all old ids around an insertion", () => {
    expect(kept(["open a", "click b"], ["open a", "fill c x", "click b"])).toEqual([
      "old1",
      "new2",
      "old2",
    ]);
  });

  it("keep the id of a step with a changed value", () => {
    expect(kept(["fill name ann"], ["fill name bob"])).toEqual(["old1"]);
  });

  it("assign a new id to a step with a changed target", () => {
    expect(kept(["click save"], ["click cancel"])).toEqual(["new1"]);
  });

  it("keep one id per remaining duplicate", () => {
    expect(kept(["click x", "wait . 1", "click x"], ["click x", "click x"])).toEqual([
      "old1",
      "old3",
    ]);
  });

  it("keep the ids of two swapped steps", () => {
    // One stays in sequence; the other is found among what is left.
    expect(new Set(kept(["click a", "click b"], ["click b", "click a"]))).toEqual(
      new Set(["old1", "old2"]),
    );
  });

  it("prefer the step with the same value among equal targets", () => {
    expect(kept(["fill a 1", "fill a 2"], ["fill a 2"])).toEqual(["old2"]);
  });
});

describe("step ids of any lists", () => {
  const line = fc
    .tuple(fc.constantFrom("click", "fill"), fc.constantFrom("a", "b"), fc.constantFrom("1", "2"))
    .map((words) => words.join(" "));
  const lines = fc.array(line, { maxLength: 12 });

  it("are unique, change no other field and stay the same on a repeat", () => {
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const fresh = steps("new", after);
        const result = keepStepIds(steps("old", before), fresh);
        expect(new Set(result.map(({ id }) => id)).size).toBe(result.length);
        expect(result.map(({ id: _, ...rest }) => rest)).toEqual(
          fresh.map(({ id: _, ...rest }) => rest),
        );
        expect(keepStepIds(result, steps("third", after))).toEqual(result);
      }),
    );
  });

  it("are kept only for the same action and target", () => {
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const old = new Map(steps("old", before).map((step) => [step.id, step]));
        for (const step of keepStepIds([...old.values()], steps("new", after))) {
          const from = old.get(step.id);
          if (from) expect([from.action, from.target]).toEqual([step.action, step.target]);
        }
      }),
    );
  });
});
