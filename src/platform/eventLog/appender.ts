import {
  StreamDeletedError as ClientStreamDeletedError,
  type EventData,
  type EventStoreDBClient,
  WrongExpectedVersionError,
} from "@eventstore/db-client";
import { sleep } from "../sleep.ts";
import { type Backpressure, watchBackpressure } from "./backpressure.ts";
import { disposeClient } from "./dispose.ts";
import type { EncodedEvent } from "./encode.ts";
import {
  AppendOutcomeUnknownError,
  LogUnavailableError,
  StreamDeletedError,
  WrongRevisionError,
} from "./errors.ts";
import { openClient } from "./openClient.ts";
import type { Appended, ExpectedRevision } from "./port.ts";

/** The maximum of unsettled appends. If the connection breaks, the outcome of all of them is unknown. */
const MAX_IN_FLIGHT = 512;

/** The time to wait for a response after the server's deadline. */
const GRACE_MS = 1_000;

/** The interval of attempts to create a client. */
const RETRY_MS = 500;

const UNAVAILABLE = 14;
const PERMISSION_DENIED = 7;
const UNAUTHENTICATED = 16;

export type Appender = {
  /** Rejects with WrongRevisionError, StreamDeletedError, LogUnavailableError or AppendOutcomeUnknownError; other errors are refusals by the server. */
  append(
    stream: string,
    events: readonly EncodedEvent[],
    expected: ExpectedRevision,
  ): Promise<Appended>;
  close(): Promise<void>;
};

/** A client with its number of unsettled appends. */
type Connection = {
  readonly client: EventStoreDBClient;
  inFlight: number;
  readonly backpressure: Backpressure;
};

/**
 * The number of appenders in this process. All instances of the client share one list of pending appends and
 * reject all of them with the error of the first connection that breaks: with several appenders, an error may
 * belong to another append.
 */
let appenders = 0;

/** Appends through a client of its own, which is replaced if it does not answer. */
export const createAppender = (deps: {
  url: string;
  timeoutMs: number;
  logger?: { warn(fields: object, message: string): void };
}): Appender => {
  const { url, timeoutMs, logger } = deps;
  const connect = (): Connection => {
    const client = openClient(url);
    return { client, inFlight: 0, backpressure: watchBackpressure(client, () => admit()) };
  };
  /** Retries until it succeeds: a certificate file may be in replacement. */
  const connectAgain = async (): Promise<Connection> => {
    for (;;) {
      try {
        return connect();
      } catch (error) {
        logger?.warn({ err: error }, "Creating a client of the event log failed");
        await sleep(RETRY_MS);
        if (closed) return connection;
      }
    }
  };
  let connection = connect();
  let replacing: Promise<void> | null = null;
  let closed = false;
  const waiting: ((connection: Connection) => void)[] = [];
  appenders += 1;

  const enter = (): Connection => {
    connection.inFlight += 1;
    connection.backpressure.take();
    return connection;
  };
  const isOpen = (): boolean =>
    connection.inFlight < MAX_IN_FLIGHT &&
    !replacing &&
    connection.backpressure.hasRoom(connection.inFlight);
  const admit = (): void => {
    while (waiting.length > 0 && isOpen()) {
      const next = waiting.shift();
      if (!next) return;
      next(enter());
    }
  };
  /** Waits for room for an append; null if there is none in time. */
  const waitForRoom = (): Promise<Connection | null> => {
    if (waiting.length === 0 && isOpen()) return Promise.resolve(enter());
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(admitted), 1);
        resolve(null);
      }, timeoutMs);
      const admitted = (to: Connection): void => {
        clearTimeout(timer);
        resolve(to);
      };
      waiting.push(admitted);
    });
  };

  /** Replaces a client that did not answer an append in time. */
  const replace = (silent: Connection): void => {
    if (replacing || closed || connection !== silent) return;
    logger?.warn({}, "The event log does not answer appends; reconnecting");
    replacing = disposeClient(silent.client)
      .then(connectAgain)
      .then((next) => {
        connection = next;
        replacing = null;
        admit();
      });
  };

  return {
    append: async (stream, events, expected) => {
      if (closed) throw new LogUnavailableError(new Error("The log client is closed"));
      const taken = await waitForRoom();
      if (!taken) {
        throw new LogUnavailableError(new Error("Too many appends are waiting for the log"));
      }
      const sent = taken.client
        .appendToStream(stream, events as EventData[], {
          expectedRevision: expected,
          deadline: timeoutMs,
        })
        .finally(() => {
          taken.inFlight -= 1;
          admit();
        });
      let timer: NodeJS.Timeout | undefined;
      const silence = new Promise<never>((_, reject) => {
        timer = setTimeout(() => {
          replace(taken);
          reject(new AppendOutcomeUnknownError(new Error("The log did not answer in time")));
        }, timeoutMs + GRACE_MS);
      });
      try {
        const result = await Promise.race([sent, silence]);
        return { revision: result.nextExpectedRevision, position: result.position?.commit ?? 0n };
      } catch (error) {
        throw classify(error, stream, { alone: appenders === 1 });
      } finally {
        clearTimeout(timer);
        sent.catch(() => undefined);
      }
    },
    close: async () => {
      if (closed) return;
      closed = true;
      await replacing;
      await disposeClient(connection.client);
      appenders -= 1;
    },
  };
};

/**
 * Converts an error of the client. Unknown errors are returned unchanged. `alone`: the error can only belong to
 * the append's own connection.
 */
export const classify = (
  error: unknown,
  stream: string,
  { alone }: { alone: boolean },
): unknown => {
  if (error instanceof AppendOutcomeUnknownError) return error;
  if (error instanceof WrongExpectedVersionError) {
    const { actualVersion } = error;
    return new WrongRevisionError(stream, typeof actualVersion === "bigint" ? actualVersion : null);
  }
  if (error instanceof ClientStreamDeletedError) return new StreamDeletedError(error);
  const { code, type, message } = error as { code?: unknown; type?: unknown; message?: unknown };
  // The client was replaced before the call began: nothing was sent.
  if (message === SHUT_DOWN) return new LogUnavailableError(error);
  // Refused by authentication: nothing was written. Credentials may be in replacement.
  const isRefused = code === UNAUTHENTICATED || code === PERMISSION_DENIED;
  if (isRefused || type === "access-denied") return new LogUnavailableError(error);
  if (code === UNAVAILABLE) {
    return alone && NOT_WRITTEN.some((sign) => String(message).includes(sign))
      ? new LogUnavailableError(error)
      : new AppendOutcomeUnknownError(error);
  }
  // An error without a type is a gRPC error that the client does not know.
  const unclear = type === undefined ? typeof code === "number" : OUTCOME_UNKNOWN.has(String(type));
  return unclear ? new AppendOutcomeUnknownError(error) : error;
};

/** The message of gRPC for a call on a closed connection. It has no code. */
const SHUT_DOWN = "Channel has been shut down";

/** Messages of UNAVAILABLE for appends that were certainly not written. */
const NOT_WRITTEN = ["No connection established", "Name resolution failed", "Nothing was written"];

/** Error types of the client after which an append may be in the log. */
const OUTCOME_UNKNOWN = new Set([
  "timeout",
  "deadline-exceeded",
  "unavailable",
  "cancelled",
  "unknown",
]);
