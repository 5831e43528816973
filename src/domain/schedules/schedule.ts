import { z } from "zod";
import type { Decider } from "../kernel/decider.ts";
import { assertNever, DomainError } from "../kernel/errors.ts";
import { defineCodec, type EventOf } from "../kernel/events.ts";
import { mustBeCurrent } from "../kernel/versions.ts";

/** The policy for a tick while the run of an earlier tick is unfinished. */
export const overlapPolicies = ["skip", "queue", "cancel_older"] as const;

/** The interval of repeated notifications about ticks refused for the same reason. */
const DAY_MS = 86_400_000;

// ---------------------------------------------------------------- Events

const instant = z.iso.datetime({ precision: 3 });
const scheduleId = z.uuid();

/**
 * The definition of a schedule: selection and times. Recipients are in no event because their addresses are personal
 * data.
 */
export const scheduleTerms = z.object({
  name: z.string(),
  cron: z.string(),
  zone: z.string(),
  testIds: z.array(z.uuid()),
  testSetIds: z.array(z.uuid()),
  browsers: z.array(z.enum(["chromium", "firefox", "webkit"])).min(1),
  baseUrl: z.string().nullable(),
  environment: z.string().nullable(),
  overlap: z.enum(overlapPolicies),
  /** A tick that could not be fired this long after it was due is missed. */
  deadlineSeconds: z.int().positive(),
  failuresOnly: z.boolean(),
});

export type ScheduleTerms = z.output<typeof scheduleTerms>;

const schemas = {
  ScheduleCreated: z.object({
    scheduleId,
    organizationId: z.uuid(),
    terms: scheduleTerms,
    at: instant,
  }),
  /** Ticks are due by the new terms from `at` on. */
  ScheduleChanged: z.object({ scheduleId, terms: scheduleTerms, at: instant }),
  SchedulePaused: z.object({ scheduleId }),
  /** Ticks that would have been due during the pause are dropped. */
  ScheduleResumed: z.object({ scheduleId, at: instant }),
  ScheduleDeleted: z.object({ scheduleId }),
  /** A person started a run beside the ticks. */
  ScheduleRunByHand: z.object({ scheduleId, runIds: z.array(z.uuid()) }),
  ScheduleFired: z.object({
    scheduleId,
    tick: instant,
    runIds: z.array(z.uuid()),
    /** Earlier ticks were refused and the recipients were notified. Absent: false. */
    recovered: z.literal(true).optional(),
  }),
  ScheduleTickSkipped: z.object({ scheduleId, tick: instant, reason: z.string() }),
  /** All ticks from the first to the last, inclusive: one event regardless of the length of an outage. */
  ScheduleTickMissed: z.object({
    scheduleId,
    tick: instant,
    until: instant,
    count: z.int().positive(),
  }),
  ScheduleTickRefused: z.object({
    scheduleId,
    tick: instant,
    code: z.string(),
    reason: z.string(),
    /**
     * Whether recipients are notified: for the first tick of each reason, then once a day. Absent: true, as in older
     * events.
     */
    announced: z.boolean().optional(),
    /** The runs that the tick queued before it was refused. Absent: none. */
    runIds: z.array(z.uuid()).optional(),
  }),
};

export type ScheduleEvent = EventOf<typeof schemas>;

// ---------------------------------------------------------------- State

export type Schedule =
  | { readonly status: "none" }
  | { readonly status: "deleted" }
  | {
      readonly status: "active" | "paused";
      readonly organizationId: string;
      readonly terms: ScheduleTerms;
      /** Every tick up to this time has an outcome or was never due. */
      readonly settledUntil: string;
      /** The last tick with a recorded outcome; null if there is none. */
      readonly lastTick: string | null;
      /** The runs of the last tick that fired or was refused after it had queued some. */
      readonly lastRunIds: readonly string[];
      /** The last notified refusal of each reason, as a tick. */
      readonly toldRefusals: ReadonlyMap<string, string>;
      /** Recipients were notified of a refusal, and no tick has fired since. */
      readonly isRefusing: boolean;
      /** The version of the definition: the stream's revision + 1, without ticks. */
      readonly version: number;
    };

export type StandingSchedule = Extract<Schedule, { status: "active" | "paused" }>;

// ---------------------------------------------------------------- evolve

export const evolve = (schedule: Schedule, event: ScheduleEvent): Schedule => {
  if (event.type === "ScheduleCreated") {
    const { organizationId, terms, at } = event.data;
    return {
      status: "active",
      organizationId,
      terms,
      settledUntil: at,
      lastTick: null,
      lastRunIds: [],
      toldRefusals: new Map(),
      isRefusing: false,
      version: 1,
    };
  }
  if (schedule.status === "none" || schedule.status === "deleted") return schedule;
  const version = schedule.version + 1;
  switch (event.type) {
    case "ScheduleChanged": {
      const { terms, at } = event.data;
      return { ...schedule, terms, settledUntil: later(schedule.settledUntil, at), version };
    }
    case "SchedulePaused":
      return { ...schedule, status: "paused", version };
    case "ScheduleResumed": {
      const settledUntil = later(schedule.settledUntil, event.data.at);
      return { ...schedule, status: "active", settledUntil, version };
    }
    case "ScheduleDeleted":
      return { status: "deleted" };
    case "ScheduleRunByHand":
      return schedule;
    case "ScheduleFired": {
      const { tick, runIds } = event.data;
      return {
        ...schedule,
        ...settledBy(schedule, tick),
        lastRunIds: runIds,
        isRefusing: false,
      };
    }
    case "ScheduleTickSkipped":
      return { ...schedule, ...settledBy(schedule, event.data.tick) };
    case "ScheduleTickRefused": {
      const { tick, code, announced = true, runIds = schedule.lastRunIds } = event.data;
      const settled = { ...schedule, ...settledBy(schedule, tick), lastRunIds: runIds };
      if (!announced) return settled;
      const toldRefusals = new Map(schedule.toldRefusals).set(code, tick);
      return { ...settled, toldRefusals, isRefusing: true };
    }
    case "ScheduleTickMissed":
      return { ...schedule, ...settledBy(schedule, event.data.until) };
    default:
      return assertNever(event);
  }
};

const settledBy = (schedule: StandingSchedule, tick: string) => ({
  settledUntil: later(schedule.settledUntil, tick),
  lastTick: tick,
});

const later = (one: string, other: string): string => (one > other ? one : other);

// ---------------------------------------------------------------- Commands

/** A change on behalf of an organisation. `expectedVersions`: the versions that it may be based on; null skips the check. */
type OnSchedule = {
  readonly scheduleId: string;
  readonly organizationId: string;
  readonly expectedVersions: readonly number[] | null;
};

/** The outcome of a tick. */
export type TickOutcome =
  | { readonly kind: "fired"; readonly runIds: readonly string[] }
  | { readonly kind: "skipped"; readonly reason: string }
  | { readonly kind: "missed"; readonly until: string; readonly count: number }
  | {
      readonly kind: "refused";
      readonly code: string;
      readonly reason: string;
      /** The runs that the tick queued before it was refused. */
      readonly runIds?: readonly string[];
    };

export type ScheduleCommand =
  | ({ readonly type: "create" } & Extract<ScheduleEvent, { type: "ScheduleCreated" }>["data"])
  | ({
      readonly type: "change";
      readonly terms: Partial<ScheduleTerms>;
      readonly at: string;
    } & OnSchedule)
  | ({ readonly type: "pause" } & OnSchedule)
  | ({ readonly type: "resume"; readonly at: string } & OnSchedule)
  | ({ readonly type: "delete" } & OnSchedule)
  | ({ readonly type: "runByHand"; readonly runIds: readonly string[] } & OnSchedule)
  /** The scheduler's command: the next due tick and its outcome. */
  | {
      readonly type: "settleTick";
      readonly scheduleId: string;
      readonly tick: string;
      readonly outcome: TickOutcome;
    };

// ---------------------------------------------------------------- decide

/** Each due tick gets exactly one outcome, the first one recorded, regardless of the number of schedulers. */
export const decide = (command: ScheduleCommand, schedule: Schedule): readonly ScheduleEvent[] => {
  switch (command.type) {
    case "create": {
      const { type: _, ...data } = command;
      return schedule.status === "none" ? [{ type: "ScheduleCreated", data }] : [];
    }
    case "settleTick":
      return settleTick(command, schedule);
    case "change": {
      const { at } = command;
      const { terms: current } = mine(schedule, command);
      const terms = { ...current, ...command.terms };
      if (JSON.stringify(terms) === JSON.stringify(current)) return [];
      if (terms.testIds.length + terms.testSetIds.length === 0) {
        throw new DomainError(
          "schedule.nothingToRun",
          "test_ids: nothing would be left to run. Name tests or test sets, or pause the schedule.",
        );
      }
      return [{ type: "ScheduleChanged", data: { scheduleId: command.scheduleId, terms, at } }];
    }
    case "pause":
      if (mine(schedule, command).status === "paused") return [];
      return [{ type: "SchedulePaused", data: { scheduleId: command.scheduleId } }];
    case "resume": {
      const { scheduleId: id, at } = command;
      if (mine(schedule, command).status === "active") return [];
      return [{ type: "ScheduleResumed", data: { scheduleId: id, at } }];
    }
    case "delete":
      if (schedule.status === "deleted") return [];
      mine(schedule, command);
      return [{ type: "ScheduleDeleted", data: { scheduleId: command.scheduleId } }];
    case "runByHand": {
      mine(schedule, command);
      const { scheduleId: id, runIds } = command;
      return [{ type: "ScheduleRunByHand", data: { scheduleId: id, runIds: [...runIds] } }];
    }
    default:
      return assertNever(command);
  }
};

const settleTick = (
  command: Extract<ScheduleCommand, { type: "settleTick" }>,
  schedule: Schedule,
): readonly ScheduleEvent[] => {
  const { scheduleId: id, tick, outcome } = command;
  if (schedule.status === "none" || schedule.status === "deleted") return [];
  if (schedule.lastTick !== null && schedule.lastTick >= tick) return [];
  // The schedule was paused or changed after it was read, so the tick is no longer due. A run that was already queued
  // is still recorded.
  const isDue = schedule.status === "active" && schedule.settledUntil < tick;
  if (!isDue && outcome.kind !== "fired") return [];
  switch (outcome.kind) {
    case "fired": {
      const fired = { scheduleId: id, tick, runIds: [...outcome.runIds] };
      const data = schedule.isRefusing ? { ...fired, recovered: true as const } : fired;
      return [{ type: "ScheduleFired", data }];
    }
    case "skipped":
      return [
        { type: "ScheduleTickSkipped", data: { scheduleId: id, tick, reason: outcome.reason } },
      ];
    case "missed": {
      const { until, count } = outcome;
      return [{ type: "ScheduleTickMissed", data: { scheduleId: id, tick, until, count } }];
    }
    case "refused": {
      const { code, reason, runIds = [] } = outcome;
      const told = schedule.toldRefusals.get(code);
      const announced = told === undefined || Date.parse(tick) - Date.parse(told) >= DAY_MS;
      const refused = { scheduleId: id, tick, code, reason, announced };
      const data = runIds.length === 0 ? refused : { ...refused, runIds: [...runIds] };
      return [{ type: "ScheduleTickRefused", data }];
    }
    default:
      return assertNever(outcome);
  }
};

const mine = (schedule: Schedule, command: OnSchedule): StandingSchedule => {
  if (schedule.status === "none" || schedule.status === "deleted") {
    throw new DomainError("schedule.unknown", `There is no schedule ${command.scheduleId}.`);
  }
  if (schedule.organizationId !== command.organizationId) {
    throw new DomainError("schedule.foreign", "The schedule belongs to another organisation.");
  }
  const { expectedVersions } = command;
  mustBeCurrent("schedule.stale", "The schedule", schedule.version, expectedVersions);
  return schedule;
};

export const scheduleDecider: Decider<Schedule, ScheduleCommand, ScheduleEvent> = {
  category: "schedule",
  initial: { status: "none" },
  codec: defineCodec(schemas),
  evolve,
  decide,
};
