import type { CommandContext, CommandLoop } from "../../commands/kernel/commandLoop.ts";
import { withNewIds } from "../../commands/kernel/context.ts";
import type { QueueRunsInput, RunCommands } from "../../commands/runs/runs.ts";
import { asSchedule, runsOf } from "../../commands/schedules/schedules.ts";
import { limitOf } from "../../domain/billing/entitlements.ts";
import { planDecider } from "../../domain/billing/plan.ts";
import { planInForce } from "../../domain/billing/planState.ts";
import { DomainError } from "../../domain/kernel/errors.ts";
import { runDecider } from "../../domain/runs/run.ts";
import { readCron } from "../../domain/schedules/cron.ts";
import { type Due, dueAt } from "../../domain/schedules/due.ts";
import {
  type StandingSchedule,
  scheduleDecider,
  type TickOutcome,
} from "../../domain/schedules/schedule.ts";
import { zoneOf } from "../../domain/schedules/zone.ts";
import { logFailure } from "../../platform/availability.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/database.ts";
import { derivedIdAt, idsFrom } from "../../platform/ids.ts";
import { runWhileLeader } from "../../platform/leases.ts";
import type { Logger } from "../../platform/logger.ts";
import { sleep } from "../../platform/sleep.ts";
import type { ScheduleQueries } from "../../projections/schedules/queries.ts";
import type { ScheduleSlots } from "../../stores/schedules/slots.ts";

const LOOK_MS = 500;
const AT_ONCE = 200;
/** Of one schedule in one look: a service that was away long has other schedules to look at too. */
const TICKS_AT_ONCE = 50;

export type SchedulerDeps = {
  readonly loop: CommandLoop;
  readonly clock: Clock;
  readonly slots: Pick<ScheduleSlots, "rankOf">;
  readonly queries: Pick<ScheduleQueries, "listDue">;
  readonly runs: Pick<RunCommands, "queueRuns" | "findQueued">;
  readonly cancelRun: (context: CommandContext, runId: string) => Promise<unknown>;
  readonly logger: Logger;
};

/**
 * Fires schedules when they are due. One process does, but nothing rests on that: a tick's runs have ids that
 * come of the schedule and the tick, and the schedule's stream takes one outcome for each tick.
 */
export const startScheduler = (
  deps: SchedulerDeps & { readonly db: Database["db"]; readonly holder: string },
): { stop(): Promise<void> } =>
  runWhileLeader({
    name: "scheduler",
    db: deps.db,
    holder: deps.holder,
    logger: deps.logger,
    work: async (over) => {
      while (!over.aborted) {
        await lookOnce(deps, over);
        await sleep(LOOK_MS, over);
      }
    },
  });

/** Settles the due ticks. A failing schedule does not delay the others; it is retried. */
export const lookOnce = async (deps: SchedulerDeps, over: AbortSignal): Promise<void> => {
  const { clock, logger, queries } = deps;
  for (const scheduleId of await queries.listDue(clock().toISOString(), AT_ONCE)) {
    if (over.aborted) return;
    try {
      await settleDue(deps, scheduleId, over);
    } catch (error) {
      logFailure(logger, error, { schedule: scheduleId }, "a schedule could not be processed");
    }
  }
};

const settleDue = async (
  deps: SchedulerDeps,
  scheduleId: string,
  over: AbortSignal,
): Promise<void> => {
  for (let settled = 0; settled < TICKS_AT_ONCE && !over.aborted; settled += 1) {
    const { state } = await deps.loop.load(scheduleDecider, scheduleId);
    if (state.status !== "active") return;
    const read = readCron(state.terms.cron);
    if (!read.ok) return;
    const due = dueAt(state, read.cron, zoneOf(state.terms.zone), deps.clock().toISOString());
    if (due.kind === "nothing") return;
    const context = contextOf(scheduleId, state, due.tick);
    const outcome = await outcomeOf(deps, scheduleId, state, due, context);
    await deps.loop.execute(
      scheduleDecider,
      scheduleId,
      { type: "settleTick", scheduleId, tick: due.tick, outcome },
      withNewIds(context),
    );
  }
};

/** The ids of all that a tick brings about come of it: however often it is tried, and by whomever, it is once. */
const contextOf = (
  scheduleId: string,
  { organizationId, terms }: StandingSchedule,
  tick: string,
): CommandContext => {
  const cause = derivedIdAt(Date.parse(tick), scheduleId, tick);
  const context: CommandContext = {
    actor: { type: "system", id: "scheduler" },
    organizationId,
    correlationId: cause,
    causationId: cause,
    ids: idsFrom(cause),
    again: true,
  };
  return asSchedule(context, scheduleId, terms);
};

const outcomeOf = async (
  deps: SchedulerDeps,
  scheduleId: string,
  schedule: StandingSchedule,
  due: Exclude<Due, { kind: "nothing" }>,
  context: CommandContext,
): Promise<TickOutcome> => {
  const { terms, lastRunIds, organizationId } = schedule;
  const wanted = runsOf(terms);
  // A scheduler that died between queuing and recording leaves runs behind; they are the outcome of the tick.
  const begun = await deps.runs.findQueued(context, wanted.selection);
  if (begun.length > 0) return fire(deps, context, wanted, begun);
  if (due.kind === "missed") return { kind: "missed", until: due.until, count: due.count };

  const refusal = await overLimit(deps, scheduleId, organizationId);
  if (refusal) return { kind: "refused", code: "schedule.limitReached", reason: refusal };
  if (terms.overlap !== "queue") {
    const open = await openOf(deps.loop, lastRunIds);
    if (open.length > 0 && terms.overlap === "skip") {
      return { kind: "skipped", reason: `The run ${open[0]} of the tick before is not over.` };
    }
    for (const runId of open) await deps.cancelRun(withNewIds(context), runId);
  }
  return fire(deps, context, wanted, []);
};

/**
 * Queues the runs of a tick. `begun`: runs of the tick that were queued before; they are reported if the rest is
 * refused.
 */
const fire = async (
  { runs }: Pick<SchedulerDeps, "runs">,
  context: CommandContext,
  wanted: QueueRunsInput,
  begun: readonly string[],
): Promise<TickOutcome> => {
  try {
    const { runIds } = await runs.queueRuns(context, wanted);
    return { kind: "fired", runIds };
  } catch (error) {
    if (!(error instanceof DomainError) || PASSING.has(error.code)) throw error;
    const besides = begun.length > 0 ? " Some of its runs had been queued before." : "";
    return {
      kind: "refused",
      code: error.code,
      reason: `${error.message}${besides}`,
      runIds: begun,
    };
  }
};

/** Refusals that are none: the next look tries again, until the tick is too late. */
const PASSING: ReadonlySet<string> = new Set(["stream.contended", "run.queueTimeout"]);

/** After a downgrade the oldest schedules continue, and the recipients of the others are told the reason. */
const overLimit = async (
  { loop, slots }: SchedulerDeps,
  scheduleId: string,
  organizationId: string,
): Promise<string | null> => {
  const rank = await slots.rankOf(scheduleId);
  const { state } = await loop.load(planDecider, organizationId);
  const { limit, reason } = limitOf(planInForce(state).plan, "schedules");
  return rank !== null && rank > limit ? reason : null;
};

const ENDED: ReadonlySet<string> = new Set([
  "none",
  "abandoned",
  "passed",
  "failed",
  "errored",
  "cancelled",
]);

const openOf = async (loop: CommandLoop, runIds: readonly string[]): Promise<readonly string[]> => {
  const open: string[] = [];
  for (const runId of runIds) {
    const { state } = await loop.load(runDecider, runId);
    if (!ENDED.has(state.status)) open.push(runId);
  }
  return open;
};
