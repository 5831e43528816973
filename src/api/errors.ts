/** The one table from a domain error's code to an HTTP status (operations.md, "Errors"). */
export const statusOfCode: Readonly<Record<string, number>> = {
  "stream.contended": 503,
  "run.unknown": 404,
  "run.unknownTest": 422,
  "run.foreignTest": 403,
  "run.nothingToRun": 422,
  "run.tooManyTests": 422,
  "run.queueTimeout": 503,
  "run.quotaExceeded": 429,
  "project.unknown": 404,
  "project.unknownInRequest": 422,
  "project.foreign": 403,
  "project.stale": 412,
  "test.unknown": 404,
  "test.foreign": 403,
  "test.stale": 412,
};
