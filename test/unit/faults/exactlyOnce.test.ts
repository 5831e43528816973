import { describe, expect, it } from "vitest";
import type { RecordedEvent } from "../../../src/platform/eventLog/port.ts";
import { rewritten } from "../../faults/follow.ts";
import { brokenPromises, openRuns, type Promised } from "../../support/exactlyOnce.ts";

type Told = readonly [stream: string, type: string, data?: Readonly<Record<string, unknown>>];

const on = { attempt: 1, browser: "chromium" };
const step = (type: string, delivery: number, number: number): Told => [
  "execution-e",
  type,
  { ...on, delivery, number },
];
const delivery = (n: number): readonly Told[] => [
  ["execution-e", "ExecutionClaimed", { delivery: n }],
  step("StepStarted", n, 1),
  step("StepPassed", n, 1),
  step("StepStarted", n, 2),
  step("StepPassed", n, 2),
];

/** A run that was handed to a second worker when the first was lost, its quota, its mail, a test and a plan. */
const history: readonly Told[] = [
  ["usage-o_202611", "RunsReserved", { runs: [{ runId: "r" }] }],
  ["run-r", "RunQueued", { executions: [{ executionId: "e" }] }],
  ["execution-e", "ExecutionClaimed", { delivery: 1 }],
  ["usage-o_202611", "ReservationUsed", { runId: "r", executionId: "e", used: 1, reserved: 0 }],
  step("StepStarted", 1, 1),
  step("StepPassed", 1, 1),
  ["execution-e", "ExecutionLeaseExpired", { delivery: 1 }],
  ...delivery(2),
  ["execution-e", "ExecutionFinished"],
  ["run-r", "RunExecutionFinished", { executionId: "e" }],
  ["run-r", "RunFinished", { status: "passed" }],
  ["notification-n", "NotificationRequested", { notificationId: "n", about: { runId: "r" } }],
  ["notification-n", "NotificationSent"],
  ["test-t", "TestCreated"],
  ["test-t", "TestRenamed"],
  ["plan-o", "PlanChangeCreated", { changeId: "c" }],
  ["plan-o", "PlanChangeApplied", { changeId: "c" }],
];

const promised: Promised = {
  organizationId: "o",
  runs: ["r"],
  steps: 2,
  tests: ["t"],
  plans: [{ organizationId: "o", changeId: "c" }],
  mails: new Map([["n", 1]]),
};

const record = (told: readonly Told[]): RecordedEvent[] => {
  const heads = new Map<string, bigint>();
  return told.map(([stream, type, data = {}], index) => {
    const revision = (heads.get(stream) ?? -1n) + 1n;
    heads.set(stream, revision);
    const metadata = { organization_id: "o" } as RecordedEvent["metadata"];
    return {
      id: `id ${index}`,
      stream,
      revision,
      position: BigInt(index + 1),
      type,
      data,
      metadata,
    };
  });
};
const without = (type: string) => history.filter((told) => told[1] !== type);
const behind = (type: string, ...more: readonly Told[]) =>
  history.flatMap((told) => (told[1] === type ? [told, ...more] : [told]));
const again = (type: string) =>
  history.flatMap((told) => (told[1] === type ? [told, told] : [told]));

describe("the exactly-once checker", () => {
  it("reports nothing for a correct history", () => {
    expect(brokenPromises(record(history), promised)).toEqual([]);
  });

  it.each([
    ["an acknowledged run is gone", without("RunQueued"), /^run-r queued: 0 times/],
    ["an acknowledged test is gone", without("TestCreated"), /^test t created: 0 times/],
    ["a change of a test is gone", without("TestRenamed"), /^test t renamed: 0 times/],
    ["a change of a test was made twice", again("TestRenamed"), /^test t renamed: 2 times/],
    [
      "a request was done twice",
      behind("RunFinished", ["run-s", "RunQueued", { executions: [] }]),
      /^run-s: nobody was told/,
    ],
    ["a run did not end", without("RunFinished"), /^run-r ended: 0 times/],
    ["a run ended twice", again("RunFinished"), /^run-r ended: 2 times/],
    ["an outcome was counted twice", again("RunExecutionFinished"), /^outcome of e in run-r: 2/],
    ["an execution ended twice", again("ExecutionFinished"), /^execution-e finished: 2 times/],
    [
      "a step stands twice",
      behind("ExecutionLeaseExpired", step("StepPassed", 1, 1)),
      /StepPassed 1 1 chromium 1 is there twice/,
    ],
    [
      "a worker that was taken for dead goes on",
      behind("ExecutionFinished", step("StepSkipped", 1, 2)),
      /StepSkipped 1 1 chromium 2 while 2 was held/,
    ],
    [
      "two workers hold an execution",
      without("ExecutionLeaseExpired"),
      /^execution-e: delivery 2 while 1 was held/,
    ],
    [
      "a step is missing",
      history.filter(([, type, data]) => type !== "StepPassed" || data?.number !== 1),
      /^execution-e: steps \[2\] passed, not \[1,2\]/,
    ],
    ["a run was reserved twice", again("RunsReserved"), /^run r reserved: 2 times/],
    ["a unit was used twice", again("ReservationUsed"), /^unit of e used: 2 times/],
    [
      "a unit was given back as well",
      behind("ReservationUsed", ["usage-o_202611", "ReservationReleased", { runId: "r" }]),
      /^reservation of run r given back, and it was run/,
    ],
    ["a plan was changed twice", again("PlanChangeApplied"), /^plan-o: plan changed: 2 times/],
    ["a plan was never changed", without("PlanChangeApplied"), /^plan-o: plan changed: 0 times/],
    [
      "two mails were asked for",
      behind("NotificationSent", [
        "notification-m",
        "NotificationRequested",
        { notificationId: "m", about: { runId: "r" } },
      ]),
      /^mail about run r asked for: 2 times/,
    ],
    ["a mail was not noted", without("NotificationSent"), /^mail n noted as sent: 0 times/],
  ] as const)("reports that %s", (_, told, words) => {
    const problems = brokenPromises(record(told), promised);
    expect(problems).toContainEqual(expect.stringMatching(words));
  });

  it("reports a missing mail, a failed run, a duplicate event and a gap", () => {
    const events = record(history);
    const says = (broken: readonly RecordedEvent[], more: Partial<Promised> = {}) =>
      brokenPromises(broken, { ...promised, ...more });
    expect(says(events, { mails: new Map() })).toEqual(["mail n never came"]);
    const failed = record(
      history.map((told) =>
        told[1] === "RunFinished" ? [told[0], told[1], { status: "failed" }] : told,
      ),
    );
    expect(says(failed)).toEqual(["run-r: failed"]);
    const [first] = events;
    if (!first) throw new Error("no history");
    expect(says([first, ...events])).toEqual(
      expect.arrayContaining(["position 1 comes after 1", "event id 0 is there twice"]),
    );
    const gap = events.filter(({ type }) => type !== "StepStarted");
    expect(says(gap)).toContainEqual(expect.stringMatching(/revision 2 in the place of 1/));
  });

  it("requires the release of a reservation of an abandoned request", () => {
    const tried: Told = ["usage-o_202611", "RunsReserved", { runs: [{ runId: "s" }] }];
    const abandoned: Told = ["run-s", "RunAbandoned", { runId: "s" }];
    const totals = { used: 0, reserved: 0 };
    const back: Told = ["usage-o_202611", "ReservationReleased", { runId: "s", ...totals }];
    expect(brokenPromises(record([tried, abandoned, back, ...history]), promised)).toEqual([]);
    expect(brokenPromises(record([tried, abandoned, ...history]), promised)).toEqual([
      "reservation of run s, which was given up, given back: 0 times, not once",
    ]);
    expect(brokenPromises(record([tried, back, ...history]), promised)).toEqual([
      "run s given up: 0 times, not once",
    ]);
  });

  it("lists runs without an end", () => {
    expect(openRuns(record(history), ["r", "q"])).toEqual(["q"]);
  });

  it("accepts an extended log and names the position of a rewritten event", () => {
    const events = record(history);
    expect(rewritten(events.slice(0, 5), events)).toBeNull();
    expect(rewritten(events, events.slice(0, -1))).toMatch(/^position 21 was id 20.*nothing$/);
    const other = events.map((event, n) => (n === 2 ? { ...event, id: "another" } : event));
    expect(rewritten(events, other)).toMatch(/^position 3 was id 2, .* now there is another/);
  });
});
