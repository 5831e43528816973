import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { diffSteps, summarize } from "../../../../src/domain/catalogue/diff.ts";
import type { Step } from "../../../../src/domain/catalogue/step.ts";

const step = (n: number, value = ""): Step => ({
  id: `019a0000-0000-7000-8000-${String(n).padStart(12, "0")}`,
  action: "click",
  target: `Button ${n}`,
  value,
  description: "",
  optional: false,
  disabled: false,
});
const kinds = (before: readonly Step[], after: readonly Step[]) =>
  diffSteps(before, after).map(({ kind, from, to }) => [kind, from, to]);
const [a, b, c, d] = [step(1), step(2), step(3), step(4)];

describe("the difference of two lists of steps", () => {
  it("given the same steps, then there is none", () => {
    expect(diffSteps([a, b, c], [a, b, c])).toEqual([]);
    expect(summarize([])).toBe("");
  });

  it("given one step more or less, then that one is named, and not those that made room", () => {
    expect(kinds([a, b, c], [a, d, b, c])).toEqual([["added", null, 2]]);
    expect(kinds([a, b, c], [b, c])).toEqual([["removed", 1, null]]);
  });

  it("given a step elsewhere, then that one moved, and none else", () => {
    expect(kinds([a, b, c, d], [b, c, d, a])).toEqual([["moved", 1, 4]]);
    expect(kinds([a, b, c, d], [d, a, b, c])).toEqual([["moved", 4, 1]]);
  });

  it("given other fields, then they are named, with what was and what is", () => {
    const [difference] = diffSteps([a, b], [a, { ...b, value: "x", optional: true }]);
    expect(difference).toMatchObject({
      kind: "changed",
      stepId: b.id,
      fields: ["value", "optional"],
      before: { value: "" },
      after: { value: "x" },
    });
  });

  it("given all of it at once, then a line says how much", () => {
    const differences = diffSteps([a, b, c, d], [step(9), step(8), { ...c, value: "x" }, d, a]);
    expect(summarize(differences)).toBe("2 steps added, 1 removed, 1 changed, 1 moved");
  });

  it("given any two lists, when the difference is applied to the first, then it is the second", () => {
    const list = fc
      .uniqueArray(fc.integer({ min: 1, max: 12 }))
      .chain((ids) =>
        fc.tuple(...ids.map((n) => fc.constantFrom("", "x").map((value) => step(n, value)))),
      );
    fc.assert(
      fc.property(list, list, (before, after) => {
        const differences = diffSteps(before, after);
        const named = new Set(differences.map(({ stepId }) => stepId));
        // What is not named stayed, in its order; what is named says where it is now.
        const made: (Step | undefined)[] = Array.from({ length: after.length });
        for (const { to, after: now, stepId } of differences) {
          if (to !== null && now) made[to - 1] = { id: stepId, ...now };
        }
        const rest = before.filter(({ id }) => !named.has(id));
        expect(made.map((one) => one ?? rest.shift())).toEqual(after);
        expect(rest).toEqual([]);
      }),
    );
  });
});
