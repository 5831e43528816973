/** The stream is not at the expected revision: read the new events and decide again. */
export class WrongRevisionError extends Error {
  readonly stream: string;
  /** The stream's last revision, even if its metadata hides all events; null if it does not exist. */
  readonly actual: bigint | null;

  constructor(stream: string, actual: bigint | null) {
    super(`Stream ${stream} is not at the expected revision`);
    this.name = "WrongRevisionError";
    this.stream = stream;
    this.actual = actual;
  }
}

/** The log is unavailable and nothing was written. */
export class LogUnavailableError extends Error {
  constructor(cause: unknown) {
    super("The event log cannot be reached", { cause });
    this.name = "LogUnavailableError";
  }
}

/** The append timed out or its connection broke: it may or may not be written. Repeat it with the same ids. */
export class AppendOutcomeUnknownError extends Error {
  constructor(cause: unknown) {
    super("The outcome of an append is unknown", { cause });
    this.name = "AppendOutcomeUnknownError";
  }
}

/** The stream has a tombstone: it can be neither appended to nor read. */
export class StreamDeletedError extends Error {
  constructor(cause: unknown) {
    super("The stream was deleted permanently", { cause });
    this.name = "StreamDeletedError";
  }
}
