import { describe, expect, test } from "vitest";
import { isDeferrable } from "../../../../src/projections/kernel/deferrableEvents.ts";

const mayWait = isDeferrable((runId) => runId === "watched");

describe("deferrable events", () => {
  test.each([
    "ExecutionClaimed",
    "StepPassed",
    "ExecutionFinished",
    "RunExecutionFinished",
    "ReservationUsed",
  ])("include %s of an unwatched run", (type) => {
    expect(mayWait({ type, data: { runId: "unseen" } })).toBe(true);
  });

  test("exclude a passed step of a watched run", () => {
    expect(mayWait({ type: "StepPassed", data: { runId: "watched" } })).toBe(false);
  });

  test.each(["RunQueued", "RunFinished", "RunCancelRequested", "TestCreated", "ExecutionQueued"])(
    "exclude %s also of an unwatched run",
    (type) => {
      expect(mayWait({ type, data: { runId: "unseen" } })).toBe(false);
    },
  );
});
