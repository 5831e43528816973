import type { EventMetadata } from "../../domain/kernel/events.ts";

/** An event to append. Its id stays the same for retries, so that an append of unknown outcome can be repeated. */
export type NewEvent = {
  readonly id: string;
  readonly type: string;
  readonly data: unknown;
  readonly metadata: EventMetadata;
};

/** A recorded event. `revision` counts from 0 in its stream; `position` is its commit position in `$all`. */
export type RecordedEvent<Data = unknown> = {
  readonly id: string;
  readonly stream: string;
  readonly revision: bigint;
  readonly position: bigint;
  readonly type: string;
  readonly data: Data;
  readonly metadata: EventMetadata;
};

/** The state of the stream that an append requires: its last revision, no stream, or any. */
export type ExpectedRevision = bigint | "no_stream" | "any";

export type Appended = { readonly revision: bigint; readonly position: bigint };

/** A subscription: read it with `for await`; `close()` ends the loop. Rejects with LogUnavailableError if the log becomes unavailable: subscribe again after the last handled position. */
export type LogSubscription = AsyncIterable<RecordedEvent> & { close(): Promise<void> };

/**
 * The event log, implemented with the unmodified `@eventstore/db-client` for any EventStoreDB server.
 * Errors: WrongRevisionError, LogUnavailableError (nothing was written), AppendOutcomeUnknownError (possibly written).
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
