/** Refused, starting up, shutting down, or reset while connecting. */
const REFUSED = new Set(["ECONNREFUSED", "ECONNRESET", "EPIPE", "57P01", "57P02", "57P03"]);

/** Whether a connection failed because the database is not running at present. */
export const isConnectionRefused = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false;
  const { code } = error as { code?: unknown };
  if (typeof code === "string") return REFUSED.has(code);
  return /Connection terminated/.test(error.message);
};

/**
 * Whether the database became unavailable or is unreachable: SQLSTATE classes 08 (connection), 53 (resources),
 * 57P (shutdown), and network errors. The statement may have been executed.
 */
export const isUnavailable = (error: unknown): boolean =>
  error instanceof Error &&
  (UNAVAILABLE_CODE.test(codeOf(error)) || UNAVAILABLE_MESSAGE.test(error.message));

/**
 * Whether a retry may succeed: the database is unavailable or overloaded, or the transaction must be repeated.
 * Besides `isUnavailable`: SQLSTATE class 40 (rollback), 57014 (statement timeout), 25P03 (idle transaction timeout).
 */
export const isTransient = (error: unknown): boolean =>
  error instanceof Error && (isUnavailable(error) || /^(40|57014|25P03)/.test(codeOf(error)));

/**
 * Whether a table or column does not exist: the read model of another release is shown until this release has
 * built its own.
 */
export const isSchemaMismatch = (error: unknown): boolean =>
  error instanceof Error && /^(42703|42P01)$/.test(codeOf(error));

const codeOf = (error: Error): string => {
  const { code } = error as { code?: unknown };
  return typeof code === "string" ? code : "";
};

const UNAVAILABLE_CODE =
  /^(08|53|57P|ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|EAI_AGAIN|ENOTFOUND)/;
const UNAVAILABLE_MESSAGE =
  /Connection terminated|timeout exceeded when trying to connect|Client has encountered|The database (does not answer|cannot be reached)/;
