import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { flakinessOf, type Outcome } from "../../../../src/domain/reports/flakiness.ts";

const outcomes = (
  ...said: readonly (readonly [Outcome["status"], version?: number, place?: string])[]
): Outcome[] =>
  said.map(([status, testVersion = 1, place = "here"], index) => ({
    executionId: `e${index}`,
    status,
    testVersion,
    place,
    at: `2026-03-01T00:00:${String(index % 60).padStart(2, "0")}.000Z`,
  }));

describe("flakiness", () => {
  it("is zero for a constant outcome", () => {
    expect(flakinessOf(outcomes(["passed"], ["passed"], ["passed"]))).toEqual({
      executions: 3,
      signs: 0,
      score: 0,
      since: null,
    });
    expect(flakinessOf(outcomes(["failed"], ["failed"])).signs).toBe(0);
    expect(flakinessOf([])).toEqual({ executions: 0, signs: 0, score: 0, since: null });
  });

  it("counts a pass on retry and a changed outcome as signs", () => {
    expect(flakinessOf(outcomes(["passed"], ["flaky"], ["failed"], ["passed"]))).toEqual({
      executions: 4,
      signs: 3,
      score: 0.75,
      since: { executionId: "e1", at: "2026-03-01T00:00:01.000Z" },
    });
  });

  it("ignores changes of test or place, and outcomes that do not count", () => {
    expect(flakinessOf(outcomes(["passed"], ["failed", 2], ["passed", 3])).signs).toBe(0);
    expect(flakinessOf(outcomes(["passed"], ["failed", 1, "there"], ["passed"])).signs).toBe(0);
    expect(flakinessOf(outcomes(["passed"], ["errored"], ["cancelled"], ["passed"]))).toMatchObject(
      {
        executions: 2,
        signs: 0,
      },
    );
  });

  it("ends after ten executions without a sign", () => {
    const calm = Array.from({ length: 10 }, (): readonly ["passed"] => ["passed"]);
    expect(flakinessOf(outcomes(["flaky"], ...calm)).since).toBeNull();
    expect(flakinessOf(outcomes(["flaky"], ...calm.slice(1))).since?.executionId).toBe("e0");
    expect(flakinessOf(outcomes(["flaky"], ...calm, ["flaky"])).since?.executionId).toBe("e11");
  });

  it("has a score from 0 to 1 that is 0 exactly without a sign", () => {
    const status = fc.constantFrom<Outcome["status"]>("passed", "flaky", "failed", "errored");
    fc.assert(
      fc.property(fc.array(fc.tuple(status, fc.integer({ min: 1, max: 3 }))), (said) => {
        const { score, signs, executions } = flakinessOf(outcomes(...said));
        expect(score).toBeGreaterThanOrEqual(0);
        expect(score).toBeLessThanOrEqual(1);
        expect(signs).toBeLessThanOrEqual(executions);
        if (signs === 0) expect(score).toBe(0);
      }),
    );
  });
});
