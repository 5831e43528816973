import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseJsonBody } from "../../../../src/api/edge/jsonBody.ts";

const read = (text: string | Buffer) => parseJsonBody(Buffer.from(text));
const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;
const keys = (count: number) =>
  `{${Array.from({ length: count }, (_, n) => `"k${n}":${n}`).join(",")}}`;

describe("a JSON body", () => {
  it("equals the result of JSON.parse for any value", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.boolean(), (value, isPretty) => {
        const text = JSON.stringify(value, null, isPretty ? 2 : 0);
        // The two names that are refused are tried below.
        fc.pre(!/"(__proto__|prototype)":/.test(text));
        expect(read(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it("is rejected with 400 if it is not valid JSON", () => {
    const pieces = fc.constantFrom(
      ...['{"a":', "}", "[", "]", '"', "\\", ",", ":", "1", "e", "null", " ", '\\"', "{", "\\u00"],
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 20 }), (some) => {
        const text = some.join("");
        let expected: unknown;
        try {
          expected = JSON.parse(text);
        } catch {
          expect(() => read(text)).toThrow(expect.objectContaining({ status: 400 }));
          return;
        }
        try {
          expect(read(text)).toEqual(expected);
        } catch (error) {
          expect(error).toMatchObject({ status: 400, message: expect.stringContaining("twice") });
        }
      }),
    );
  });

  it.each([
    ["a byte order mark in front", '\ufeff{"a":1}', { a: 1 }],
    [
      "a name again in another object",
      '{"a":{"a":[{"a":1},{"a":2}]}}',
      { a: { a: [{ a: 1 }, { a: 2 }] } },
    ],
    [
      "a name that is a value too",
      '{"a":"b","b":"a","c":["a","a"]}',
      { a: "b", b: "a", c: ["a", "a"] },
    ],
    ["the two names as values", '["__proto__","prototype"]', ["__proto__", "prototype"]],
    ["prototype elsewhere", '{"prototype":1,"constructor":2}', { prototype: 1, constructor: 2 }],
    ["brackets in text", `{"a":"${"[".repeat(500)}\\""}`, { a: `${"[".repeat(500)}"` }],
    ["64 levels", nested(64), JSON.parse(nested(64))],
    ["a number that no double holds", "1e999", Number.POSITIVE_INFINITY],
    ["many names", keys(19_999), JSON.parse(keys(19_999))],
  ])("with %s is accepted", (_, text, value) => {
    expect(read(text)).toEqual(value);
  });

  it.each<readonly [string, string | Buffer, RegExp]>([
    ["__proto__", '{"a":[{"__proto__":{}}]}', /__proto__/],
    ["__proto__ in other letters", '{"\\u005f_proto__":{}}', /__proto__/],
    ["constructor.prototype", '{"constructor":{"a":1,"prototype":{}}}', /prototype/],
    ["one name twice", '{"a":1,"b":{},"a":2}', /"a" twice/],
    ["one name twice, in other letters", '{"name":1,"n\\u0061me":2}', /"name" twice/],
    ["an empty name twice", '{"":1,"":2}', /"" twice/],
    ["65 levels", nested(65), /deep/],
    ["a hundred thousand levels", `${"[".repeat(100_000)}${"]".repeat(100_000)}`, /deep/],
    ["as many of objects", '{"a":'.repeat(100_000), /deep/],
    ["bytes that are no UTF-8", Buffer.from([0x22, 0xff, 0x22]), /UTF-8/],
    ["half a character in its bytes", Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), /UTF-8/],
    ["something behind it", "{} {}", /not valid JSON/],
    ["a NUL", '{"a":"\0"}', /not valid JSON/],
    ["NaN", "NaN", /not valid JSON/],
    ["a comment", "{} // no", /not valid JSON/],
    ["two byte order marks", "\ufeff\ufeff{}", /not valid JSON/],
  ])("with %s is rejected with our own message", (_, text, detail) => {
    expect(() => read(text)).toThrow(
      expect.objectContaining({ status: 400, message: expect.stringMatching(detail) }),
    );
  });

  it.each([
    ["names", keys(20_001)],
    ["items", `[${"1,".repeat(500_000)}1]`],
    ["empty objects", `[${"{},".repeat(300_000)}{}]`],
  ])("with more %s than the limit is rejected as too large before other errors", (_, text) => {
    expect(() => read(text)).toThrow(expect.objectContaining({ status: 413 }));
  });
});
