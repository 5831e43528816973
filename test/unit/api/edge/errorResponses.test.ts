import { describe, expect, it } from "vitest";
import { errorResponseOf } from "../../../../src/api/edge/errorResponses.ts";

describe("what a caller is told of an error", () => {
  it.each(["42703", "42P01"])(
    "given a read model of an older release, which lacks what is read (%s), then 503, to be tried again, and the log has it",
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

  it("given any other fault of ours, then 500, without its words", () => {
    const error = Object.assign(new Error("syntax error near hunter2"), { code: "42601" });
    expect(errorResponseOf(error)).toMatchObject({ status: 500, isFault: true });
    expect(errorResponseOf(error).detail).not.toContain("hunter2");
  });
});
