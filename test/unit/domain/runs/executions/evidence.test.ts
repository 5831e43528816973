import fc from "fast-check";
import { describe, it } from "vitest";
import type { ExecutionEvent } from "../../../../../src/domain/runs/executions/events.ts";
import { executionDecider } from "../../../../../src/domain/runs/executions/execution.ts";
import { scenario } from "../../../../support/scenario.ts";

const idOf = (n: number) => `019a0000-0000-7000-8000-${String(n).padStart(12, "0")}`;
const runId = idOf(1);
const DAY_MS = 86_400_000;
const endedAt = "2026-03-01T10:00:00.000Z";
const daysOn = (days: number, ms = 0): string =>
  new Date(Date.parse(endedAt) + days * DAY_MS + ms).toISOString();

const queued: ExecutionEvent = {
  type: "ExecutionQueued",
  data: {
    runId,
    testId: idOf(2),
    testVersion: 1,
    testName: "signs in",
    stepCount: 2,
    browsers: ["chromium"],
    baseUrl: null,
    variables: {},
    quotaPeriod: "202603",
  },
};
const claimed = (delivery: number): ExecutionEvent => ({
  type: "ExecutionClaimed",
  data: { runId, delivery, worker: "w1" },
});
const on = (delivery: number) => ({ runId, attempt: 1, delivery, browser: "chromium" }) as const;
const shot = (delivery: number, number = 1): ExecutionEvent => ({
  type: "ScreenshotTaken",
  data: { ...on(delivery), number, format: "jpeg", key: "k", name: null },
});
const kept = (name: string, key: string | null): ExecutionEvent => ({
  type: "EvidenceKept",
  data: { ...on(1), name, contentType: "x/y", bytes: 1, key, absent: key ? null : "no ffmpeg" },
});
const returned: ExecutionEvent = {
  type: "ExecutionReturned",
  data: { runId, delivery: 1, worker: "w1", reason: "shutdown" },
};
const finished: ExecutionEvent = {
  type: "ExecutionFinished",
  data: { runId, status: "passed", durationMs: 40, error: null },
};
const by = { runId, rule: "retention_days", plan: "free", days: 7 } as const;
const expired = (...kinds: ["screenshots", ..."trace"[]]): ExecutionEvent => ({
  type: "EvidenceExpired",
  data: { ...by, kinds, endedAt },
});
const deleted = (at: string): ExecutionEvent => ({
  type: "EvidenceDeleted",
  data: { ...by, kinds: ["screenshots"], at },
});
const expire = (at: string, plan: "free" | "business" = "free") =>
  ({ type: "expireEvidence", plan, endedAt, at }) as const;
const note = (at: string) => ({ type: "noteEvidenceDeleted", at }) as const;
const execution = scenario(executionDecider);
const ended = [queued, claimed(1), shot(1), finished];

describe("evidence of an execution", () => {
  it("expires after the plan's days and is deleted, each once", () => {
    execution
      .given(ended)
      .when(expire(daysOn(7, 1)))
      .then([expired("screenshots")]);
    const begun = [...ended, expired("screenshots")];
    execution
      .given(begun)
      .when(expire(daysOn(9)))
      .thenNothing();
    execution
      .given(begun)
      .when(note(daysOn(8)))
      .then([deleted(daysOn(8))]);
    const gone = [...begun, deleted(daysOn(8))];
    execution
      .given(gone)
      .when(note(daysOn(9)))
      .thenNothing();
    execution
      .given(gone)
      .when(expire(daysOn(9)))
      .thenNothing();
  });

  it("is kept before the days have passed or if a larger plan allows more", () => {
    execution
      .given(ended)
      .when(expire(daysOn(7)))
      .thenNothing();
    execution
      .given(ended)
      .when(expire(daysOn(8), "business"))
      .thenNothing();
  });

  it("does not expire while the execution runs or if there is none", () => {
    execution
      .given([queued, claimed(1), shot(1)])
      .when(expire(daysOn(8)))
      .thenNothing();
    execution
      .given([queued, claimed(1), kept("video.webm", null), finished])
      .when(expire(daysOn(8)))
      .thenNothing();
    execution
      .given(ended)
      .when(note(daysOn(8)))
      .thenNothing();
  });

  it("includes the evidence of every delivery", () => {
    execution
      .given([queued, claimed(1), shot(1), kept("trace.zip", "k"), returned, claimed(2), finished])
      .when(expire(daysOn(8)))
      .then([expired("screenshots", "trace")]);
  });

  it("cannot be judged again after it expired", () => {
    execution
      .given([...ended, expired("screenshots")])
      .when({
        type: "rejudge",
        settings: { threshold: 0.1, maxDiffPixels: 0, maxDiffRatio: null, masks: [] },
        pictures: [],
      })
      .thenRefused("execution.evidenceDeleted");
  });

  it("expires at most once, before it is deleted at most once, under any commands", () => {
    const command = fc.oneof(
      fc.integer({ min: 0, max: 400 }).map((days) => expire(daysOn(days, 1))),
      fc.integer({ min: 0, max: 400 }).map((days) => expire(daysOn(days, 1), "business")),
      fc.integer({ min: 0, max: 400 }).map((days) => note(daysOn(days))),
    );
    fc.assert(
      fc.property(fc.array(command, { maxLength: 20 }), (commands) => {
        let state = ended.reduce(executionDecider.evolve, executionDecider.initial);
        const types: string[] = [];
        for (const one of commands) {
          const events = executionDecider.decide(one, state);
          state = events.reduce(executionDecider.evolve, state);
          types.push(...events.map(({ type }) => type));
        }
        return ["", "EvidenceExpired", "EvidenceExpired EvidenceDeleted"].includes(types.join(" "));
      }),
    );
  });
});
