import { DomainError } from "../../domain/kernel/errors.ts";
import type { EventMetadata } from "../../domain/kernel/events.ts";
import type { ExecutionEvent } from "../../domain/runs/executions/events.ts";
import { type ExecutionCommand, executionDecider } from "../../domain/runs/executions/execution.ts";
import type { Execution } from "../../domain/runs/executions/state.ts";
import { logFailure } from "../../platform/availability.ts";
import type { Clock } from "../../platform/clock.ts";
import {
  AppendOutcomeUnknownError,
  LogUnavailableError,
  WrongRevisionError,
} from "../../platform/eventLog/errors.ts";
import type { EventLog, NewEvent } from "../../platform/eventLog/port.ts";
import { newId } from "../../platform/ids.ts";
import type { Logger } from "../../platform/logger.ts";
import { sleep } from "../../platform/sleep.ts";
import { oneEvent } from "./readOneEvent.ts";

/** So many events go into one append at most: with the longest errors they stay well below the log's limit. */
const MOST_IN_ONE_APPEND = 200;
const LONGEST_PAUSE_MS = 1_000;
/**
 * What is reported within so long goes into one append: each costs the log, the read models and the database
 * a turn, on the machine that the browser runs on as well. Who watches sees a step within 200 ms.
 */
const GATHER_MS = 100;
/** While nobody watches. */
const GATHER_UNSEEN_MS = 1_000;
/** What others wait for is written at once. */
const URGENT: ReadonlySet<ExecutionEvent["type"]> = new Set([
  "ExecutionClaimed",
  "ExecutionFinished",
  "ExecutionCancelled",
  "ExecutionReturned",
]);

export type StepPipeline = {
  /**
   * Decides a command on what was submitted so far and passes its events on to the log. Never waits
   * and never throws: once the lease is lost nothing is taken any more.
   * `occurredAt` (ISO 8601) is when it happened, now unless given.
   */
  submit(command: ExecutionCommand, occurredAt?: string): void;
  /** Resolves once everything submitted so far is in the log (true), or the lease is lost (false). */
  settled(): Promise<boolean>;
  /** Has written what is there: somebody has begun to watch. */
  hurry(): void;
  /** Aborted once the lease is lost: whoever works for this delivery must stop. */
  readonly lost: AbortSignal;
  /** The lease is gone: stops writing at once. */
  lose(reason: string): void;
};

/**
 * Writes what a delivery reports, in order, beside the browser: one append in flight, at the revision
 * that it knows; what is reported in the moment after goes with it, a long moment while nobody watches. A wrong revision means that another has
 * written, so the lease is lost. A log that is away is tried again, with the same ids, for as long as
 * the lease holds.
 */
export const createStepPipeline = (deps: {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly executionId: string;
  /** Whether somebody watches its run now; it is as if somebody did unless it is said. */
  readonly isWatched?: (() => boolean) | undefined;
  /** The execution as it was read, and the revision of its stream then. */
  readonly state: Execution;
  readonly revision: bigint;
  readonly metadata: Pick<
    EventMetadata,
    "$correlationId" | "$causationId" | "actor" | "organization_id" | "traceparent"
  >;
}): StepPipeline => {
  const { log, clock, logger, executionId } = deps;
  const stream = `${executionDecider.category}-${executionId}`;
  const losing = new AbortController();
  let { state, revision } = deps;
  let waiting: { event: ExecutionEvent; id: string; occurredAt: string }[] = [];
  let writing: Promise<void> | null = null;
  /** Ends the gathering. */
  let hurry: () => void = () => {};
  /** How many wait until all is written. */
  let settling = 0;

  const lose = (reason: string): void => {
    if (losing.signal.aborted) return;
    logger.warn({ execution: executionId, reason }, "the lease of an execution is lost");
    waiting = [];
    losing.abort(new Error(reason));
  };

  const toNewEvent = (one: (typeof waiting)[number], recordedAt: string): NewEvent => ({
    id: one.id,
    type: one.event.type,
    data: one.event.data,
    metadata: {
      ...deps.metadata,
      occurred_at: one.occurredAt,
      recorded_at: recordedAt,
      schema_version: executionDecider.codec.schemaVersion,
    },
  });

  const write = async (): Promise<void> => {
    while (waiting.length > 0 && !losing.signal.aborted) {
      await gather();
      if (losing.signal.aborted) return;
      const recordedAt = clock().toISOString();
      const batch = waiting.splice(0, MOST_IN_ONE_APPEND).map((one) => toNewEvent(one, recordedAt));
      await append(batch);
    }
  };

  /** Waits a moment for what else is reported, unless somebody waits for what is there. */
  const gather = async (): Promise<void> => {
    if (settling > 0 || waiting.some(({ event }) => URGENT.has(event.type))) return;
    const enough = new AbortController();
    hurry = () => enough.abort();
    const ms = deps.isWatched?.() === false ? GATHER_UNSEEN_MS : GATHER_MS;
    await sleep(ms, AbortSignal.any([enough.signal, losing.signal]));
  };

  const append = async (batch: readonly NewEvent[]): Promise<void> => {
    let perhapsWritten = false;
    for (let attempt = 1; !losing.signal.aborted; attempt += 1) {
      try {
        revision = (await log.append(stream, batch, revision)).revision;
        return;
      } catch (error) {
        if (error instanceof WrongRevisionError) {
          const mine = perhapsWritten ? await revisionOf(batch) : null;
          if (mine === null) lose("Another has written to the execution.");
          else revision = mine;
          return;
        }
        const away =
          error instanceof LogUnavailableError || error instanceof AppendOutcomeUnknownError;
        if (!away) {
          logger.error({ err: error, execution: executionId }, "step events cannot be written");
          lose("The log refuses what the execution reports.");
          return;
        }
        perhapsWritten ||= error instanceof AppendOutcomeUnknownError;
        await sleep(Math.min(LONGEST_PAUSE_MS, 25 * 2 ** attempt), losing.signal);
      }
    }
  };

  /** The revision of the batch's last event when the log has the batch at the stream's very end after all, else null. */
  const revisionOf = async (batch: readonly NewEvent[]): Promise<bigint | null> => {
    try {
      const newest = await oneEvent(log.readStreamBackwards(stream, { limit: 1 }));
      return newest && newest.id === batch.at(-1)?.id ? newest.revision : null;
    } catch (error) {
      logFailure(logger, error, { execution: executionId }, "an append cannot be looked up");
    }
    return null;
  };

  const startWriting = (): void => {
    writing ??= write()
      .catch((error: unknown) => {
        logger.error({ err: error, execution: executionId }, "step events cannot be written");
        lose("The step events cannot be written.");
      })
      .finally(() => {
        writing = null;
        if (waiting.length > 0 && !losing.signal.aborted) startWriting();
      });
  };

  return {
    submit: (command, occurredAt) => {
      if (losing.signal.aborted) return;
      let events: readonly ExecutionEvent[];
      try {
        events = executionDecider.decide(command, state);
      } catch (error) {
        lose(error instanceof DomainError ? error.message : "A report could not be decided.");
        return;
      }
      state = events.reduce(executionDecider.evolve, state);
      const at = occurredAt ?? clock().toISOString();
      for (const event of events) {
        waiting.push({ event, id: newId(), occurredAt: at });
        if (URGENT.has(event.type)) hurry();
      }
      startWriting();
    },
    settled: async () => {
      settling += 1;
      hurry();
      while (writing !== null && !losing.signal.aborted) await writing;
      settling -= 1;
      return !losing.signal.aborted;
    },
    hurry: () => hurry(),
    lost: losing.signal,
    lose,
  };
};
