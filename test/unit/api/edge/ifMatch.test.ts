import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ApiError } from "../../../../src/api/apiError.ts";
import { parseIfMatch } from "../../../../src/api/edge/ifMatch.ts";

describe("If-Match", () => {
  it.each([
    [undefined, null],
    ["*", null],
    [" * ", null],
    ['"3"', [3]],
    ['"1", "12"', [1, 12]],
    [' "1","2" ,\t"3"', [1, 2, 3]],
    [',, "1" ,', [1]],
    // Compared strongly, a weak tag is equal to none.
    ['W/"3"', []],
    ['W/"3", "4"', [4]],
    // Tags, but of nobody here.
    ['"abc"', []],
    ['""', []],
    ['"a,b", "2"', [2]],
    ['"03"', []],
    ['"99999999999999999999"', []],
  ])("%s matches the versions %s", (header, versions) => {
    expect(parseIfMatch(header)).toEqual(versions);
  });

  it.each([
    "",
    "3",
    '"1" "2"',
    '"1',
    '1"',
    ",",
    'w/"1"',
    '*, "1"',
    '"1", *',
    '"a b"',
    "W/",
    '"\u0000"',
  ])("rejects %j with 400", (header) => {
    expect(() => parseIfMatch(header)).toThrow(ApiError);
  });

  it("accepts any header or rejects it with 400", () => {
    const piece = fc.constantFrom('"', ",", " ", "W/", "*", "1", "23", "\t", "a", "\\");
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 200 }), (pieces) => {
        try {
          const versions = parseIfMatch(pieces.join(""));
          expect(versions === null || versions.every((one) => one > 0)).toBe(true);
        } catch (error) {
          expect((error as ApiError).status).toBe(400);
        }
      }),
    );
  });
});
