import {
  StreamDeletedError as ClientStreamDeletedError,
  type EventData,
  WrongExpectedVersionError,
} from "@eventstore/db-client";
import { within } from "../within.ts";
import {
  type AppendConnections,
  closeConnections,
  openAppendConnections,
  releaseConnection,
  replaceConnection,
  takeConnection,
} from "./appendConnections.ts";
import type { EncodedEvent } from "./encode.ts";
import {
  AppendOutcomeUnknownError,
  LogUnavailableError,
  StreamDeletedError,
  WrongRevisionError,
} from "./errors.ts";
import type { Appended, ExpectedRevision } from "./port.ts";

/** The time to wait for a response after the server's deadline. */
const GRACE_MS = 1_000;

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
  const connections = openAppendConnections(deps);
  appenders += 1;
  return {
    append: append.bind(null, connections),
    close: async () => {
      if (connections.closed) return;
      await closeConnections(connections);
      appenders -= 1;
    },
  };
};

const append = async (
  connections: AppendConnections,
  stream: string,
  events: readonly EncodedEvent[],
  expected: ExpectedRevision,
): Promise<Appended> => {
  const { timeoutMs } = connections.deps;
  if (connections.closed) throw new LogUnavailableError(new Error("The log client is closed"));
  const taken = await takeConnection(connections);
  if (!taken) throw new LogUnavailableError(new Error("Too many appends are waiting for the log"));
  const sent = taken.client
    .appendToStream(stream, events as EventData[], {
      expectedRevision: expected,
      deadline: timeoutMs,
    })
    .finally(() => releaseConnection(connections, taken));
  try {
    const result = await within(sent, timeoutMs + GRACE_MS, () => {
      replaceConnection(connections, taken);
      throw new AppendOutcomeUnknownError(new Error("The log did not answer in time"));
    });
    return { revision: result.nextExpectedRevision, position: result.position?.commit ?? 0n };
  } catch (error) {
    throw classify(error, stream, { alone: appenders === 1 });
  }
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
