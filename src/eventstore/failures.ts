/** The gRPC status codes in use. */
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

/** The status of a failed call, as it is sent. */
export type ServiceFailure = {
  readonly code: number;
  readonly details: string;
  readonly trailers: Readonly<Record<string, string>>;
};

/** The maximum data of an append, all events together: 1 MiB, EventStoreDB's default. */
export const MAX_APPEND_BYTES = 1_048_576;

/** The maximum memory of the appends of one call that lack their final message. */
export const MAX_PARTIAL_BYTES = 64 * 1024 * 1024;

/**
 * A call that fails with a gRPC status. `trailers` are EventStoreDB's: `exception` is the kind of error,
 * the others are its parameters.
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

/** The database is unavailable, and nothing was written for certain. */
export const unavailable = (reason: string): CallFailure =>
  new CallFailure(code.UNAVAILABLE, `Nothing was written: ${reason}`);

/** The database became unavailable during a commit: the append may or may not be in the log. */
export const outcomeUnknown = (): CallFailure =>
  new CallFailure(
    code.UNAVAILABLE,
    "The database went away during a commit; its outcome is unknown",
  );

/** The deadline of an append passed; it may still be written. */
export const timedOut = (): CallFailure =>
  new CallFailure(code.DEADLINE_EXCEEDED, "The append was not committed before its deadline");

/** The append exceeds MAX_APPEND_BYTES. */
export const tooLarge = (): CallFailure =>
  new CallFailure(
    code.INVALID_ARGUMENT,
    `Maximum append size of ${MAX_APPEND_BYTES} bytes exceeded`,
    {
      exception: "maximum-append-size-exceeded",
      "maximum-append-size": String(MAX_APPEND_BYTES),
    },
  );

/** The appends of a call that lack their final message exceed MAX_PARTIAL_BYTES. */
export const incompleteAppends = (): CallFailure =>
  new CallFailure(code.RESOURCE_EXHAUSTED, "Too many appends lack their final message");

/** The stream has a tombstone, or is soft-deleted although it is expected to exist. */
export const streamDeleted = (stream: string): CallFailure =>
  new CallFailure(code.FAILED_PRECONDITION, `Event stream '${stream}' is deleted.`, {
    exception: "stream-deleted",
    "stream-name": stream,
  });

/** A deletion found another revision than expected. -1: no stream, -2: any, -4: the stream exists. */
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

/** The request is invalid. */
export const invalidArgument = (reason: string): CallFailure =>
  new CallFailure(code.INVALID_ARGUMENT, reason);

/** Converts a thrown value. Errors other than CallFailure are errors of the database or of its connection. */
export const asFailure = (error: unknown): CallFailure =>
  error instanceof CallFailure
    ? error
    : new CallFailure(
        code.UNAVAILABLE,
        `The event log's database cannot be used: ${error instanceof Error ? error.message : String(error)}`,
      );

/** Converts a failure to the form in which it is sent. */
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

/** Trailers are printable ASCII: other characters of a stream name are percent-encoded. */
const asAscii = (text: string): string =>
  text.replace(/[^ -~]+/g, (part) =>
    [...Buffer.from(part, "utf8")]
      .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`)
      .join(""),
  );
