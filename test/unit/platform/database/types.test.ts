import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parsePosition, parseTimestamp } from "../../../../src/platform/database/types.ts";

describe("positions", () => {
  it("parse any 64-bit integer exactly", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n - 1n }), (value) => {
        expect(parsePosition(String(value))).toBe(value);
      }),
    );
  });

  it.each(["", "1.5", "0x10", " 1", "1e3", "123456789012345678901"])("reject %j", (text) => {
    expect(() => parsePosition(text)).toThrow("Not a 64-bit integer");
  });
});

describe("timestamps", () => {
  it.each([
    ["2026-03-01 10:11:12+00", "2026-03-01T10:11:12.000Z"],
    ["2026-03-01 10:11:12.5+00", "2026-03-01T10:11:12.500Z"],
    ["2026-03-01 10:11:12.123999+00", "2026-03-01T10:11:12.123Z"],
    ["2026-03-01 00:30:00.001+05:30", "2026-02-28T19:00:00.001Z"],
    ["2026-03-01 00:30:00.25-08", "2026-03-01T08:30:00.250Z"],
    ["2026-03-01 10:11:12", "2026-03-01T10:11:12.000Z"],
  ])("parse PostgreSQL's %s as %s", (text, expected) => {
    expect(parseTimestamp(text)).toBe(expected);
  });

  it.each(["infinity", "-infinity", "0044-03-15 12:00:00+00 BC", "yesterday"])(
    "reject %s",
    (text) => {
      expect(() => parseTimestamp(text)).toThrow("Not a timestamp");
    },
  );
});
