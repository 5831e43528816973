/** The statuses of gRPC that are answered. */
export const code = {
  OK: 0,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  ALREADY_EXISTS: 6,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
} as const;

/** The status that a call ends with when it fails. */
export type ServiceFailure = {
  readonly code: number;
  readonly details: string;
  readonly trailers: Readonly<Record<string, string>>;
};

/** EventStoreDB's default: an append, all its events together, holds at most 1 MiB. */
export const MAX_APPEND_BYTES = 1_048_576;

/**
 * A call that fails with a gRPC status. `trailers` are EventStoreDB's: `exception` names the kind of
 * error, its companions say what it is about.
 */
export class CallFailure extends Error {
  readonly code: number;
  readonly trailers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, trailers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.name = "CallFailure";
    this.code = status;
    this.trailers = trailers;
  }
}

/** The database cannot be used, and what was asked for has certainly not been done. */
export const unavailable = (reason: string): CallFailure =>
  new CallFailure(code.UNAVAILABLE, `Nothing was written: ${reason}`);

/** The database went away while an append was being committed: it may or may not be in the log. */
export const outcomeUnknown = (): CallFailure =>
  new CallFailure(
    code.UNAVAILABLE,
    "The database went away during a commit; its outcome is unknown",
  );

/** The append was not answered in the time its caller gave it; it may still be written. */
export const timedOut = (): CallFailure =>
  new CallFailure(code.DEADLINE_EXCEEDED, "The append was not committed before its deadline");

/** The append is larger than the log takes. */
export const tooLarge = (): CallFailure =>
  new CallFailure(
    code.INVALID_ARGUMENT,
    `Maximum append size of ${MAX_APPEND_BYTES} bytes exceeded`,
    {
      exception: "maximum-append-size-exceeded",
      "maximum-append-size": String(MAX_APPEND_BYTES),
    },
  );

/** The stream was ended by a tombstone, or is soft-deleted where one is expected to exist. */
export const streamDeleted = (stream: string): CallFailure =>
  new CallFailure(code.FAILED_PRECONDITION, `Event stream '${stream}' is deleted.`, {
    exception: "stream-deleted",
    "stream-name": stream,
  });

/** A deletion found the stream at another revision than expected; -1 none, -2 any, -4 that it exists. */
export const wrongExpectedVersion = (
  stream: string,
  expected: number,
  actual: number,
): CallFailure =>
  new CallFailure(
    code.FAILED_PRECONDITION,
    `Delete failed due to WrongExpectedVersion. Stream: ${stream}, Expected version: ${expected}, Actual version: ${actual}`,
    {
      exception: "wrong-expected-version",
      "stream-name": stream,
      "expected-version": String(expected),
      "actual-version": String(actual),
    },
  );

/** The request makes no sense; `reason` says what is wrong with it. */
export const invalidArgument = (reason: string): CallFailure =>
  new CallFailure(code.INVALID_ARGUMENT, reason);

/** Any thrown value as a failure. What is no CallFailure comes from the database or the connection to it. */
export const asFailure = (error: unknown): CallFailure =>
  error instanceof CallFailure
    ? error
    : new CallFailure(
        code.UNAVAILABLE,
        `The event log's database cannot be used: ${error instanceof Error ? error.message : String(error)}`,
      );

/** A failure in the form in which it is sent. */
export const toServiceError = ({
  code: status,
  message,
  trailers,
}: CallFailure): ServiceFailure => ({
  code: status,
  details: message,
  trailers: Object.fromEntries(
    Object.entries(trailers).map(([key, value]) => [key, asAscii(value)]),
  ),
});

/** A trailer's value takes printable ASCII alone: what else a stream's name has is percent-encoded. */
const asAscii = (text: string): string =>
  text.replace(/[^ -~]+/g, (part) =>
    [...Buffer.from(part, "utf8")]
      .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`)
      .join(""),
  );
