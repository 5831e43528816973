import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fold } from "../../../../../src/domain/kernel/decider.ts";
import type { ExecutionEvent } from "../../../../../src/domain/runs/executions/events.ts";
import {
  type ExecutionCommand,
  executionDecider,
  MAX_DELIVERIES,
} from "../../../../../src/domain/runs/executions/execution.ts";
import type { ProgressEvent } from "../../../../../src/domain/runs/executions/progress.ts";
import { scenario } from "../../../../support/scenario.ts";

const idOf = (n: number) => `019a0000-0000-7000-8000-${String(n).padStart(12, "0")}`;
const runId = idOf(1);
const planned: Extract<ExecutionEvent, { type: "ExecutionQueued" }>["data"] = {
  runId,
  testId: idOf(2),
  testVersion: 1,
  testName: "signs in",
  stepCount: 2,
  browsers: ["chromium"],
  baseUrl: "https://shop.example",
  variables: { user: "ada" },
  quotaPeriod: "202511",
};
const queued: ExecutionEvent = { type: "ExecutionQueued", data: planned };
const claim = (delivery: number, worker = "w1"): ExecutionCommand => ({
  type: "claim",
  worker,
  delivery,
});
const claimed = (delivery: number, worker = "w1"): ExecutionEvent => ({
  type: "ExecutionClaimed",
  data: { runId, delivery, worker },
});
const expired = (delivery: number, worker = "w1"): ExecutionEvent => ({
  type: "ExecutionLeaseExpired",
  data: { runId, delivery, worker },
});
const returned = (delivery: number): ExecutionEvent => ({
  type: "ExecutionReturned",
  data: { runId, delivery, worker: "w1", reason: "shutdown" },
});
const at = (delivery: number, number: number) =>
  ({ runId, attempt: 1, delivery, browser: "chromium", number }) as const;
const passed = (delivery: number, number: number): ProgressEvent => ({
  type: "StepPassed",
  data: { ...at(delivery, number), durationMs: 12, locator: "role=button" },
});
const stepStarted = (delivery: number, number: number): ProgressEvent => ({
  type: "StepStarted",
  data: at(delivery, number),
});
const report = (
  delivery: number,
  progress: readonly ProgressEvent[],
  worker = "w1",
): ExecutionCommand => ({ type: "report", worker, delivery, progress });
const ending = { status: "passed", durationMs: 40, error: null } as const;
const finish = (delivery: number, worker = "w1"): ExecutionCommand => ({
  type: "finish",
  worker,
  delivery,
  ...ending,
});
const finished: ExecutionEvent = { type: "ExecutionFinished", data: { runId, ...ending } };

const execution = scenario(executionDecider);

describe("execution", () => {
  it("is queued once", () => {
    execution
      .given([])
      .when({ type: "queue", ...planned })
      .then([queued]);
    execution
      .given([queued])
      .when({ type: "queue", ...planned })
      .thenNothing();
  });

  it("is claimed by one worker for the offered delivery", () => {
    execution
      .given([queued])
      .when(claim(1))
      .then([claimed(1)]);
    execution
      .given([queued, claimed(1)])
      .when(claim(1))
      .thenNothing();
    execution
      .given([queued, claimed(1)])
      .when(claim(1, "w2"))
      .thenRefused("execution.notClaimable");
    execution.given([queued]).when(claim(2)).thenRefused("execution.notClaimable");
    execution
      .given([queued, claimed(1), finished])
      .when(claim(2))
      .thenRefused("execution.notClaimable");
  });

  it("records each reported fact once", () => {
    const facts = [stepStarted(1, 1), passed(1, 1)];
    execution
      .given([queued, claimed(1)])
      .when(report(1, facts))
      .then(facts);
    execution
      .given([queued, claimed(1), ...facts])
      .when(report(1, facts))
      .thenNothing();
  });

  it("refuses reports of a worker that lost its lease", () => {
    const history = [queued, claimed(1), expired(1), claimed(2, "w2")];
    execution
      .given(history)
      .when(report(1, [passed(1, 1)]))
      .thenRefused("execution.leaseLost");
    execution.given(history).when(finish(1)).thenRefused("execution.leaseLost");
    execution
      .given(history)
      .when({ type: "giveBack", worker: "w1", delivery: 1, reason: "x" })
      .thenNothing();
    execution.given(history).when({ type: "expireLease", delivery: 1 }).thenNothing();
  });

  it("finishes once", () => {
    execution
      .given([queued, claimed(1)])
      .when(finish(1))
      .then([finished]);
    execution
      .given([queued, claimed(1), finished])
      .when(finish(1))
      .thenNothing();
  });

  it("numbers a new delivery after a return without counting a lost worker", () => {
    const giveBack = { type: "giveBack", worker: "w1", delivery: 1, reason: "shutdown" } as const;
    execution
      .given([queued, claimed(1)])
      .when(giveBack)
      .then([returned(1)]);
    execution
      .given([queued, claimed(1), returned(1)])
      .when(giveBack)
      .thenNothing();
    execution
      .given([queued, claimed(1), returned(1)])
      .when(claim(2))
      .then([claimed(2)]);
    const often = [1, 2, 3, 4, 5].flatMap((n) => [claimed(n), returned(n)]);
    execution
      .given([queued, ...often, claimed(6)])
      .when({ type: "expireLease", delivery: 6 })
      .then([expired(6)]);
  });

  it("ends as errored with the reason after the maximum number of lost workers", () => {
    const lost = [1, 2].flatMap((n) => [claimed(n), expired(n)]);
    const events = executionDecider.decide(
      { type: "expireLease", delivery: MAX_DELIVERIES },
      fold(executionDecider, [queued, ...lost, claimed(MAX_DELIVERIES)]),
    );
    expect(events.map(({ type }) => type)).toEqual(["ExecutionLeaseExpired", "ExecutionFinished"]);
    expect(events[1]?.data).toMatchObject({
      status: "errored",
      error: expect.stringContaining("3"),
      workersLost: true,
    });
  });

  it("ends as errored if it is abandoned, once", () => {
    const abandon = { type: "abandon", reason: "No browser." } as const;
    const gone: ExecutionEvent = {
      type: "ExecutionFinished",
      data: { runId, status: "errored", durationMs: 0, error: "No browser." },
    };
    execution.given([queued]).when(abandon).then([gone]);
    execution.given([queued, gone]).when(abandon).thenNothing();
    execution
      .given([queued, claimed(1)])
      .when(abandon)
      .thenNothing();
  });
});

describe("stopping an execution", () => {
  const cancelled: ExecutionEvent = { type: "ExecutionCancelled", data: { runId } };
  const stop = (by: { worker: string; delivery: number } | null, error: string | null = null) =>
    ({ type: "cancel", by, error }) as const;

  it("ends an unclaimed execution, once, and prevents a claim", () => {
    execution.given([queued]).when(stop(null)).then([cancelled]);
    execution.given([queued, cancelled]).when(stop(null)).thenNothing();
    execution.given([queued, cancelled]).when(claim(1)).thenRefused("execution.notClaimable");
    execution
      .given([queued, claimed(1), returned(1)])
      .when(stop(null))
      .then([cancelled]);
  });

  it("leaves the end of a claimed execution to its worker", () => {
    const held = [queued, claimed(1)];
    execution.given(held).when(stop(null)).thenNothing();
    execution
      .given(held)
      .when(stop({ worker: "w2", delivery: 1 }))
      .thenNothing();
    execution
      .given(held)
      .when(stop({ worker: "w1", delivery: 1 }))
      .then([cancelled]);
    execution
      .given([...held, cancelled])
      .when(stop({ worker: "w1", delivery: 1 }))
      .thenNothing();
  });

  it("ends an execution as errored if its run took too long", () => {
    execution
      .given([queued])
      .when(stop(null, "too long"))
      .then([
        {
          type: "ExecutionFinished",
          data: { runId, status: "errored", durationMs: 0, error: "too long" },
        },
      ]);
  });
});

describe("execution under any commands of its workers", () => {
  const worker = fc.constantFrom("w1", "w2");
  const delivery = fc.integer({ min: 1, max: 6 });
  const number = fc.integer({ min: 1, max: 2 });
  const command: fc.Arbitrary<ExecutionCommand> = fc.oneof(
    fc.record({ worker, delivery }).map((one) => claim(one.delivery, one.worker)),
    fc
      .record({ worker, delivery, number })
      .map((one) =>
        report(
          one.delivery,
          [stepStarted(one.delivery, one.number), passed(one.delivery, one.number)],
          one.worker,
        ),
      ),
    fc.record({ worker, delivery }).map((one) => finish(one.delivery, one.worker)),
    fc
      .record({ worker, delivery })
      .map((one): ExecutionCommand => ({ type: "giveBack", reason: "stop", ...one })),
    delivery.map((one): ExecutionCommand => ({ type: "expireLease", delivery: one })),
    fc.record({ by: fc.option(fc.record({ worker, delivery })), isAsked: fc.boolean() }).map(
      ({ by, isAsked }): ExecutionCommand => ({
        type: "cancel",
        by,
        error: isAsked ? null : "too long",
      }),
    ),
  );

  it("records a step once per delivery, increases deliveries only and records nothing after the end", () => {
    fc.assert(
      fc.property(fc.array(command, { maxLength: 60 }), (commands) => {
        const history: ExecutionEvent[] = [queued];
        let state = fold(executionDecider, history);
        for (const one of commands) {
          try {
            const events = executionDecider.decide(one, state);
            state = events.reduce(executionDecider.evolve, state);
            history.push(...events);
          } catch {
            // Refused: nothing happened.
          }
        }
        const facts = history
          .filter(({ type }) => type.startsWith("Step"))
          .map((event) => JSON.stringify([event.type, event.data]));
        expect(new Set(facts).size).toBe(facts.length);
        const deliveries = history.flatMap((event) =>
          event.type === "ExecutionClaimed" ? [event.data.delivery] : [],
        );
        expect(deliveries).toEqual(deliveries.map((_, index) => index + 1));
        const end = history.findIndex(
          ({ type }) => type === "ExecutionFinished" || type === "ExecutionCancelled",
        );
        expect(end === -1 || end === history.length - 1).toBe(true);
      }),
    );
  });
});
