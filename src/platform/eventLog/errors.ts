/** The stream was not at the expected revision: read forward and decide again. */
export class WrongRevisionError extends Error {
  readonly stream: string;
  /** The stream's last revision, also where none of its events is shown any more; null where there is none. */
  readonly actual: bigint | null;

  constructor(stream: string, actual: bigint | null) {
    super(`Stream ${stream} has moved on`);
    this.name = "WrongRevisionError";
    this.stream = stream;
    this.actual = actual;
  }
}

/** The log cannot be reached and nothing was written. */
export class LogUnavailableError extends Error {
  constructor(cause: unknown) {
    super("The event log cannot be reached", { cause });
    this.name = "LogUnavailableError";
  }
}

/** The append timed out or the connection broke: it may or may not have been written. Try again with the same ids. */
export class AppendOutcomeUnknownError extends Error {
  constructor(cause: unknown) {
    super("The outcome of an append is unknown", { cause });
    this.name = "AppendOutcomeUnknownError";
  }
}

/** The stream was deleted for good: it takes nothing any more, and has nothing to read. */
export class StreamDeletedError extends Error {
  constructor(cause: unknown) {
    super("The stream was deleted for good", { cause });
    this.name = "StreamDeletedError";
  }
}
