import type { Readable } from "node:stream";
import {
  type AllStreamResolvedEvent,
  BACKWARDS,
  type RecordedEvent as ClientEvent,
  StreamDeletedError as ClientStreamDeletedError,
  type Direction,
  END,
  type EventStoreDBClient,
  FORWARDS,
  type ReadRevision,
  START,
  StreamNotFoundError,
} from "@eventstore/db-client";
import type { EventMetadata } from "../../domain/kernel/events.ts";
import { createAppender } from "./appender.ts";
import { disposeClient } from "./dispose.ts";
import { encodeEvents } from "./encode.ts";
import { LogUnavailableError, StreamDeletedError } from "./errors.ts";
import { openClient } from "./openClient.ts";
import type { EventLog, LogSubscription, RecordedEvent } from "./port.ts";

/** Receives the warnings of the client. A pino logger fits. */
export type LogClientLogger = { warn(fields: object, message: string): void };

/** The page size of the search for the newest event that is not a system event. */
const HEAD_PAGE = 16;

/** The buffer of decoded events in the client. */
const READ_AHEAD = { highWaterMark: 256 };

/**
 * Connects to an EventStoreDB server. The connection is opened on first use and reopened after it broke;
 * subscriptions then end with LogUnavailableError.
 *
 * `appendTimeoutMs` (10 s by default) limits every append. Use one connection per process: with several, the
 * outcome of an append is unknown after any of their connections broke.
 */
export const connectEventLog = (
  url: string,
  options: { appendTimeoutMs?: number; logger?: LogClientLogger } = {},
): EventLog => {
  const reading = openClient(url);
  const appender = createAppender({
    url,
    timeoutMs: options.appendTimeoutMs ?? 10_000,
    ...(options.logger ? { logger: options.logger } : {}),
  });
  const subscriptions = new Set<LogSubscription>();

  return {
    append: async (stream, events, expected) =>
      appender.append(stream, encodeEvents(events), expected),
    readStream: (stream, { from, limit } = {}) =>
      readStream(reading, stream, { direction: FORWARDS, from: from ?? START, limit }),
    readStreamBackwards: (stream, { from, limit } = {}) =>
      readStream(reading, stream, { direction: BACKWARDS, from: from ?? END, limit }),
    readAll: readAll.bind(null, reading),
    head: head.bind(null, reading),
    subscribeAll: ({ after }) => {
      const subscription = subscribeAll(reading, after, () => subscriptions.delete(subscription));
      subscriptions.add(subscription);
      return subscription;
    },
    close: async () => {
      for (const subscription of subscriptions) await subscription.close();
      await Promise.all([appender.close(), disposeClient(reading)]);
    },
  };
};

/** Reads `$all` without system events, up to `limit` events after a position. */
async function* readAll(
  client: EventStoreDBClient,
  { after, limit = Number.MAX_SAFE_INTEGER }: Parameters<EventLog["readAll"]>[0],
): AsyncGenerator<RecordedEvent> {
  let from = after;
  let left = limit;
  while (left > 0) {
    // One more, because a read includes its start position.
    const asked = left === Number.MAX_SAFE_INTEGER ? left : left + 1;
    let seen = 0;
    const page = client.readAll({
      direction: FORWARDS,
      maxCount: asked,
      fromPosition: from === null ? START : { commit: from, prepare: from },
    });
    for await (const resolved of closing(page)) {
      seen += 1;
      const position = positionOf(resolved);
      if (position === null || (from !== null && position <= from)) continue;
      from = position;
      const event = resolved.event;
      if (!event || isSystem(event) || left === 0) continue;
      left -= 1;
      yield toRecorded(event, position);
    }
    if (seen < asked) return;
  }
}

/** The position of the newest event that is no system event; null if there is none. */
const head = async (client: EventStoreDBClient): Promise<bigint | null> => {
  let from: typeof END | { commit: bigint; prepare: bigint } = END;
  for (;;) {
    let newest: bigint | null = null;
    let oldest: bigint | null = null;
    const page = client.readAll({
      direction: BACKWARDS,
      fromPosition: from,
      maxCount: HEAD_PAGE,
    });
    for await (const resolved of closing(page)) {
      oldest = positionOf(resolved) ?? oldest;
      if (resolved.event && !isSystem(resolved.event)) newest ??= positionOf(resolved);
    }
    if (newest !== null || oldest === null) return newest;
    // The page has system events only.
    const reached = { commit: oldest, prepare: oldest };
    if (from !== END && from.commit === oldest) return null;
    from = reached;
  }
};

type ClientRead<T> = Readable & AsyncIterable<T> & { cancel(): Promise<void> };

/**
 * Iterates a read of the client. Its errors become LogUnavailableError. Leaving the loop cancels the call and
 * drains it: a call that the server has ended already ignores the cancellation, and unread data would keep the
 * client from closing.
 */
async function* closing<T>(read: ClientRead<T>): AsyncGenerator<T> {
  let finished = false;
  try {
    for await (const item of read.iterator({ destroyOnReturn: false })) yield item as T;
    finished = true;
  } catch (error) {
    finished = true;
    if (error instanceof StreamNotFoundError) throw error;
    if (error instanceof ClientStreamDeletedError) throw new StreamDeletedError(error);
    throw new LogUnavailableError(error);
  } finally {
    if (!finished) {
      read.on("error", () => undefined);
      await read.cancel();
      read.resume();
    }
  }
}

async function* readStream(
  client: EventStoreDBClient,
  stream: string,
  options: {
    readonly direction: Direction;
    readonly from: ReadRevision;
    readonly limit: number | undefined;
  },
): AsyncGenerator<RecordedEvent> {
  const { direction, from, limit = Number.MAX_SAFE_INTEGER } = options;
  if (limit === 0) return;
  try {
    const page = client.readStream(stream, { direction, fromRevision: from, maxCount: limit });
    for await (const { event, commitPosition } of closing(page)) {
      if (event) yield toRecorded(event, event.position?.commit ?? commitPosition ?? 0n);
    }
  } catch (error) {
    if (!(error instanceof StreamNotFoundError)) throw error;
  }
}

const subscribeAll = (
  client: EventStoreDBClient,
  after: bigint | null,
  onClosed: () => void,
): LogSubscription => {
  const subscription = client.subscribeToAll(
    { fromPosition: after === null ? START : { commit: after, prepare: after } },
    READ_AHEAD,
  );
  // An error before the loop starts must not be unhandled: the loop throws it.
  let broken: unknown = null;
  subscription.on("error", (error) => {
    broken ??= error;
  });
  let closed = false;
  const close = async (): Promise<void> => {
    if (closed) return;
    closed = true;
    onClosed();
    // Cancellation does not end the client's stream: destroy it too.
    await subscription.unsubscribe().catch(() => undefined);
    subscription.destroy();
  };
  async function* events(): AsyncGenerator<RecordedEvent> {
    try {
      if (broken !== null) throw broken;
      for await (const resolved of subscription) {
        if (closed) return;
        const position = positionOf(resolved);
        if (position === null || !resolved.event || isSystem(resolved.event)) continue;
        yield toRecorded(resolved.event, position);
      }
    } catch (error) {
      if (!closed) throw new LogUnavailableError(error);
      return;
    } finally {
      await close();
    }
    if (!closed) throw new LogUnavailableError(new Error("The server ended the subscription"));
  }
  return { [Symbol.asyncIterator]: () => events(), close };
};

/** Names of system streams and types begin with `$`. */
const isSystem = (event: ClientEvent): boolean =>
  event.type.startsWith("$") || event.streamId.startsWith("$");

/** The commit position. It equals the prepare position for all events that the service writes. */
const positionOf = (resolved: AllStreamResolvedEvent): bigint | null =>
  resolved.event?.position.commit ?? resolved.commitPosition ?? null;

const toRecorded = (event: ClientEvent, position: bigint): RecordedEvent => ({
  id: event.id,
  stream: event.streamId,
  revision: event.revision,
  position,
  type: event.type,
  data: event.data,
  metadata: event.metadata as EventMetadata,
});
