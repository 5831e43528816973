import { describe, expect, it } from "vitest";
import { defaultVisualSettings } from "../../../../../src/domain/baselines/settings.ts";
import {
  type ExecutionCommand,
  executionDecider,
} from "../../../../../src/domain/runs/executions/execution.ts";
import type { ProgressEvent } from "../../../../../src/domain/runs/executions/progress.ts";
import type { Execution } from "../../../../../src/domain/runs/executions/state.ts";
import { runDecider } from "../../../../../src/domain/runs/run.ts";

const runId = "00000000-0000-4000-8000-000000000001";
const executionId = "00000000-0000-4000-8000-000000000002";
const id = "00000000-0000-4000-8000-000000000003";
const held = { worker: "w", delivery: 1 };
const picture = { key: "k", sha256: "h", width: 1, height: 1 };
const at = (attempt: number) => ({ runId, attempt, delivery: 1, browser: "chromium" as const });
const found = { sizeDiffers: false, diff: null };

const compared = (
  attempt: number,
  number: number,
  outcome: "same" | "different" | "proposed",
  passedOver = false,
): ProgressEvent => ({
  type: "VisualCompared",
  data: {
    ...at(attempt),
    number,
    testId: id,
    stepId: id,
    viewport: "1x1",
    outcome,
    pixels: outcome === "different" ? 5 : 0,
    ratio: 0,
    ...found,
    actual: picture,
    baseline: outcome === "proposed" ? null : picture,
    threshold: 0.2,
    allowed: 0,
    passedOver,
  },
});
const ended = (
  attempt: number,
  status: "passed" | "failed" | "errored",
  onlyPictures = false,
): ProgressEvent => ({
  type: "BrowserFinished",
  data: { ...at(attempt), status, durationMs: 1, error: "wrong", onlyPictures },
});
type Status = "passed" | "flaky" | "failed" | "errored";

const execution = (status: Status, ...progress: ProgressEvent[]): Execution => {
  const commands: ExecutionCommand[] = [
    {
      type: "queue",
      runId,
      testId: id,
      testVersion: 1,
      testName: "t",
      stepCount: 1,
      browsers: ["chromium"],
      baseUrl: null,
      variables: {},
      quotaPeriod: "202501",
    },
    { type: "claim", ...held },
    { type: "report", ...held, progress },
    { type: "finish", ...held, status, durationMs: 1, error: null },
  ];
  const { decide, evolve, initial } = executionDecider;
  return commands.reduce((state, command) => decide(command, state).reduce(evolve, state), initial);
};
const judge = (
  attempt: number,
  number: number,
  outcome: "same" | "different",
): ExecutionCommand => ({
  type: "rejudge",
  settings: defaultVisualSettings,
  pictures: [
    {
      ...{ attempt, browser: "chromium", number, outcome, ratio: 0 },
      ...found,
      pixels: outcome === "different" ? 3 : 0,
    },
  ],
});
const verdicts = (command: ExecutionCommand, state: Execution) =>
  executionDecider
    .decide(command, state)
    .flatMap((event) => (event.type === "ExecutionVerdictChanged" ? [event.data] : []));

describe("judging pictures of an execution again", () => {
  it("passes a test that failed only because of a picture", () => {
    const state = execution("failed", compared(1, 2, "different"), ended(1, "failed", true));
    expect(verdicts(judge(1, 2, "same"), state)).toEqual([
      { runId, from: "failed", to: "passed", error: null },
    ]);
    const { decide, evolve } = executionDecider;
    const after = decide(judge(1, 2, "same"), state).reduce(evolve, state);
    expect(decide(judge(1, 2, "same"), after)).toEqual([]);
    expect(verdicts(judge(1, 2, "different"), after)).toMatchObject([
      { from: "passed", to: "failed", error: expect.stringContaining("Step 2 failed") },
    ]);
  });

  it("keeps the verdict if something else failed too", () => {
    const state = execution("failed", compared(1, 2, "different"), ended(1, "failed"));
    expect(executionDecider.decide(judge(1, 2, "same"), state).map(({ type }) => type)).toEqual([
      "VisualRejudged",
    ]);
  });

  it("requires every picture to match", () => {
    const state = execution(
      "failed",
      compared(1, 2, "different"),
      compared(1, 3, "different"),
      ended(1, "failed", true),
    );
    expect(verdicts(judge(1, 2, "same"), state)).toEqual([]);
  });

  it("ignores pictures of optional steps", () => {
    const state = execution("passed", compared(1, 2, "same", true), ended(1, "passed"));
    expect(verdicts(judge(1, 2, "different"), state)).toEqual([]);
  });

  it("turns a failed second attempt into a flaky test", () => {
    const state = execution(
      "failed",
      ended(1, "failed"),
      compared(2, 1, "different"),
      ended(2, "failed", true),
    );
    expect(verdicts(judge(2, 1, "same"), state)).toMatchObject([{ to: "flaky" }]);
  });

  it("turns a flaky test into a passed one if its first picture matches", () => {
    const state = execution(
      "flaky",
      compared(1, 1, "different"),
      ended(1, "failed", true),
      ended(2, "passed"),
    );
    expect(verdicts(judge(1, 1, "same"), state)).toMatchObject([{ from: "flaky", to: "passed" }]);
  });

  it("ignores a picture without a baseline or of another step", () => {
    const state = execution("passed", compared(1, 2, "proposed"), ended(1, "passed"));
    expect(executionDecider.decide(judge(1, 2, "different"), state)).toEqual([]);
    expect(executionDecider.decide(judge(1, 7, "different"), state)).toEqual([]);
  });

  it("is refused while the execution runs", () => {
    expect(() => executionDecider.decide(judge(1, 2, "same"), executionDecider.initial)).toThrow(
      "not ended yet",
    );
  });
});

describe("a run with an execution that is judged again", () => {
  const { decide, evolve, initial } = runDecider;
  const other = "00000000-0000-4000-8000-000000000009";
  const planned = (one: string) => ({
    ...{ executionId: one, testId: one, testVersion: 1, testName: "t", stepCount: 1 },
  });
  const commands: Parameters<typeof decide>[0][] = [
    {
      type: "queue",
      runId,
      projectId: null,
      target: "cloud",
      browsers: ["chromium"],
      baseUrl: null,
      variables: {},
      grammarVersion: 1,
      quotaPeriod: "202501",
      executions: [planned(executionId), planned(other)],
    },
    { type: "recordOutcome", runId, executionId, status: "failed" },
    { type: "recordOutcome", runId, executionId: other, status: "passed" },
  ];
  const having = (...some: Parameters<typeof decide>[0][]) =>
    some.reduce((state, command) => decide(command, state).reduce(evolve, state), initial);
  const change = { type: "changeOutcome", runId, executionId, status: "passed" } as const;

  it("updates its verdict and totals, once", () => {
    const [event] = decide(change, having(...commands));
    expect(event).toMatchObject({
      type: "RunVerdictChanged",
      data: {
        before: "failed",
        outcome: "passed",
        status: "passed",
        totals: { passed: 2, failed: 0 },
      },
    });
    const judged = having(...commands, change);
    expect(judged.status).toBe("passed");
    expect(decide(change, judged)).toEqual([]);
  });

  it("applies the new verdict at its end while it is running", () => {
    const early = having(...commands.slice(0, 2), change);
    expect(early.status).toBe("queued");
    expect(having(...commands.slice(0, 2), change, ...commands.slice(2)).status).toBe("passed");
  });
});
