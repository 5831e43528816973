import vm from "node:vm";
import { describe, expect, test, vi } from "vitest";
import { readPattern, toPostgres } from "../../../src/eventstore/read/pattern.ts";

describe("a regular expression in Postgres", () => {
  test.each([
    "^[^$].*",
    "^(?!\\$).*",
    "^Order(Placed|Paid)$",
    "^user-[0-9a-f]{4}\\d+",
    "a|b|",
    "^a+?b*?c??$",
    "(?:ab)+",
    "x(?=y)z",
    "\\$metadata",
    "[\\w.-]+@[\\w.-]+",
    "^\\S+ \\W$",
    "[\\]\\\\-]",
  ])("is left to it where it means the same: %s", (source) => {
    expect(toPostgres(source)).toBe(source);
  });

  test.each([
    ["a word's edge", "\\bOrder\\b"],
    ["what was matched before", "(a)\\1"],
    ["a group with a name", "(?<n>a)"],
    ["a character by its number", "\\x41\\u0041"],
    ["a control character", "\\n"],
    ["a property", "\\p{L}"],
    ["an empty class", "[]"],
    ["all there is", "[^]"],
    ["a bracket in a class", "[[:alpha:]]"],
    ["a class of what it is not", "[\\D]"],
    ["a range that ends with a class", "[a-\\d]"],
    ["a hyphen between others", "[a-c-e]"],
    ["many times", "a{256}"],
    ["a brace", "a{x}"],
    ["a repeated look-ahead", "(?=a)*b"],
    ["a director", "***=a"],
    ["a lone brace", "}"],
    ["a very long one", "a".repeat(1_001)],
  ])("is judged in the process: %s", (_name, source) => {
    expect(toPostgres(source)).toBeNull();
  });
});

describe("a regular expression in the process", () => {
  test("gives those that match", () => {
    const pattern = readPattern("^(?!\\$)");
    expect([...pattern.matching(["a", "$b", "c", "a"])]).toEqual(["a", "c"]);
    expect([...pattern.matching(["$b", "d"])]).toEqual(["d"]);
  });

  test("that cannot be read is refused", () => {
    expect(() => readPattern("(")).toThrow("cannot be read");
  });

  test("that backtracks without end is stopped", () => {
    const pattern = readPattern("^(a+)+$");
    expect(() => pattern.matching([`${"a".repeat(60)}!`])).toThrow("takes too long");
    expect([...pattern.matching(["aaa"])]).toEqual(["aaa"]);
  });

  test("is not blamed for a machine that let the process stand still meanwhile", () => {
    const run = vi.spyOn(vm.Script.prototype, "runInContext");
    const used = vi.spyOn(process, "cpuUsage").mockReturnValue({ user: 9_000, system: 1_000 });
    const late = Object.assign(new Error("late"), { code: "ERR_SCRIPT_EXECUTION_TIMEOUT" });
    for (const _ of [1, 2]) {
      run.mockImplementationOnce(() => {
        throw late;
      });
    }
    try {
      expect([...readPattern("^a").matching(["ab", "ba"])]).toEqual(["ab"]);
      expect(run).toHaveBeenCalledTimes(3);
    } finally {
      run.mockRestore();
      used.mockRestore();
    }
  });

  test("goes on when more names have been seen than are kept", () => {
    const pattern = readPattern("7$");
    const names = Array.from({ length: 25_000 }, (_, i) => `n${i}`);
    for (let at = 0; at < names.length; at += 1_000) {
      const page = names.slice(at, at + 1_000);
      expect([...pattern.matching(page)]).toEqual(page.filter((name) => name.endsWith("7")));
    }
  });
});
