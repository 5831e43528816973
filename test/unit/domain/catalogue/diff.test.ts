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

describe("diff of two lists of steps", () => {
  it("is empty for equal lists", () => {
    expect(diffSteps([a, b, c], [a, b, c])).toEqual([]);
    expect(summarize([])).toBe("");
  });

  it("names an added or removed step and not the shifted ones", () => {
    expect(kinds([a, b, c], [a, d, b, c])).toEqual([["added", null, 2]]);
    expect(kinds([a, b, c], [b, c])).toEqual([["removed", 1, null]]);
  });

  it("names only the step that moved", () => {
    expect(kinds([a, b, c, d], [b, c, d, a])).toEqual([["moved", 1, 4]]);
    expect(kinds([a, b, c, d], [d, a, b, c])).toEqual([["moved", 4, 1]]);
  });

  it("names changed fields with their old and new values", () => {
    const [difference] = diffSteps([a, b], [a, { ...b, value: "x", optional: true }]);
    expect(difference).toMatchObject({
      kind: "changed",
      stepId: b.id,
      fields: ["value", "optional"],
      before: { value: "" },
      after: { value: "x" },
    });
  });

  it("summarises several changes in one line", () => {
    const differences = diffSteps([a, b, c, d], [step(9), step(8), { ...c, value: "x" }, d, a]);
    expect(summarize(differences)).toBe("2 steps added, 1 removed, 1 changed, 1 moved");
  });

  it("turns the first list into the second for any two lists", () => {
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
