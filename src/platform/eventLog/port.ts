import type { EventMetadata } from "../../domain/kernel/events.ts";

/** An event to append. Ids are fixed before any retry, so that an unknown outcome can be settled by looking for them. */
export type NewEvent = {
  readonly id: string;
  readonly type: string;
  readonly data: unknown;
  readonly metadata: EventMetadata;
};

/** An event as it was recorded. `revision` counts from 0 in its stream; `position` is its commit position in `$all`. */
export type RecordedEvent<Data = unknown> = {
  readonly id: string;
  readonly stream: string;
  readonly revision: bigint;
  readonly position: bigint;
  readonly type: string;
  readonly data: Data;
  readonly metadata: EventMetadata;
};

/** What the stream must look like for an append to succeed: its last revision, or that it does not exist. */
export type ExpectedRevision = bigint | "no_stream" | "any";

export type Appended = { readonly revision: bigint; readonly position: bigint };

/** A running subscription: pull events with `for await`; `close()` ends the loop. It rejects with LogUnavailableError when the log goes away: subscribe again from the last position handled. */
export type LogSubscription = AsyncIterable<RecordedEvent> & { close(): Promise<void> };

/**
 * The event log. One implementation: the unmodified `@eventstore/db-client`, whatever server is behind it.
 * Errors: WrongRevisionError, LogUnavailableError (nothing was written), AppendOutcomeUnknownError (perhaps written).
 */
export type EventLog = {
  append(
    stream: string,
    events: readonly NewEvent[],
    expected: ExpectedRevision,
  ): Promise<Appended>;
  /** Reads forward from `from` (inclusive, default the start). A missing stream yields nothing. */
  readStream(
    stream: string,
    options?: { from?: bigint; limit?: number },
  ): AsyncIterable<RecordedEvent>;
  /** Reads a stream backwards from `from` (inclusive, default its end): the newest first. */
  readStreamBackwards(
    stream: string,
    options?: { from?: bigint; limit?: number },
  ): AsyncIterable<RecordedEvent>;
  /** Reads `$all` forward after the given position (exclusive; null = from the start). System events are left out. */
  readAll(options: { after: bigint | null; limit?: number }): AsyncIterable<RecordedEvent>;
  /** The position of the newest event in `$all`, null when the log is empty. */
  head(): Promise<bigint | null>;
  /** Subscribes to `$all` after the given position (null = from the start), unfiltered; system events are left out. */
  subscribeAll(options: { after: bigint | null }): LogSubscription;
  close(): Promise<void>;
};
