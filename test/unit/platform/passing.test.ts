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

describe("trouble of the moment", () => {
  it.each(passing)("given %s, then it passes: 503, to be tried again", (error) => {
    expect(isTransient(error)).toBe(true);
    expect(errorResponseOf(error)).toMatchObject({ status: 503, headers: { "retry-after": "1" } });
  });

  it.each(lasting)("given %s, then it is a fault that trying again does not mend", (error) => {
    expect(isTransient(error)).toBe(false);
    expect(errorResponseOf(error).status).toBe(500);
  });

  it("given a part that went away in mid-command, then nobody is told that nothing was changed", () => {
    for (const error of [...passing, new LogUnavailableError(new Error("away"))]) {
      expect(errorResponseOf(error).detail).not.toContain("Nothing was changed");
      expect(errorResponseOf(error).detail).toContain("Check whether the request was processed");
    }
  });
});
