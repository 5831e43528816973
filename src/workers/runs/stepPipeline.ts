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
import { readOneEvent } from "./readOneEvent.ts";

/** Upper limit of events in one append. With the longest errors they stay well below the log's size limit. */
const MAX_BATCH = 200;
const MAX_RETRY_MS = 1_000;
/** Batching window while a client watches the run. An append costs CPU time that the browser needs too. */
const BATCH_MS = 100;
/** Batching window while nobody watches. */
const UNWATCHED_BATCH_MS = 1_000;
/** Events that others wait for. They are written without delay. */
const URGENT: ReadonlySet<ExecutionEvent["type"]> = new Set([
  "ExecutionClaimed",
  "ExecutionFinished",
  "ExecutionCancelled",
  "ExecutionReturned",
]);

export type StepPipeline = {
  /**
   * Decides a command on the state after all earlier commands and queues its events for the log.
   * Returns at once and never throws. Ignored after the lease is lost.
   * `occurredAt` (ISO 8601) defaults to now.
   */
  submit(command: ExecutionCommand, occurredAt?: string): void;
  /** Resolves with true once everything submitted is in the log, with false if the lease is lost. */
  settled(): Promise<boolean>;
  /** Ends the current batching window: a client has begun to watch. */
  flush(): void;
  /** Aborted when the lease is lost. The holder of the delivery must stop. */
  readonly lost: AbortSignal;
  /** Marks the lease as lost and stops writing at once. */
  lose(reason: string): void;
};

type PipelineDeps = {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly executionId: string;
  /** Whether a client watches the run now. Absent: always. */
  readonly isWatched?: (() => boolean) | undefined;
  /** The execution as read from the log, and the revision of its stream. */
  readonly state: Execution;
  readonly revision: bigint;
  readonly metadata: Pick<
    EventMetadata,
    "$correlationId" | "$causationId" | "actor" | "organization_id" | "traceparent"
  >;
};

type Pending = {
  readonly event: ExecutionEvent;
  readonly id: string;
  readonly occurredAt: string;
};

type Pipeline = PipelineDeps & {
  readonly stream: string;
  readonly losing: AbortController;
  state: Execution;
  revision: bigint;
  pending: Pending[];
  writing: Promise<void> | null;
  /** Ends the current batching window. */
  flush: () => void;
  /** Number of pending calls of `settled`. */
  settling: number;
};

/**
 * Writes the events of a delivery in order, one append at a time, at the expected revision. Events that
 * arrive within the batching window share an append. A wrong revision means that another worker has
 * written, so the lease is lost. While the log is unavailable an append is retried with the same event ids.
 */
export const createStepPipeline = (deps: PipelineDeps): StepPipeline => {
  const pipeline: Pipeline = {
    ...deps,
    stream: `${executionDecider.category}-${deps.executionId}`,
    losing: new AbortController(),
    pending: [],
    writing: null,
    flush: () => {},
    settling: 0,
  };
  return {
    submit: (command, occurredAt) => submit(pipeline, command, occurredAt),
    settled: async () => {
      const { signal } = pipeline.losing;
      pipeline.settling += 1;
      pipeline.flush();
      while (pipeline.writing !== null && !signal.aborted) await pipeline.writing;
      pipeline.settling -= 1;
      return !signal.aborted;
    },
    flush: () => pipeline.flush(),
    lost: pipeline.losing.signal,
    lose: (reason) => lose(pipeline, reason),
  };
};

const submit = (pipeline: Pipeline, command: ExecutionCommand, occurredAt?: string): void => {
  if (pipeline.losing.signal.aborted) return;
  let events: readonly ExecutionEvent[];
  try {
    events = executionDecider.decide(command, pipeline.state);
  } catch (error) {
    lose(pipeline, error instanceof DomainError ? error.message : "A report could not be decided.");
    return;
  }
  pipeline.state = events.reduce(executionDecider.evolve, pipeline.state);
  const at = occurredAt ?? pipeline.clock().toISOString();
  for (const event of events) {
    pipeline.pending.push({ event, id: newId(), occurredAt: at });
    if (URGENT.has(event.type)) pipeline.flush();
  }
  startWriting(pipeline);
};

const lose = (pipeline: Pipeline, reason: string): void => {
  const { losing, logger, executionId } = pipeline;
  if (losing.signal.aborted) return;
  logger.warn({ execution: executionId, reason }, "the lease of an execution is lost");
  pipeline.pending = [];
  losing.abort(new Error(reason));
};

const startWriting = (pipeline: Pipeline): void => {
  pipeline.writing ??= write(pipeline)
    .catch((error: unknown) => {
      const { logger, executionId } = pipeline;
      logger.error({ err: error, execution: executionId }, "step events cannot be written");
      lose(pipeline, "The step events cannot be written.");
    })
    .finally(() => {
      pipeline.writing = null;
      if (pipeline.pending.length > 0 && !pipeline.losing.signal.aborted) startWriting(pipeline);
    });
};

const write = async (pipeline: Pipeline): Promise<void> => {
  const { signal } = pipeline.losing;
  while (pipeline.pending.length > 0 && !signal.aborted) {
    await awaitBatch(pipeline);
    if (signal.aborted) return;
    const recordedAt = pipeline.clock().toISOString();
    const batch = pipeline.pending
      .splice(0, MAX_BATCH)
      .map((one) => toNewEvent(pipeline, one, recordedAt));
    await append(pipeline, batch);
  }
};

/** Waits for the batching window, unless an event is urgent or a caller of `settled` waits. */
const awaitBatch = async (pipeline: Pipeline): Promise<void> => {
  const { pending, settling, losing, isWatched } = pipeline;
  if (settling > 0 || pending.some(({ event }) => URGENT.has(event.type))) return;
  const flushed = new AbortController();
  pipeline.flush = () => flushed.abort();
  const ms = isWatched?.() === false ? UNWATCHED_BATCH_MS : BATCH_MS;
  await sleep(ms, AbortSignal.any([flushed.signal, losing.signal]));
};

const toNewEvent = (
  { metadata }: Pipeline,
  { event, id, occurredAt }: Pending,
  recordedAt: string,
): NewEvent => ({
  id,
  type: event.type,
  data: event.data,
  metadata: {
    ...metadata,
    occurred_at: occurredAt,
    recorded_at: recordedAt,
    schema_version: executionDecider.codec.schemaVersion,
  },
});

const append = async (pipeline: Pipeline, batch: readonly NewEvent[]): Promise<void> => {
  const { log, stream, logger, executionId, losing } = pipeline;
  let mayBeWritten = false;
  for (let attempt = 1; !losing.signal.aborted; attempt += 1) {
    try {
      pipeline.revision = (await log.append(stream, batch, pipeline.revision)).revision;
      return;
    } catch (error) {
      if (error instanceof WrongRevisionError) {
        const written = mayBeWritten ? await revisionOf(pipeline, batch) : null;
        if (written === null) lose(pipeline, "Another worker has written to the execution.");
        else pipeline.revision = written;
        return;
      }
      const isUnavailable =
        error instanceof LogUnavailableError || error instanceof AppendOutcomeUnknownError;
      if (!isUnavailable) {
        logger.error({ err: error, execution: executionId }, "step events cannot be written");
        lose(pipeline, "The log refuses the events of the execution.");
        return;
      }
      mayBeWritten ||= error instanceof AppendOutcomeUnknownError;
      await sleep(Math.min(MAX_RETRY_MS, 25 * 2 ** attempt), losing.signal);
    }
  }
};

/** The revision of the batch's last event if it is the last event of the stream, else null. */
const revisionOf = async (
  { log, stream, logger, executionId }: Pipeline,
  batch: readonly NewEvent[],
): Promise<bigint | null> => {
  try {
    const newest = await readOneEvent(log.readStreamBackwards(stream, { limit: 1 }));
    return newest && newest.id === batch.at(-1)?.id ? newest.revision : null;
  } catch (error) {
    logFailure(
      logger,
      error,
      { execution: executionId },
      "the outcome of an append could not be read",
    );
  }
  return null;
};
