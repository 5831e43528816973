import { describe, expect, it } from "vitest";
import { errorResponseOf } from "../../../src/api/edge/errorResponses.ts";
import { isTransient } from "../../../src/platform/database/database.ts";
import { LogUnavailableError } from "../../../src/platform/eventLog/errors.ts";

const failure = (message: string, code?: string): Error =>
  Object.assign(new Error(message), code === undefined ? {} : { code });

const passing = [
  failure("refused", "ECONNREFUSED"),
  failure("cut", "ECONNRESET"),
  failure("late", "ETIMEDOUT"),
  failure("terminating connection due to administrator command", "57P01"),
  failure("sorry, too many clients already", "53300"),
  failure("could not serialize access", "40001"),
  failure("terminating connection due to idle-in-transaction timeout", "25P03"),
  failure("Connection terminated unexpectedly"),
  failure("timeout exceeded when trying to connect"),
  failure("Client has encountered a connection error and is not queryable"),
];
const lasting = [
  failure("duplicate key value", "23505"),
  failure("invalid byte sequence", "22021"),
  failure("Cannot read properties of undefined"),
  "57P01",
];

describe("transient errors", () => {
  it.each(passing)("%s is transient: 503 with a retry", (error) => {
    expect(isTransient(error)).toBe(true);
    expect(errorResponseOf(error)).toMatchObject({ status: 503, headers: { "retry-after": "1" } });
  });

  it.each(lasting)("%s is permanent", (error) => {
    expect(isTransient(error)).toBe(false);
    expect(errorResponseOf(error).status).toBe(500);
  });

  it("a part that fails during a command does not claim that nothing changed", () => {
    for (const error of [...passing, new LogUnavailableError(new Error("away"))]) {
      expect(errorResponseOf(error).detail).not.toContain("Nothing was changed");
      expect(errorResponseOf(error).detail).toContain("Check whether the request was processed");
    }
  });
});
