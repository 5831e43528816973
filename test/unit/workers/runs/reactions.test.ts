import { describe, expect, test } from "vitest";
import { type DispatchEvent, reactionsTo } from "../../../../src/workers/runs/reactions.ts";

const RUN = "0190a000-0000-7000-8000-000000000001";
const EXECUTION = "0190a000-0000-7000-8000-000000000002";
const TEST = "0190a000-0000-7000-8000-000000000003";
const ORGANIZATION = "0190a000-0000-7000-8000-000000000004";

const when = (event: DispatchEvent, subjectId: string) =>
  reactionsTo(event, subjectId, ORGANIZATION, "2025-03-01T10:00:00.000Z");

describe("the dispatcher", () => {
  test("expects the run of a reservation within its month", () => {
    const data = {
      runs: [{ runId: RUN, units: 2 }],
      by: { type: "user" as const, id: "u" },
      limit: 50,
      planEventId: null,
      used: 0,
      reserved: 2,
    };
    expect(when({ type: "RunsReserved", data }, `${ORGANIZATION}_202503`)).toEqual([
      {
        type: "addPendingRuns",
        pending: [{ runId: RUN, organizationId: ORGANIZATION, period: "202503" }],
      },
    ]);
  });

  test("queues each execution of a queued run as pinned and waits for a worker", () => {
    const asked = {
      browsers: ["chromium" as const],
      baseUrl: "http://127.0.0.1:1",
      variables: { name: "Ann" },
      quotaPeriod: "202503",
    };
    const pinned = { testId: TEST, testVersion: 3, testName: "Sign in", stepCount: 4 };
    const data = {
      runId: RUN,
      projectId: null,
      target: "cloud" as const,
      grammarVersion: 1,
      ...asked,
      executions: [{ executionId: EXECUTION, ...pinned }],
    };
    expect(when({ type: "RunQueued", data }, RUN)).toEqual([
      {
        type: "queueExecutions",
        executions: [
          {
            command: { type: "queue", runId: RUN, ...pinned, ...asked },
            dispatch: {
              executionId: EXECUTION,
              organizationId: ORGANIZATION,
              runId: RUN,
              quotaPeriod: "202503",
              deadline: null,
              target: "cloud",
              browsers: ["chromium"],
            },
          },
        ],
      },
      { type: "removePendingRun", runId: RUN },
    ]);
  });

  test("passes retries, limits and deadline of the run to its executions", () => {
    const pinned = { testId: TEST, testVersion: 3, testName: "Sign in", stepCount: 4 };
    const data = {
      runId: RUN,
      projectId: null,
      target: "cloud" as const,
      grammarVersion: 1,
      browsers: ["chromium" as const],
      baseUrl: null,
      variables: {},
      quotaPeriod: "202503",
      executions: [{ executionId: EXECUTION, ...pinned }],
      retries: 2,
      limits: { stepMs: 5_000, testMs: 60_000, runMs: 3_600_000 },
    };
    expect(when({ type: "RunQueued", data }, RUN)).toMatchObject([
      {
        executions: [
          {
            command: { retries: 2, limits: { stepMs: 5_000, testMs: 60_000 } },
            dispatch: { deadline: "2025-03-01T11:00:00.000Z" },
          },
        ],
      },
      {},
    ]);
  });

  test("stops unfinished executions of a stopped run, with its reason", () => {
    const cancelled = { runId: RUN, reason: "overdue" as const, executionIds: [EXECUTION] };
    expect(when({ type: "RunCancelRequested", data: cancelled }, RUN)).toEqual([
      { type: "stopExecutions", executionIds: [EXECUTION], reason: "overdue" },
    ]);
    const one = { runId: RUN, executionId: EXECUTION };
    expect(when({ type: "ExecutionCancelRequested", data: one }, RUN)).toEqual([
      { type: "stopExecutions", executionIds: [EXECUTION], reason: "asked" },
    ]);
  });

  test("removes a cancelled execution from the queue and tells its run", () => {
    expect(when({ type: "ExecutionCancelled", data: { runId: RUN } }, EXECUTION)).toEqual([
      { type: "removeExecution", executionId: EXECUTION },
      {
        type: "commandRun",
        runId: RUN,
        command: {
          type: "recordOutcome",
          runId: RUN,
          executionId: EXECUTION,
          status: "cancelled",
        },
      },
    ]);
  });

  test("starts the run of a claimed execution and uses its unit", () => {
    const data = { runId: RUN, delivery: 2, worker: "w" };
    expect(when({ type: "ExecutionClaimed", data }, EXECUTION)).toEqual([
      { type: "markClaimed", executionId: EXECUTION, delivery: 2 },
      { type: "commandRun", runId: RUN, command: { type: "start", runId: RUN } },
      { type: "useReservation", executionId: EXECUTION },
    ]);
  });

  test("offers the next delivery after a return or a lost worker", () => {
    const requeued = [{ type: "requeue", runId: RUN, executionId: EXECUTION, delivery: 3 }];
    const back = { runId: RUN, delivery: 2, worker: "w" };
    expect(
      when({ type: "ExecutionReturned", data: { ...back, reason: "shutdown" } }, EXECUTION),
    ).toEqual(requeued);
    expect(when({ type: "ExecutionLeaseExpired", data: back }, EXECUTION)).toEqual(requeued);
  });

  test("frees the slot of a finished execution before its run is told", () => {
    const data = { runId: RUN, status: "failed" as const, durationMs: 5, error: "no" };
    expect(when({ type: "ExecutionFinished", data }, EXECUTION)).toEqual([
      { type: "removeExecution", executionId: EXECUTION },
      {
        type: "commandRun",
        runId: RUN,
        command: { type: "recordOutcome", runId: RUN, executionId: EXECUTION, status: "failed" },
      },
    ]);
  });
});
