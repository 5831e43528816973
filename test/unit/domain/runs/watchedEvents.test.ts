import { describe, expect, it } from "vitest";
import { executionDecider } from "../../../../src/domain/runs/executions/execution.ts";
import { runDecider } from "../../../../src/domain/runs/run.ts";
import { runEventNames, watched, watchedTypes } from "../../../../src/domain/runs/watchedEvents.ts";

const runId = "019a0000-0000-7000-8000-000000000001";
const executionId = "019a0000-0000-7000-8000-000000000002";

describe("watched events of a run", () => {
  it("report the first claim as a start and later ones as redeliveries", () => {
    const claim = (delivery: number) =>
      watched({ type: "ExecutionClaimed", data: { runId, delivery, worker: "w" } }, executionId);
    expect(claim(1)).toMatchObject({ name: "execution_started", delivery: 1, run_id: runId });
    expect(claim(2)).toMatchObject({ name: "execution_redelivered", delivery: 2 });
    expect(claim(3)?.execution_id).toBe(executionId);
  });

  it("include position, duration, locator and error of a failed step", () => {
    const event = watched(
      {
        type: "StepFailed",
        data: {
          runId,
          attempt: 1,
          delivery: 2,
          browser: "chromium",
          number: 3,
          durationMs: 51,
          error: "no button named Save",
          locator: null,
          passedOver: false,
        },
      },
      executionId,
    );
    expect(event).toEqual({
      run_id: runId,
      name: "step_failed",
      execution_id: executionId,
      browser: "chromium",
      attempt: 1,
      delivery: 2,
      step_number: 3,
      data: {
        duration_ms: 51,
        locator: null,
        error: "no button named Save",
        passed_over: false,
      },
    });
  });

  it("omit events that only concern workers", () => {
    const data = { runId, delivery: 1, worker: "w" };
    expect(watched({ type: "ExecutionLeaseExpired", data }, executionId)).toBeNull();
  });

  it("are defined for exactly the watched event types", () => {
    const known = [...runDecider.codec.types, ...executionDecider.codec.types];
    expect(watchedTypes.every((type) => known.includes(type))).toBe(true);
    const unseen = known.filter((type) => !watchedTypes.some((one) => one === type));
    expect(unseen.sort()).toEqual([
      "AttemptFinished",
      "EvidenceDeleted",
      "EvidenceExpired",
      "EvidenceKept",
      "ExecutionCancelRequested",
      "ExecutionLeaseExpired",
      "ExecutionReturned",
      "ExecutionVerdictChanged",
      "ResultsImported",
      "RunAbandoned",
      "RunCancelRequested",
      "RunExecutionFinished",
      "RunImported",
      "RunVerdictChanged",
      "ScreenshotLost",
      "VisualRejudged",
    ]);
    expect(new Set(runEventNames).size).toBe(runEventNames.length);
  });
});
