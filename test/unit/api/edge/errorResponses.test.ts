import { describe, expect, it } from "vitest";
import { errorResponseOf } from "../../../../src/api/edge/errorResponses.ts";

describe("error responses", () => {
  it.each(["42703", "42P01"])(
    "answer 503 with Retry-After if a read model of an older release lacks a table or column (%s)",
    (code) => {
      const error = Object.assign(new Error('column "new_one" does not exist'), { code });
      expect(errorResponseOf(error)).toEqual({
        status: 503,
        detail: expect.stringMatching(/being rebuilt after an upgrade\. Try again\.$/),
        headers: { "retry-after": "1" },
        isFault: true,
      });
    },
  );

  it("answer 500 without the message for any other fault", () => {
    const error = Object.assign(new Error("syntax error near hunter2"), { code: "42601" });
    expect(errorResponseOf(error)).toMatchObject({ status: 500, isFault: true });
    expect(errorResponseOf(error).detail).not.toContain("hunter2");
  });
});
