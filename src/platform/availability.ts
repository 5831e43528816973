import { isUnavailable } from "./database/failures.ts";
import { AppendOutcomeUnknownError, LogUnavailableError } from "./eventLog/errors.ts";
import type { Logger } from "./logger.ts";
import { type PartName, PartUnavailableError } from "./partHealth.ts";

/** The part whose being away an error tells of; null for any other error. */
export const unavailablePart = (error: unknown): PartName | null => {
  if (error instanceof PartUnavailableError) return error.part;
  if (error instanceof LogUnavailableError || error instanceof AppendOutcomeUnknownError)
    return "event_log";
  return isUnavailable(error) ? "database" : null;
};

/**
 * Says in the log that something did not work out and is tried again. A part that is away has been
 * told of once already (see parts.ts): then it is said at level debug, or every loop would repeat it.
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
