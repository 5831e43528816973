/** Refused, starting up, shutting down, or cut while connecting. */
const NOT_THERE = new Set(["ECONNREFUSED", "ECONNRESET", "EPIPE", "57P01", "57P02", "57P03"]);

/** Whether a connection could not be made because the database is not there just now. */
export const isConnectionRefused = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false;
  const { code } = error as { code?: unknown };
  if (typeof code === "string") return NOT_THERE.has(code);
  return /Connection terminated/.test(error.message);
};

/**
 * Whether an error says that the database went away or could not be reached: SQLSTATE classes 08
 * connection, 53 resources, 57P shutdown, and what the network says. What was under way may have been done.
 */
export const isUnavailable = (error: unknown): boolean =>
  error instanceof Error &&
  (ABSENCE_CODE.test(codeOf(error)) || ABSENCE_MESSAGE.test(error.message));

/**
 * Whether an error is the database's trouble of the moment and not of what was asked: it went away, is
 * full or overloaded, or a transaction must be run again. Beyond what tells of its absence: SQLSTATE class 40
 * rollback, 57014, a statement that took too long, and 25P03, a transaction that stood still.
 */
export const isTransient = (error: unknown): boolean =>
  error instanceof Error && (isUnavailable(error) || /^(40|57014|25P03)/.test(codeOf(error)));

/**
 * Whether an error says that what was read has no such table or column: the read model of an older release is shown
 * until this one's is built.
 */
export const isSchemaMismatch = (error: unknown): boolean =>
  error instanceof Error && /^(42703|42P01)$/.test(codeOf(error));

const codeOf = (error: Error): string => {
  const { code } = error as { code?: unknown };
  return typeof code === "string" ? code : "";
};

const ABSENCE_CODE =
  /^(08|53|57P|ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|EAI_AGAIN|ENOTFOUND)/;
const ABSENCE_MESSAGE =
  /Connection terminated|timeout exceeded when trying to connect|Client has encountered|The database (does not answer|cannot be reached)/;
