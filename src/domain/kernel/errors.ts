/**
 * A command that a rule forbids.
 *
 * `code` is stable (`run.quotaExceeded`); `src/api/errors.ts` maps it to an HTTP status. `message` tells the user what
 * to do. `details` are machine-readable (links, headers) and must not contain secrets or personal data.
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

/** Marks a switch as exhaustive: an unhandled case does not compile. Throws on data that violates the types. */
export const assertNever = (value: never): never => {
  throw new Error(`Unhandled case: ${JSON.stringify(value)}`);
};
