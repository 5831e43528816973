import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readCron } from "../../../../src/domain/schedules/cron.ts";
import { dueAt } from "../../../../src/domain/schedules/due.ts";
import {
  type Schedule,
  type ScheduleEvent,
  type ScheduleTerms,
  scheduleDecider,
} from "../../../../src/domain/schedules/schedule.ts";
import { ticksBetween } from "../../../../src/domain/schedules/ticks.ts";
import { zoneOf } from "../../../../src/domain/schedules/zone.ts";
import { scenario } from "../../../support/scenario.ts";

const uuid = (n: number): string => `019a0000-0000-7000-8000-${String(n).padStart(12, "0")}`;
const [scheduleId, organizationId] = [uuid(1), uuid(2)];
const at = "2026-03-01T00:00:00.000Z";
const terms: ScheduleTerms = {
  name: "Nightly",
  cron: "0 * * * *",
  zone: "Europe/Berlin",
  testIds: [uuid(3)],
  testSetIds: [],
  browsers: ["chromium"],
  baseUrl: null,
  environment: null,
  overlap: "skip",
  deadlineSeconds: 600,
  failuresOnly: false,
};
const on = { scheduleId, organizationId, expectedVersions: null };
const created: ScheduleEvent = {
  type: "ScheduleCreated",
  data: { scheduleId, organizationId, terms, at },
};
const tick = "2026-03-01T01:00:00.000Z";
const fired: ScheduleEvent = {
  type: "ScheduleFired",
  data: { scheduleId, tick, runIds: [uuid(9)] },
};
const fire = {
  type: "settleTick",
  scheduleId,
  tick,
  outcome: { kind: "fired", runIds: [uuid(9)] },
} as const;
const schedule = scenario(scheduleDecider);

describe("a schedule", () => {
  it("keeps the first outcome of a tick", () => {
    schedule.given([created]).when(fire).then([fired]);
    schedule.given([created, fired]).when(fire).thenNothing();
    schedule
      .given([created, fired])
      .when({ ...fire, outcome: { kind: "skipped", reason: "The last run is not over." } })
      .thenNothing();
  });

  it("skips ticks during a pause, also afterwards", () => {
    const paused: ScheduleEvent = { type: "SchedulePaused", data: { scheduleId } };
    const resumed: ScheduleEvent = {
      type: "ScheduleResumed",
      data: { scheduleId, at: "2026-03-01T02:30:00.000Z" },
    };
    schedule
      .given([created])
      .when({ type: "pause", ...on })
      .then([paused]);
    schedule
      .given([created, paused])
      .when({ type: "pause", ...on })
      .thenNothing();
    const skip = { ...fire, outcome: { kind: "skipped", reason: "Not over." } } as const;
    schedule.given([created, paused]).when(skip).thenNothing();
    schedule
      .given([created, paused])
      .when({ type: "resume", at: resumed.data.at as string, ...on })
      .then([resumed]);
    schedule.given([created, paused, resumed]).when(skip).thenNothing();
  });

  it("records the outcome of a tick that started before a pause, once", () => {
    const paused: ScheduleEvent = { type: "SchedulePaused", data: { scheduleId } };
    schedule.given([created, paused]).when(fire).then([fired]);
    schedule.given([created, paused, fired]).when(fire).thenNothing();
    const changed: ScheduleEvent = {
      type: "ScheduleChanged",
      data: { scheduleId, terms, at: "2026-03-01T01:00:01.000Z" },
    };
    schedule.given([created, changed]).when(fire).then([fired]);
    schedule.given([created, changed, fired]).when(fire).thenNothing();
  });

  it("reports a refusal once per day and reason, and the next successful tick", () => {
    const tickAt = (minutes: number): string =>
      new Date(Date.parse(tick) + minutes * 60_000).toISOString();
    const refuse = (minutes: number, code: string) =>
      ({
        type: "settleTick",
        scheduleId,
        tick: tickAt(minutes),
        outcome: { kind: "refused", code, reason: "No." },
      }) as const;
    const fireAt = (minutes: number) => ({ ...fire, tick: tickAt(minutes) });
    const commands = [
      refuse(0, "run.quotaExceeded"),
      refuse(1, "run.quotaExceeded"),
      refuse(2, "schedule.limitReached"),
      fireAt(3),
      fireAt(4),
      // It comes and goes: nobody is told again the same day.
      refuse(5, "run.quotaExceeded"),
      fireAt(6),
      refuse(24 * 60 - 1, "run.quotaExceeded"),
      refuse(24 * 60, "run.quotaExceeded"),
      refuse(24 * 60 + 1, "run.quotaExceeded"),
      fireAt(24 * 60 + 2),
    ];
    let state: Schedule = scheduleDecider.evolve(scheduleDecider.initial, created);
    const told = commands.map((command) => {
      const events = scheduleDecider.decide(command, state);
      state = events.reduce(scheduleDecider.evolve, state);
      const [event] = events;
      if (event?.type === "ScheduleTickRefused") return event.data.announced;
      return event?.type === "ScheduleFired" && event.data.recovered === true ? "again" : null;
    });
    expect(told).toEqual([
      ...[true, false, true, "again", null],
      ...[false, null, false, true, false, "again"],
    ]);
  });

  it("keeps the runs of a partly refused tick as its last runs", () => {
    const outcome = { kind: "refused", code: "testSet.unknownInRequest", reason: "Gone." } as const;
    const of = { type: "settleTick", scheduleId, tick } as const;
    const state = scheduleDecider.evolve(scheduleDecider.initial, created);
    const half = scheduleDecider.decide(
      { ...of, outcome: { ...outcome, runIds: [uuid(7)] } },
      state,
    );
    expect(half).toMatchObject([{ type: "ScheduleTickRefused", data: { runIds: [uuid(7)] } }]);
    expect(half.reduce(scheduleDecider.evolve, state)).toMatchObject({ lastRunIds: [uuid(7)] });
    const [whole] = scheduleDecider.decide({ ...of, outcome }, state);
    expect(whole?.data).not.toHaveProperty("runIds");
  });

  it("counts a refusal of an older release as reported", () => {
    const refused: ScheduleEvent = {
      type: "ScheduleTickRefused",
      data: { scheduleId, tick, code: "run.quotaExceeded", reason: "No." },
    };
    const next = "2026-03-01T02:00:00.000Z";
    schedule
      .given([created, refused])
      .when({ ...fire, tick: next })
      .then([
        {
          type: "ScheduleFired",
          data: { scheduleId, tick: next, runIds: [uuid(9)], recovered: true },
        },
      ]);
  });

  it("runs by hand without affecting its ticks", () => {
    const byHand: ScheduleEvent = {
      type: "ScheduleRunByHand",
      data: { scheduleId, runIds: [uuid(9)] },
    };
    schedule
      .given([created])
      .when({ type: "runByHand", runIds: [uuid(9)], ...on })
      .then([byHand]);
    schedule.given([created, byHand]).when(fire).then([fired]);
  });

  it("records changed terms once and refuses an older version", () => {
    const change = { type: "change", terms: { cron: "5 * * * *" }, at: tick, ...on } as const;
    const changed: ScheduleEvent = {
      type: "ScheduleChanged",
      data: { scheduleId, terms: { ...terms, cron: "5 * * * *" }, at: tick },
    };
    schedule.given([created]).when(change).then([changed]);
    schedule.given([created, changed]).when(change).thenNothing();
    schedule
      .given([created, changed])
      .when({ ...change, expectedVersions: [1] })
      .thenRefused("schedule.stale");
    schedule
      .given([created])
      .when({ ...change, terms: { testIds: [] } })
      .thenRefused("schedule.nothingToRun");
    schedule
      .given([created])
      .when({ ...change, organizationId: uuid(8) })
      .thenRefused("schedule.foreign");
    const deleted: ScheduleEvent = { type: "ScheduleDeleted", data: { scheduleId } };
    schedule
      .given([created])
      .when({ type: "delete", ...on })
      .then([deleted]);
    schedule
      .given([created, deleted])
      .when({ type: "delete", ...on })
      .thenNothing();
    schedule.given([created, deleted]).when(change).thenRefused("schedule.unknown");
    schedule.given([created, deleted]).when(fire).thenNothing();
  });

  it("gives every due tick one outcome over a clock change, with two schedulers and interruptions", () => {
    const read = readCron("*/30 * * * *");
    if (!read.ok) throw new Error(read.reason);
    const zone = zoneOf("Europe/Berlin");
    const start = "2026-03-27T00:00:00.000Z";
    const began: ScheduleEvent = {
      type: "ScheduleCreated",
      data: { scheduleId, organizationId, terms: { ...terms, cron: "*/30 * * * *" }, at: start },
    };
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 20, maxLength: 60 }),
        (gaps) => {
          let state: Schedule = scheduleDecider.evolve(scheduleDecider.initial, began);
          const settled: string[] = [];
          let now = Date.parse(start);
          for (const minutes of gaps) {
            now += minutes * 60_000;
            const looked = state;
            for (;;) {
              if (state.status !== "active") throw new Error("It is active");
              const due = dueAt(state, read.cron, zone, new Date(now).toISOString());
              if (due.kind === "nothing") break;
              const outcome =
                due.kind === "fire"
                  ? ({ kind: "fired", runIds: [] } as const)
                  : ({ kind: "missed", until: due.until, count: due.count } as const);
              const command = { type: "settleTick", scheduleId, tick: due.tick, outcome } as const;
              const events = scheduleDecider.decide(command, state);
              expect(events).toHaveLength(1);
              const until = due.kind === "missed" ? due.until : due.tick;
              const covered = ticksBetween(
                read.cron,
                zone,
                Date.parse(due.tick) - 1,
                Date.parse(until),
                5_000,
              );
              expect(covered).toHaveLength(due.kind === "missed" ? due.count : 1);
              settled.push(...covered.map((one) => new Date(one).toISOString()));
              state = events.reduce(scheduleDecider.evolve, state);
              // The other scheduler looked before, and says the same too late.
              expect(looked).toBeDefined();
              expect(scheduleDecider.decide(command, state)).toEqual([]);
            }
          }
          const all = ticksBetween(read.cron, zone, Date.parse(start), now, 50_000);
          expect(settled).toEqual(all.map((one) => new Date(one).toISOString()));
        },
      ),
      { numRuns: 20 },
    );
  });
});
