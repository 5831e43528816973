import { z } from "zod";
import type { Decider } from "../kernel/decider.ts";
import { assertNever } from "../kernel/errors.ts";
import { defineCodec, type EventOf } from "../kernel/events.ts";
import {
  mostUsedBy,
  type Principal,
  principal,
  principalKey,
  type Spender,
  spender,
} from "./spender.ts";

// ---------------------------------------------------------------- Events

const units = z.int().positive();
/** The totals of the month after the event. */
const totals = { used: z.int().nonnegative(), reserved: z.int().nonnegative() };

const schemas = {
  RunsReserved: z.object({
    /** The runs of one request with their units. A unit is one test in one cloud run. */
    runs: z.array(z.object({ runId: z.uuid(), units })).min(1),
    by: principal,
    limit: z.int().nonnegative(),
    planEventId: z.uuid().nullable(),
    ...totals,
  }),
  /** An execution was first claimed. Its unit is spent regardless of the result. */
  ReservationUsed: z.object({ runId: z.uuid(), executionId: z.uuid(), ...totals }),
  /** Units that were never used are released: of one execution, or (`executionId` null) the rest of a run. */
  ReservationReleased: z.object({
    runId: z.uuid(),
    executionId: z.uuid().nullable(),
    units,
    reason: z.string(),
    ...totals,
  }),
  /** A used unit is given back: the service lost every worker of the execution. The receipt of the refund. */
  UnitRefunded: z.object({
    runId: z.uuid(),
    executionId: z.uuid(),
    by: principal,
    reason: z.string(),
    ...totals,
  }),
  /** The receipt of a refusal. Contains everything needed to explain it later. */
  RunsRefused: z.object({
    refusalId: z.uuid(),
    rule: z.literal("monthlyRuns"),
    by: principal,
    requested: units,
    limit: z.int().nonnegative(),
    ...totals,
    usedBy: z.array(spender),
    planEventId: z.uuid().nullable(),
    resetsAt: z.string(),
    minute: z.string(),
    /** Refusals since the previous receipt, including this one. */
    count: units,
  }),
};

export type UsageEvent = EventOf<typeof schemas>;
export type RefusalReceipt = Extract<UsageEvent, { type: "RunsRefused" }>["data"];

// ---------------------------------------------------------------- State

/** The unused reservation of a run. A run without one is removed from the state. */
type Open = {
  readonly by: Principal;
  readonly units: number;
  /** Executions whose unit was used or released. */
  readonly settled: ReadonlySet<string>;
};

export type Usage = {
  readonly used: number;
  readonly reserved: number;
  readonly open: ReadonlyMap<string, Open>;
  /** Units reserved and used in this month, by principal. */
  readonly spenders: ReadonlyMap<string, Spender>;
  /** Executions whose used unit was given back. */
  readonly refunded: ReadonlySet<string>;
  /** The last refusal of each principal. */
  readonly refusals: ReadonlyMap<string, RefusalReceipt>;
};

const initial: Usage = {
  used: 0,
  reserved: 0,
  open: new Map(),
  spenders: new Map(),
  refunded: new Set(),
  refusals: new Map(),
};

// ---------------------------------------------------------------- evolve

export const evolve = (usage: Usage, event: UsageEvent): Usage => {
  switch (event.type) {
    case "RunsReserved": {
      const { runs, by, used, reserved } = event.data;
      const open = new Map(usage.open);
      for (const run of runs) {
        open.set(run.runId, { by, units: run.units, settled: new Set() });
      }
      return { ...usage, used, reserved, open, spenders: spend(usage, by, unitsOf(runs)) };
    }
    case "ReservationUsed": {
      const { runId, executionId, used, reserved } = event.data;
      return { ...usage, used, reserved, open: settle(usage, runId, executionId) };
    }
    case "ReservationReleased": {
      const { runId, executionId, used, reserved } = event.data;
      const by = usage.open.get(runId)?.by;
      return {
        ...usage,
        used,
        reserved,
        open: settle(usage, runId, executionId),
        spenders: by ? spend(usage, by, -event.data.units) : usage.spenders,
      };
    }
    case "UnitRefunded": {
      const { executionId, by, used, reserved } = event.data;
      const refunded = new Set(usage.refunded).add(executionId);
      return { ...usage, used, reserved, refunded, spenders: spend(usage, by, -1) };
    }
    case "RunsRefused":
      return {
        ...usage,
        refusals: new Map(usage.refusals).set(principalKey(event.data.by), event.data),
      };
    default:
      return assertNever(event);
  }
};

const unitsOf = (runs: readonly { readonly units: number }[]): number =>
  runs.reduce((sum, run) => sum + run.units, 0);

const leftOf = (open: Open): number => open.units - open.settled.size;

const settle = (usage: Usage, runId: string, executionId: string | null): Usage["open"] => {
  const run = usage.open.get(runId);
  if (!run) return usage.open;
  const open = new Map(usage.open);
  if (executionId === null || leftOf(run) <= 1) open.delete(runId);
  else open.set(runId, { ...run, settled: new Set(run.settled).add(executionId) });
  return open;
};

const spend = (usage: Usage, by: Principal, change: number): Usage["spenders"] => {
  const units = (usage.spenders.get(principalKey(by))?.units ?? 0) + change;
  return new Map(usage.spenders).set(principalKey(by), { by, units });
};

// ---------------------------------------------------------------- Commands

export type UsageCommand =
  | {
      readonly type: "reserve";
      readonly runs: readonly { readonly runId: string; readonly units: number }[];
      readonly by: Principal;
      readonly limit: number;
      readonly planEventId: string | null;
      /** The fields of the receipt if the request is refused. */
      readonly refusal: {
        readonly refusalId: string;
        readonly minute: string;
        readonly resetsAt: string;
        readonly count: number;
      };
    }
  | { readonly type: "use"; readonly runId: string; readonly executionId: string }
  | {
      readonly type: "release";
      readonly runId: string;
      /** Null: the rest of the run. */
      readonly executionId: string | null;
      readonly reason: string;
    }
  | RefundUnit;

/** Gives back the used unit of an execution. `by`: the principal of its reservation. */
type RefundUnit = {
  readonly type: "refund";
  readonly runId: string;
  readonly executionId: string;
  readonly by: Principal;
  readonly reason: string;
};

// ---------------------------------------------------------------- decide

/**
 * Decides a request all or nothing: it fits within the limit, or a refusal is recorded (see `refusalOf`). The unit of
 * an execution is used or released once, and refunded once, however often the command is repeated.
 */
export const decide = (command: UsageCommand, usage: Usage): readonly UsageEvent[] => {
  switch (command.type) {
    case "reserve": {
      const { runs, by, limit, planEventId } = command;
      if (runs.some((run) => usage.open.has(run.runId))) return [];
      const requested = unitsOf(runs);
      const { used, reserved } = usage;
      if (used + reserved + requested > limit) return refuse(command, requested, usage);
      const data = {
        runs: [...runs],
        by,
        limit,
        planEventId,
        used,
        reserved: reserved + requested,
      };
      return [{ type: "RunsReserved", data }];
    }
    case "use": {
      const { runId, executionId } = command;
      const run = usage.open.get(runId);
      if (!run || run.settled.has(executionId)) return [];
      const after = { used: usage.used + 1, reserved: usage.reserved - 1 };
      return [{ type: "ReservationUsed", data: { runId, executionId, ...after } }];
    }
    case "release": {
      const { runId, executionId, reason } = command;
      const run = usage.open.get(runId);
      if (!run || (executionId !== null && run.settled.has(executionId))) return [];
      const units = executionId === null ? leftOf(run) : 1;
      const after = { used: usage.used, reserved: usage.reserved - units };
      return [
        { type: "ReservationReleased", data: { runId, executionId, units, reason, ...after } },
      ];
    }
    case "refund":
      return refund(command, usage);
    default:
      return assertNever(command);
  }
};

const refund = (command: RefundUnit, usage: Usage): readonly UsageEvent[] => {
  const { runId, executionId, by, reason } = command;
  const open = usage.open.get(runId);
  const wasUsed = usage.used > 0 && (!open || open.settled.has(executionId));
  if (!wasUsed || usage.refunded.has(executionId)) return [];
  const after = { used: usage.used - 1, reserved: usage.reserved };
  return [{ type: "UnitRefunded", data: { runId, executionId, by, reason, ...after } }];
};

/** Records one receipt per principal, rule and minute. */
const refuse = (
  command: Extract<UsageCommand, { type: "reserve" }>,
  requested: number,
  usage: Usage,
): readonly UsageEvent[] => {
  const { by, limit, planEventId, refusal } = command;
  if (usage.refusals.get(principalKey(by))?.minute === refusal.minute) return [];
  return [
    {
      type: "RunsRefused",
      data: {
        ...refusal,
        rule: "monthlyRuns",
        by,
        requested,
        limit,
        used: usage.used,
        reserved: usage.reserved,
        usedBy: mostUsedBy(usage.spenders.values()),
        planEventId,
      },
    },
  ];
};

/** The receipt of a refused `reserve`, null if the units are reserved. */
export const refusalOf = (
  command: Extract<UsageCommand, { type: "reserve" }>,
  outcome: { readonly state: Usage; readonly events: readonly UsageEvent[] },
): RefusalReceipt | null => {
  const { state, events } = outcome;
  if (events.some(({ type }) => type === "RunsReserved")) return null;
  if (command.runs.some((run) => state.open.has(run.runId))) return null;
  return state.refusals.get(principalKey(command.by)) ?? null;
};

export const usageDecider: Decider<Usage, UsageCommand, UsageEvent> = {
  category: "usage",
  initial,
  codec: defineCodec(schemas),
  evolve,
  decide,
};
