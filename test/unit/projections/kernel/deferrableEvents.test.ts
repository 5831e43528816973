import { describe, expect, test } from "vitest";
import { isDeferrable } from "../../../../src/projections/kernel/deferrableEvents.ts";

const mayWait = isDeferrable((runId) => runId === "watched");

describe("what the read models may leave for a moment", () => {
  test.each([
    "ExecutionClaimed",
    "StepPassed",
    "ExecutionFinished",
    "RunExecutionFinished",
    "ReservationUsed",
  ])("given a run that nobody watches, when it is %s, then it may wait", (type) => {
    expect(mayWait({ type, data: { runId: "unseen" } })).toBe(true);
  });

  test("given a run that somebody watches, when a step has passed, then it may not", () => {
    expect(mayWait({ type: "StepPassed", data: { runId: "watched" } })).toBe(false);
  });

  test.each(["RunQueued", "RunFinished", "RunCancelRequested", "TestCreated", "ExecutionQueued"])(
    "given what people wait for, when it is %s, then it may not",
    (type) => {
      expect(mayWait({ type, data: { runId: "unseen" } })).toBe(false);
    },
  );
});
