import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  parseAttribute,
  parseCount,
  parseDuration,
  parseKeyChord,
  parsePattern,
  patternToRegExp,
  variablesOf,
} from "../../../../src/domain/catalogue/values.ts";

describe("values", () => {
  it.each([
    ["500 ms", 500],
    ["2 s", 2000],
    ["2s", 2000],
    ["1.5 seconds", 1500],
    ["1 minute", 60_000],
    ["2", null],
    ["", null],
    ["soon", null],
    ["2 hours", null],
  ])("reads the time %j as %s ms", (text, expected) => {
    expect(parseDuration(text)).toBe(expected);
  });

  it.each([
    ["Enter", "Enter"],
    ["return", "Enter"],
    ["esc", "Escape"],
    ["arrow down", "ArrowDown"],
    ["Page Up", "PageUp"],
    ["ctrl+a", "Control+a"],
    ["Cmd + Shift + P", "Meta+Shift+P"],
    ["Control++", "Control++"],
    ["+", "+"],
    ["f5", "F5"],
    ["Shift", "Shift"],
    ["a", "a"],
    ["é", "é"],
    ["", null],
    ["Entr", null],
    ["Foo+a", null],
    ["constructor", null],
  ])("reads the key %j as %s", (text, expected) => {
    expect(parseKeyChord(text)).toBe(expected);
  });

  it.each([
    ["Home", "Home", true],
    ["Home", "Homes", false],
    ["a.c", "abc", false],
    ["*/home*", "https://x.test/home?a", true],
    ["/users/*", "/users/7", true],
    ["/^ho+me$/i", "HOOME", true],
    ["/home/", "at home", true],
  ])("compares %j with %j", (pattern, text, matches) => {
    expect(patternToRegExp(parsePattern(pattern)).test(text)).toBe(matches);
  });

  it("matches text without * and slashes literally", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary" }).filter((text) => !/[*/]/.test(text)),
        (text) => {
          expect(patternToRegExp(parsePattern(text)).test(text)).toBe(true);
        },
      ),
    );
  });

  it("splits an attribute at the first =", () => {
    expect(parseAttribute("href=/a?b=c")).toEqual({ name: "href", value: "/a?b=c" });
    expect(parseAttribute("disabled=")).toEqual({ name: "disabled", value: "" });
    expect(parseAttribute("=x")).toBeNull();
    expect(parseAttribute("x")).toBeNull();
  });

  it("accepts whole numbers only as counts", () => {
    expect([parseCount("3"), parseCount("0"), parseCount("3.5"), parseCount("-1")]).toEqual([
      3,
      0,
      null,
      null,
    ]);
  });

  it("lists each variable once", () => {
    expect(variablesOf("$" + "{a} $" + "{b.c} $" + "{a} $" + "{} $" + "{ d }")).toEqual([
      "a",
      "b.c",
    ]);
  });
});
