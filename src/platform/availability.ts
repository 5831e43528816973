import { isUnavailable } from "./database/failures.ts";
import { AppendOutcomeUnknownError, LogUnavailableError } from "./eventLog/errors.ts";
import type { Logger } from "./logger.ts";
import { type PartName, PartUnavailableError } from "./partHealth.ts";

/** The part that an error reports as unavailable; null for other errors. */
export const unavailablePart = (error: unknown): PartName | null => {
  if (error instanceof PartUnavailableError) return error.part;
  if (error instanceof LogUnavailableError || error instanceof AppendOutcomeUnknownError)
    return "event_log";
  return isUnavailable(error) ? "database" : null;
};

/**
 * Logs a failure that will be retried: as a warning, or at level debug if a part is unavailable, because
 * partHealth.ts has logged that once already.
 */
export const logFailure = (
  logger: Pick<Logger, "warn" | "debug">,
  error: unknown,
  fields: object,
  message: string,
): void => {
  const level = unavailablePart(error) === null ? "warn" : "debug";
  logger[level]({ ...fields, err: error }, message);
};
