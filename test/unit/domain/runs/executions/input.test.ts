import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RunEvent } from "../../../../../src/domain/runs/events.ts";
import { givenTo } from "../../../../../src/domain/runs/executions/input.ts";
import type { PlannedExecution } from "../../../../../src/domain/runs/pinned.ts";

const id = (n: number) => `0190c4f0-0000-7000-8000-${String(n).padStart(12, "0")}`;
type RunQueued = Extract<RunEvent, { type: "RunQueued" }>["data"];

const planned: PlannedExecution = {
  executionId: id(1),
  testId: id(2),
  testVersion: 1,
  testName: "Buy",
  stepCount: 1,
  projectId: id(3),
  environmentId: id(4),
  row: { number: 2, values: { user: "row", greeting: "row" } },
};
const run: RunQueued = {
  runId: id(5),
  projectId: null,
  target: "cloud",
  browsers: ["chromium"],
  baseUrl: null,
  variables: { user: "run" },
  grammarVersion: 1,
  quotaPeriod: "202603",
  executions: [planned],
  environments: [
    {
      environmentId: id(4),
      name: "staging",
      baseUrl: "https://staging.example",
      variables: { user: "environment", greeting: "environment", currency: "EUR" },
    },
  ],
};

describe("input of an execution", () => {
  it("prefers variables of the run to those of the row and of the environment", () => {
    expect(givenTo(run, planned)).toEqual({
      baseUrl: "https://staging.example",
      variables: { user: "run", greeting: "row", currency: "EUR" },
      projectId: id(3),
      environmentId: id(4),
      row: planned.row,
    });
    expect(givenTo({ ...run, baseUrl: "https://other.example" }, planned).baseUrl).toBe(
      "https://other.example",
    );
    const { row: _, environmentId: __, ...plain } = planned;
    expect(givenTo(run, plain)).toEqual({
      baseUrl: null,
      variables: { user: "run" },
      projectId: id(3),
    });
  });

  it("contains only the calls that its test reaches", () => {
    const call = (by: number, to: number) => ({
      by: id(by),
      called: `T${to}`,
      testId: id(to),
      testVersion: 1,
    });
    const calls = [call(2, 10), call(10, 11), call(20, 21), call(11, 12)];
    expect(givenTo({ ...run, calls }, planned).calls).toEqual([
      call(2, 10),
      call(10, 11),
      call(11, 12),
    ]);
    expect(givenTo({ ...run, calls: [call(20, 21)] }, planned)).not.toHaveProperty("calls");
  });

  it("resolves each variable from the first source that defines it", () => {
    const names = fc.dictionary(fc.constantFrom("a", "b", "c"), fc.string());
    fc.assert(
      fc.property(names, names, names, (own, row, environment) => {
        const [first] = run.environments ?? [];
        if (!first) throw new Error("The run has an environment");
        const given = givenTo(
          { ...run, variables: own, environments: [{ ...first, variables: environment }] },
          { ...planned, row: { number: 1, values: row } },
        );
        for (const name of ["a", "b", "c"]) {
          expect(given.variables[name]).toBe(own[name] ?? row[name] ?? environment[name]);
        }
      }),
    );
  });
});
