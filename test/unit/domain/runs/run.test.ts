import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RunEvent } from "../../../../src/domain/runs/events.ts";
import { type RunCommand, runDecider } from "../../../../src/domain/runs/run.ts";
import { type Verdict, verdict } from "../../../../src/domain/runs/verdict.ts";
import { scenario } from "../../../support/scenario.ts";

const idOf = (n: number) => `019a0000-0000-7000-8000-${String(n).padStart(12, "0")}`;
const runId = idOf(1);
const planned = (n: number) => ({
  executionId: idOf(10 + n),
  testId: idOf(20 + n),
  testVersion: 3,
  testName: `test ${n}`,
  stepCount: 4,
});
const dataOf = (tests: number): Extract<RunEvent, { type: "RunQueued" }>["data"] => ({
  runId,
  projectId: null,
  target: "cloud",
  browsers: ["chromium"],
  baseUrl: null,
  variables: {},
  grammarVersion: 1,
  quotaPeriod: "202511",
  executions: Array.from({ length: tests }, (_, n) => planned(n)),
});
const queued = (tests: number): RunEvent => ({ type: "RunQueued", data: dataOf(tests) });
const started: RunEvent = { type: "RunStarted", data: { runId } };
const outcome = (n: number, status: Verdict) => ({ runId, executionId: idOf(10 + n), status });
const ended = (n: number, status: Verdict): RunEvent => ({
  type: "RunExecutionFinished",
  data: outcome(n, status),
});
const record = (n: number, status: Verdict): RunCommand => ({
  type: "recordOutcome",
  ...outcome(n, status),
});
const none = { passed: 0, failed: 0, flaky: 0, errored: 0, cancelled: 0 };

const run = scenario(runDecider);

describe("run", () => {
  it("is queued once", () => {
    run
      .given([])
      .when({ type: "queue", ...dataOf(2) })
      .then([queued(2)]);
    run
      .given([queued(2)])
      .when({ type: "queue", ...dataOf(2) })
      .thenNothing();
  });

  it("is abandoned once, and cannot be queued afterwards", () => {
    const abandoned: RunEvent = { type: "RunAbandoned", data: { runId } };
    run.given([]).when({ type: "abandon", runId }).then([abandoned]);
    run.given([abandoned]).when({ type: "abandon", runId }).thenNothing();
    run
      .given([abandoned])
      .when({ type: "queue", ...dataOf(2) })
      .thenRefused("run.queueTimeout");
    run.given([abandoned]).when({ type: "start", runId }).thenRefused("run.unknown");
  });

  it("is not abandoned after it was queued", () => {
    run
      .given([queued(2)])
      .when({ type: "abandon", runId })
      .thenNothing();
    run
      .given([queued(2), started])
      .when({ type: "abandon", runId })
      .thenNothing();
  });

  it("starts with its first execution, once", () => {
    run
      .given([queued(1)])
      .when({ type: "start", runId })
      .then([started]);
    run
      .given([queued(1), started])
      .when({ type: "start", runId })
      .thenNothing();
    run.given([]).when({ type: "start", runId }).thenRefused("run.unknown");
  });

  it("continues while executions are unfinished", () => {
    run
      .given([queued(2), started])
      .when(record(0, "failed"))
      .then([ended(0, "failed")]);
    run
      .given([queued(2), started, ended(0, "failed")])
      .when(record(0, "passed"))
      .thenNothing();
  });

  it("ends with the verdict and totals after its last execution", () => {
    run
      .given([queued(2), started, ended(0, "failed")])
      .when(record(1, "flaky"))
      .then([
        ended(1, "flaky"),
        {
          type: "RunFinished",
          data: { runId, status: "failed", totals: { ...none, failed: 1, flaky: 1 } },
        },
      ]);
  });

  it("refuses the outcome of another run's execution", () => {
    run
      .given([queued(1)])
      .when(record(7, "passed"))
      .thenRefused("run.foreignExecution");
  });

  const toStop = (reason: "asked" | "overdue", ...left: number[]): RunEvent => ({
    type: "RunCancelRequested",
    data: { runId, reason, executionIds: left.map((n) => idOf(10 + n)) },
  });
  const cancel = { type: "cancel", runId, reason: "asked" } as const;
  const cancelOne = (n: number): RunCommand => ({
    type: "cancelExecution",
    runId,
    executionId: idOf(10 + n),
  });
  const oneToStop = (n: number): RunEvent => ({
    type: "ExecutionCancelRequested",
    data: { runId, executionId: idOf(10 + n) },
  });
  const cancelledRun = (cancelled: number, passed = 0): RunEvent => ({
    type: "RunCancelled",
    data: { runId, totals: { ...none, cancelled, passed } },
  });

  it("requests the end of unfinished executions on a cancellation, once, and ends cancelled", () => {
    const before = [queued(3), started, ended(0, "passed")];
    run
      .given(before)
      .when(cancel)
      .then([toStop("asked", 1, 2)]);
    run
      .given([...before, toStop("asked", 1, 2)])
      .when(cancel)
      .thenNothing();
    run
      .given([...before, toStop("asked", 1, 2), ended(1, "cancelled")])
      .when(record(2, "passed"))
      .then([ended(2, "passed"), cancelledRun(1, 2)]);
    const over = [...before, toStop("asked", 1, 2), ended(1, "cancelled"), ended(2, "cancelled")];
    run
      .given([...over, cancelledRun(2, 1)])
      .when(cancel)
      .thenNothing();
    run.given([]).when(cancel).thenRefused("run.unknown");
  });

  it("ends with the verdict so far if it takes too long", () => {
    const late = { type: "cancel", runId, reason: "overdue" } as const;
    run
      .given([queued(1), started])
      .when(late)
      .then([toStop("overdue", 0)]);
    run
      .given([queued(1), started, toStop("overdue", 0)])
      .when(record(0, "errored"))
      .then([
        ended(0, "errored"),
        {
          type: "RunFinished",
          data: { runId, status: "errored", totals: { ...none, errored: 1 } },
        },
      ]);
  });

  it("refuses a cancellation after its end and ignores its deadline then", () => {
    const finished: RunEvent = {
      type: "RunFinished",
      data: { runId, status: "passed", totals: { ...none, passed: 1 } },
    };
    const over = [queued(1), started, ended(0, "passed"), finished];
    run.given(over).when(cancel).thenRefused("run.finished");
    run.given(over).when(cancelOne(0)).thenRefused("run.finished");
    run
      .given(over)
      .when({ ...cancel, reason: "overdue" })
      .thenNothing();
  });

  it("does not pass if one execution is cancelled", () => {
    run
      .given([queued(2), started])
      .when(cancelOne(0))
      .then([oneToStop(0)]);
    run
      .given([queued(2), started, oneToStop(0)])
      .when(cancelOne(0))
      .thenNothing();
    run
      .given([queued(2), started, oneToStop(0), ended(0, "cancelled")])
      .when(cancelOne(0))
      .thenNothing();
    run
      .given([queued(2), started, ended(0, "passed")])
      .when(cancelOne(0))
      .thenRefused("run.finished");
    run
      .given([queued(2), started])
      .when(cancelOne(7))
      .thenRefused("run.foreignExecution");
    run
      .given([queued(2), started, oneToStop(0), ended(0, "cancelled")])
      .when(record(1, "passed"))
      .then([ended(1, "passed"), cancelledRun(1, 1)]);
  });

  it("ends exactly once for any outcomes in any order: errored before failed before cancelled before passed", () => {
    const outcomes = fc.array(fc.constantFrom(...verdict.options), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(outcomes, fc.infiniteStream(fc.nat()), (verdicts, picks) => {
        let state = runDecider.evolve(runDecider.initial, queued(verdicts.length));
        const finished: RunEvent[] = [];
        const told = new Set<number>();
        while (told.size < verdicts.length) {
          const n = (picks.next().value ?? 0) % verdicts.length;
          told.add(n);
          const events = runDecider.decide(record(n, verdicts[n] ?? "passed"), state);
          state = events.reduce(runDecider.evolve, state);
          finished.push(
            ...events.filter(({ type }) => type === "RunFinished" || type === "RunCancelled"),
          );
          expect(finished).toHaveLength(told.size === verdicts.length ? 1 : 0);
        }
        const worst = (["errored", "failed", "cancelled"] as const).find((one) =>
          verdicts.includes(one),
        );
        expect(state.status).toBe(worst ?? "passed");
      }),
    );
  });
});
