import { describe, expect, it } from "vitest";
import { fromAgent } from "../../../../src/domain/agents/protocol.ts";
import { stepReports } from "../../../../src/workers/agents/reports.ts";

const on = { type: "step", seq: 1, delivery: 1, attempt: 1, browser: "chromium", number: 2 };
const reportsOf = (step: object) => {
  const execution_id = "0199c2a1-0c4f-7d02-9e33-0a1b2c3d4e5f";
  const message = fromAgent.parse({ ...on, execution_id, ...step });
  if (message.type !== "step") throw new Error("Not a step.");
  return stepReports(message);
};

const evidence = { x: 1, y: 2, width: 3, height: 4, viewport: { width: 1280, height: 720 } };

describe("the step reports of an agent", () => {
  it("keep notes, evidence and problems of the page", () => {
    const notes = ["a link drawn as a button"];
    expect(reportsOf({ status: "passed", duration_ms: 5, notes, evidence })[1]).toEqual({
      ...{ type: "stepPassed", number: 2, durationMs: 5, locator: null, notes, evidence },
    });
    const page = { logged: ["no cart"], exceptions: [], requests: [], more: 0 };
    expect(reportsOf({ status: "failed", error: "gone", page })[1]).toMatchObject({ page });
  });

  it("distinguish gaps from other skipped steps, also of agents that do not say", () => {
    expect(reportsOf({ status: "skipped", error: "No baselines.", gap: true })).toEqual([
      { type: "stepSkipped", number: 2, reason: "No baselines.", gap: true },
    ]);
    expect(reportsOf({ status: "skipped", error: "The step is disabled." })).toEqual([
      { type: "stepSkipped", number: 2, reason: "The step is disabled." },
    ]);
  });
});
