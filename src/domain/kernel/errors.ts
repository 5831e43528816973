/**
 * A refusal that the domain means: the caller asked for something that a rule forbids.
 *
 * `code` is stable (`run.quotaExceeded`) and is mapped to an HTTP status in one table,
 * `src/api/errors.ts`; `message` is written for the person who reads it and says what to do.
 * `details` is for machines (links, headers) and must never hold a secret or a person's data.
 */
export class DomainError extends Error {
  readonly code: string;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: string, message: string, details: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.name = "DomainError";
    this.code = code;
    this.details = details;
  }
}

/** Marks a switch as exhaustive: an unhandled case does not compile. Throws if data from outside the types arrives. */
export const assertNever = (value: never): never => {
  throw new Error(`Unhandled case: ${JSON.stringify(value)}`);
};
