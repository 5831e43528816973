import {
  type CommandContext,
  type CommandLoop,
  createCommandLoop,
} from "../../commands/kernel/commandLoop.ts";
import { RELEASE_AFTER_MS, type UsageCommands } from "../../commands/usage/index.ts";
import { executionDecider } from "../../domain/runs/executions/execution.ts";
import { runDecider } from "../../domain/runs/run.ts";
import { logFailure } from "../../platform/availability.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/database.ts";
import type { EventLog } from "../../platform/eventLog/port.ts";
import { newId } from "../../platform/ids.ts";
import { createLease } from "../../platform/leases.ts";
import type { Logger } from "../../platform/logger.ts";
import { sleep } from "../../platform/sleep.ts";
import { dispatchQueue } from "../../stores/runs/dispatchQueue.ts";
import { executorSlots } from "../../stores/runs/executorSlots.ts";
import { executionLeases, type Held, LEASE_SECONDS } from "../../stores/runs/leases.ts";
import { pendingReservations } from "../../stores/runs/pendingReservations.ts";
import { contextFrom } from "./eventContext.ts";
import { readOneEvent } from "./readOneEvent.ts";

const ACTOR = "watchdog";
const TICK_MS = 1_000;
/** The time that work may wait without a live executor before a warning is logged, which is repeated once a minute. */
const STARVED_AFTER_SECONDS = 10;
const WARN_EVERY_MS = 60_000;

export type WatchdogDeps = {
  readonly log: EventLog;
  readonly db: Database["db"];
  readonly usage: Pick<UsageCommands, "releaseUnqueued">;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Names this process in leases: the same as its executor's. */
  readonly holder: string;
  /**
   * This process is the whole deployment (its database is embedded, under the lock of the data
   * folder): leases of any other worker are of a dead predecessor and need not run out first.
   */
  readonly alone: boolean;
};

/**
 * Finds stuck executions and moves them on, so that every run ends: expired leases, claims without a lease,
 * reservations without a run. Logs a warning if work waits and no executor lives.
 */
export const startWatchdog = (deps: WatchdogDeps): { stop(): Promise<void> } => {
  const { log, db, clock, logger } = deps;
  const watch: Watch = {
    ...deps,
    leases: executionLeases(db),
    queue: dispatchQueue(db),
    slots: executorSlots(db),
    pending: pendingReservations(db),
    // The lease holder appends without the command cache of this process, so the watchdog reads the log before each
    // decision.
    commands: createCommandLoop({ log, clock, cachedStreams: 0 }),
    warnedAt: null,
  };
  const lead = createLease(db, "watchdog", deps.holder);
  const stopping = new AbortController();

  const run = async (): Promise<void> => {
    let hasPredecessors = deps.alone;
    while (!stopping.signal.aborted) {
      try {
        if (hasPredecessors) await expireLeasesOfOthers(watch);
        hasPredecessors = false;
        if (await lead.hold()) await moveStuckOnes(watch);
      } catch (error) {
        if (!stopping.signal.aborted) logFailure(logger, error, {}, "watchdog interrupted");
      }
      await sleep(TICK_MS, stopping.signal);
    }
    await lead.release().catch(() => undefined);
  };
  const running = run();

  return {
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
};

type Watch = WatchdogDeps & {
  readonly leases: ReturnType<typeof executionLeases>;
  readonly queue: ReturnType<typeof dispatchQueue>;
  readonly slots: ReturnType<typeof executorSlots>;
  readonly pending: ReturnType<typeof pendingReservations>;
  readonly commands: CommandLoop;
  /** The time of the last warning that no executor lives. */
  warnedAt: number | null;
};

const moveStuckOnes = async (watch: Watch): Promise<void> => {
  const { leases, queue, slots } = watch;
  for (const held of await leases.takeExpired()) await expire(watch, held, "its lease ran out");
  for (const claimed of await queue.listClaimedWithoutLease(LEASE_SECONDS)) {
    await expire(watch, claimed, "it has no lease");
  }
  await releaseUnqueuedRuns(watch);
  await cancelOverdueRuns(watch);
  await slots.forgetDead();
  await warnIfStarved(watch);
};

const expireLeasesOfOthers = async (watch: Watch): Promise<void> => {
  const { slots, leases, holder } = watch;
  await slots.removeOthers(holder);
  for (const held of await leases.takeOthers(holder)) {
    await expire(watch, held, "its process is gone");
  }
};

const expire = async (
  { log, commands, logger }: Watch,
  { executionId, delivery }: Held,
  reason: string,
): Promise<void> => {
  const stream = `${executionDecider.category}-${executionId}`;
  const queued = await readOneEvent(log.readStream(stream, { limit: 1 }));
  if (!queued) return;
  const { events } = await commands.execute(
    executionDecider,
    executionId,
    { type: "expireLease", delivery },
    contextFrom(queued, ACTOR),
  );
  if (events.length > 0) {
    logger.warn({ execution: executionId, delivery, reason }, "a worker is taken for dead");
  }
};

const releaseUnqueuedRuns = async ({ pending, usage, logger }: Watch): Promise<void> => {
  for (const one of await pending.listOlderThan(RELEASE_AFTER_MS / 1_000)) {
    await usage.releaseUnqueued(contextNow(one.organizationId), one);
    await pending.remove(one.runId);
    logger.warn({ run: one.runId }, "the reservation of a run that was never queued is released");
  }
};

const cancelOverdueRuns = async ({ queue, commands, logger }: Watch): Promise<void> => {
  for (const { runId, organizationId } of await queue.listOverdueRuns()) {
    const { events } = await commands.execute(
      runDecider,
      runId,
      { type: "cancel", runId, reason: "overdue" },
      contextNow(organizationId),
    );
    if (events.length > 0) logger.warn({ run: runId }, "a run takes too long and is stopped");
  }
};

const warnIfStarved = async (watch: Watch): Promise<void> => {
  const { queue, slots, logger, warnedAt } = watch;
  if (warnedAt !== null && performance.now() - warnedAt < WARN_EVERY_MS) return;
  const { count, oldestSeconds } = await queue.countWaiting();
  if (count === 0 || oldestSeconds < STARVED_AFTER_SECONDS) return;
  if ((await slots.countLive()) > 0) return;
  watch.warnedAt = performance.now();
  logger.error(
    { waiting: count, oldest_seconds: Math.round(oldestSeconds) },
    "executions wait and no executor lives: start a process with the role executor",
  );
};

const contextNow = (organizationId: string): CommandContext => {
  const id = newId();
  return {
    actor: { type: "system", id: ACTOR },
    organizationId,
    correlationId: id,
    causationId: id,
  };
};
