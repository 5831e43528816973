import {
  EventStoreDBClient,
  type jsonEvent,
  WrongExpectedVersionError,
} from "@eventstore/db-client";
import { AppendOutcomeUnknownError, LogUnavailableError, WrongRevisionError } from "./errors.ts";
import type { Appended, ExpectedRevision } from "./port.ts";

/**
 * So many appends are with the client at a time; the rest wait here. The client queues what its stream
 * does not take at once (16 messages), and what is in that queue when the connection breaks is an
 * unhandled rejection, which would end the process. Below that number the queue stays empty.
 */
const MAX_IN_FLIGHT = 15;

/** How much longer than the server's deadline we wait for its answer. */
const GRACE_MS = 1_000;

const UNAVAILABLE = 14;

type ClientEvents = ReturnType<typeof jsonEvent>[];

export type Appender = {
  /** Rejects with WrongRevisionError, LogUnavailableError or AppendOutcomeUnknownError; other errors are refusals by the server. */
  append(stream: string, events: ClientEvents, expected: ExpectedRevision): Promise<Appended>;
  close(): Promise<void>;
};

/**
 * Appends through a client that does nothing else, so that it can be replaced when it no longer answers.
 */
export const createAppender = (deps: {
  url: string;
  timeoutMs: number;
  logger?: { warn(fields: object, message: string): void };
}): Appender => {
  const { url, timeoutMs, logger } = deps;
  let client = EventStoreDBClient.connectionString(url);
  let replacing: Promise<void> | null = null;
  let closed = false;
  let inFlight = 0;
  const waiting: (() => void)[] = [];

  /** Takes a place among those in flight; false when none came free in time. */
  const takePlace = (): Promise<boolean> => {
    if (inFlight < MAX_IN_FLIGHT && !replacing) {
      inFlight += 1;
      return Promise.resolve(true);
    }
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        const index = waiting.indexOf(enter);
        if (index >= 0) waiting.splice(index, 1);
        resolve(false);
      }, timeoutMs);
      const enter = (): void => {
        clearTimeout(timer);
        inFlight += 1;
        resolve(true);
      };
      waiting.push(enter);
    });
  };
  const admit = (): void => {
    while (inFlight < MAX_IN_FLIGHT && !replacing) {
      const next = waiting.shift();
      if (!next) return;
      next();
    }
  };

  /** A client that left an append unanswered past its deadline is given up, with all that it holds. */
  const replaceClient = (silent: EventStoreDBClient): void => {
    if (replacing || closed || client !== silent) return;
    logger?.warn({}, "The event log does not answer appends; connecting anew");
    replacing = silent.dispose().finally(() => {
      client = EventStoreDBClient.connectionString(url);
      replacing = null;
      admit();
    });
  };

  return {
    append: async (stream, events, expected) => {
      if (closed) throw new LogUnavailableError(new Error("The log client is closed"));
      if (!(await takePlace())) {
        throw new LogUnavailableError(new Error("Too many appends are waiting for the log"));
      }
      const current = client;
      const sent = current
        .appendToStream(stream, events, { expectedRevision: expected, deadline: timeoutMs })
        .finally(() => {
          inFlight -= 1;
          admit();
        });
      let timer: NodeJS.Timeout | undefined;
      const silence = new Promise<never>((_, reject) => {
        timer = setTimeout(() => {
          replaceClient(current);
          reject(new AppendOutcomeUnknownError(new Error("The log did not answer in time")));
        }, timeoutMs + GRACE_MS);
      });
      try {
        const result = await Promise.race([sent, silence]);
        return {
          revision: result.nextExpectedRevision,
          position: result.position?.commit ?? 0n,
        };
      } catch (error) {
        throw classify(error, stream);
      } finally {
        clearTimeout(timer);
        sent.catch(() => undefined);
      }
    },
    close: async () => {
      closed = true;
      await replacing;
      await client.dispose();
    },
  };
};

/** Which of our errors an error of the client is. One that is none of them comes back as it is. */
export const classify = (error: unknown, stream: string): unknown => {
  if (error instanceof AppendOutcomeUnknownError) return error;
  if (error instanceof WrongExpectedVersionError) return new WrongRevisionError(stream);
  const { code, type, message } = error as { code?: unknown; type?: unknown; message?: unknown };
  if (code === UNAVAILABLE) {
    return NOT_WRITTEN.some((sign) => String(message).includes(sign))
      ? new LogUnavailableError(error)
      : new AppendOutcomeUnknownError(error);
  }
  // A bare gRPC error has no type: the client could make nothing of it.
  const unclear = type === undefined ? typeof code === "number" : OUTCOME_UNKNOWN.has(String(type));
  return unclear ? new AppendOutcomeUnknownError(error) : error;
};

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
