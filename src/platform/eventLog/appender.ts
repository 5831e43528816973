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

/** So many appends are unsettled at a time at most; the rest wait here. A connection that breaks leaves them all unknown. */
const MAX_IN_FLIGHT = 512;

/** How much longer than the server's deadline we wait for its answer. */
const GRACE_MS = 1_000;

/** So soon it is tried again to make a client. */
const RETRY_MS = 500;

const UNAVAILABLE = 14;
const PERMISSION_DENIED = 7;
const UNAUTHENTICATED = 16;

export type Appender = {
  /** Rejects with WrongRevisionError, LogUnavailableError or AppendOutcomeUnknownError; other errors are refusals by the server. */
  append(
    stream: string,
    events: readonly EncodedEvent[],
    expected: ExpectedRevision,
  ): Promise<Appended>;
  close(): Promise<void>;
};

/** A client, how many of its appends are not settled, and whether it takes more. */
type Line = { readonly client: EventStoreDBClient; inFlight: number; readonly room: Backpressure };

/**
 * How many appenders this process has. The client keeps the pending appends of all its instances in one
 * list, and rejects them all with the error of the first connection that breaks: with more than one, an
 * error says nothing certain about an append.
 */
let appenders = 0;

/**
 * Appends through a client that does nothing else, so that it can be replaced when it no longer answers.
 */
export const createAppender = (deps: {
  url: string;
  timeoutMs: number;
  logger?: { warn(fields: object, message: string): void };
}): Appender => {
  const { url, timeoutMs, logger } = deps;
  const connect = (): Line => {
    const client = openClient(url);
    return { client, inFlight: 0, room: watchBackpressure(client, () => admit()) };
  };
  /** Tried until it works: a file of certificates may be just being replaced. */
  const connectAgain = async (): Promise<Line> => {
    for (;;) {
      try {
        return connect();
      } catch (error) {
        logger?.warn({ err: error }, "The event log cannot be connected to");
        await sleep(RETRY_MS);
        if (closed) return line;
      }
    }
  };
  let line = connect();
  let replacing: Promise<void> | null = null;
  let closed = false;
  const waiting: ((line: Line) => void)[] = [];
  appenders += 1;

  const enter = (): Line => {
    line.inFlight += 1;
    line.room.take();
    return line;
  };
  const isOpen = (): boolean =>
    line.inFlight < MAX_IN_FLIGHT && !replacing && line.room.hasPlace(line.inFlight);
  const admit = (): void => {
    while (waiting.length > 0 && isOpen()) {
      const next = waiting.shift();
      if (!next) return;
      next(enter());
    }
  };
  /** Takes a place among those in flight; null when none came free in time. */
  const takePlace = (): Promise<Line | null> => {
    if (waiting.length === 0 && isOpen()) return Promise.resolve(enter());
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(admitted), 1);
        resolve(null);
      }, timeoutMs);
      const admitted = (to: Line): void => {
        clearTimeout(timer);
        resolve(to);
      };
      waiting.push(admitted);
    });
  };

  /** A client that left an append unanswered past its deadline is given up, with all that it holds. */
  const replace = (silent: Line): void => {
    if (replacing || closed || line !== silent) return;
    logger?.warn({}, "The event log does not answer appends; connecting anew");
    replacing = disposeClient(silent.client)
      .then(connectAgain)
      .then((next) => {
        line = next;
        replacing = null;
        admit();
      });
  };

  return {
    append: async (stream, events, expected) => {
      if (closed) throw new LogUnavailableError(new Error("The log client is closed"));
      const taken = await takePlace();
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
      await disposeClient(line.client);
      appenders -= 1;
    },
  };
};

/**
 * Which of our errors an error of the client is; one that is none of them comes back as it is.
 * `alone`: whether the error can only be that of the append's own connection.
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
  // Of a client that was given up meanwhile: the call was refused before it began, and is nobody else's.
  if (message === SHUT_DOWN) return new LogUnavailableError(error);
  // Who we are was refused before anything was looked at: credentials are being changed, or were.
  const isRefused = code === UNAUTHENTICATED || code === PERMISSION_DENIED;
  if (isRefused || type === "access-denied") return new LogUnavailableError(error);
  if (code === UNAVAILABLE) {
    return alone && NOT_WRITTEN.some((sign) => String(message).includes(sign))
      ? new LogUnavailableError(error)
      : new AppendOutcomeUnknownError(error);
  }
  // A bare gRPC error has no type: the client could make nothing of it.
  const unclear = type === undefined ? typeof code === "number" : OUTCOME_UNKNOWN.has(String(type));
  return unclear ? new AppendOutcomeUnknownError(error) : error;
};

/** What gRPC throws, without a code, when a call is to be made on a connection that was closed. */
const SHUT_DOWN = "Channel has been shut down";

/** What UNAVAILABLE says when the append cannot have been written: there was no connection, or our server knows. */
const NOT_WRITTEN = ["No connection established", "Name resolution failed", "Nothing was written"];

/** Kinds of the client's errors after which an append may be in the log. */
const OUTCOME_UNKNOWN = new Set([
  "timeout",
  "deadline-exceeded",
  "unavailable",
  "cancelled",
  "unknown",
]);
