/** The one table from a domain error's code to an HTTP status (operations.md, "Errors"). */
export const statusOfCode: Readonly<Record<string, number>> = {
  "stream.contended": 503,
  "run.unknown": 404,
};
