import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  isQuarantined,
  type QuarantineEvent,
  quarantineDecider,
} from "../../../../src/domain/quarantine/quarantine.ts";
import type { RunEvent } from "../../../../src/domain/runs/events.ts";
import { runDecider } from "../../../../src/domain/runs/run.ts";
import type { Verdict } from "../../../../src/domain/runs/verdict.ts";
import { allTotals, runVerdict, totalsOf, verdict } from "../../../../src/domain/runs/verdict.ts";
import { scenario } from "../../../support/scenario.ts";

const idOf = (n: number) => `019a0000-0000-7000-8000-${String(n).padStart(12, "0")}`;
const testId = idOf(1);
const at = "2026-03-01T00:00:00.000Z";
const until = "2026-03-08T00:00:00.000Z";
const reason = "The bank's sandbox is away";
const started: QuarantineEvent = { type: "QuarantineStarted", data: { testId, until, reason } };
const ended: QuarantineEvent = { type: "QuarantineEnded", data: { testId } };

describe("quarantine of a test", () => {
  const quarantine = scenario(quarantineDecider);

  it("starts once, and another time or reason replaces it", () => {
    const start = { type: "start", testId, at, until, reason } as const;
    quarantine.given([]).when(start).then([started]);
    quarantine.given([started]).when(start).thenNothing();
    const later = "2026-03-09T00:00:00.000Z";
    quarantine
      .given([started])
      .when({ ...start, until: later })
      .then([{ type: "QuarantineStarted", data: { testId, until: later, reason } }]);
  });

  it("refuses an end in the past or more than a year ahead", () => {
    const start = { type: "start", testId, at, reason } as const;
    quarantine
      .given([])
      .when({ ...start, until: at })
      .thenRefused("quarantine.untilPast");
    quarantine
      .given([])
      .when({ ...start, until: "2027-03-02T00:00:00.000Z" })
      .thenRefused("quarantine.tooLong");
    quarantine
      .given([])
      .when({ ...start, until: "9999-12-31T00:00:00.000Z" })
      .thenRefused("quarantine.tooLong");
  });

  it("ends once, or by itself at its end time", () => {
    quarantine.given([started]).when({ type: "end", testId, at }).then([ended]);
    quarantine.given([started, ended]).when({ type: "end", testId, at }).thenNothing();
    quarantine.given([started]).when({ type: "end", testId, at: until }).thenNothing();
    quarantine.given([]).when({ type: "end", testId, at }).thenNothing();
    expect(isQuarantined({ until, reason }, at)).toBe(true);
    expect(isQuarantined({ until, reason }, until)).toBe(false);
  });
});

describe("a run with tests in quarantine", () => {
  const run = scenario(runDecider);
  const runId = idOf(2);
  const execution = (n: number) => idOf(10 + n);
  const queued = (quarantined: readonly boolean[]): RunEvent => ({
    type: "RunQueued",
    data: {
      runId,
      projectId: null,
      target: "cloud",
      browsers: ["chromium"],
      baseUrl: null,
      variables: {},
      grammarVersion: 1,
      quotaPeriod: "202603",
      executions: quarantined.map((isIn, n) => ({
        executionId: execution(n),
        testId: idOf(20 + n),
        testVersion: 1,
        testName: `test ${n}`,
        stepCount: 1,
        ...(isIn ? { quarantinedUntil: until } : {}),
      })),
    },
  });
  const record = (n: number, status: Verdict) =>
    ({ type: "recordOutcome", runId, executionId: execution(n), status }) as const;
  const none = { passed: 0, failed: 0, flaky: 0, errored: 0, cancelled: 0 };

  it("passes if a quarantined test fails", () => {
    run
      .given([queued([true])])
      .when(record(0, "failed"))
      .then([
        {
          type: "RunExecutionFinished",
          data: { runId, executionId: execution(0), status: "failed", quarantined: true },
        },
        {
          type: "RunFinished",
          data: { runId, status: "passed", totals: { ...none, quarantined: 1 } },
        },
      ]);
  });

  it("fails if another test fails too", () => {
    const first: RunEvent = {
      type: "RunExecutionFinished",
      data: { runId, executionId: execution(0), status: "errored", quarantined: true },
    };
    run
      .given([queued([true, false]), first])
      .when(record(1, "failed"))
      .then([
        {
          type: "RunExecutionFinished",
          data: { runId, executionId: execution(1), status: "failed" },
        },
        {
          type: "RunFinished",
          data: { runId, status: "failed", totals: { ...none, failed: 1, quarantined: 1 } },
        },
      ]);
  });

  it("updates its totals but not its verdict when a quarantined verdict changes", () => {
    const totals = { ...none, quarantined: 1 };
    run
      .given([
        queued([true]),
        {
          type: "RunExecutionFinished",
          data: { runId, executionId: execution(0), status: "failed", quarantined: true },
        },
        { type: "RunFinished", data: { runId, status: "passed", totals } },
      ])
      .when({ type: "changeOutcome", runId, executionId: execution(0), status: "passed" })
      .then([
        {
          type: "RunVerdictChanged",
          data: {
            runId,
            executionId: execution(0),
            before: "failed",
            outcome: "passed",
            status: "passed",
            totals: { ...none, passed: 1 },
            quarantined: true,
          },
        },
      ]);
  });

  it("never fails because of quarantined tests, and counts every outcome", () => {
    const outcome = fc.record({
      status: fc.constantFrom(...verdict.options),
      quarantined: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(outcome, { minLength: 1, maxLength: 20 }), (outcomes) => {
        const all = Object.fromEntries(outcomes.map(({ status }, n) => [execution(n), status]));
        const quarantined = outcomes.flatMap((one, n) => (one.quarantined ? [execution(n)] : []));
        const totals = totalsOf(all, quarantined);
        expect(Object.values(allTotals(totals)).reduce((sum, one) => sum + one, 0)).toBe(
          outcomes.length,
        );
        const others = Object.fromEntries(
          Object.entries(all).filter(
            ([id, status]) => !quarantined.includes(id) || /passed|flaky|cancelled/.test(status),
          ),
        );
        expect(runVerdict(totals)).toBe(runVerdict(totalsOf(others)));
      }),
    );
  });
});
