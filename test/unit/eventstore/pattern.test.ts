import vm from "node:vm";
import { describe, expect, test, vi } from "vitest";
import { readPattern, toPostgres } from "../../../src/eventstore/read/pattern.ts";

describe("a regular expression translated for PostgreSQL", () => {
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
  ])("is passed unchanged: %s", (source) => {
    expect(toPostgres(source)).toBe(source);
  });

  test.each([
    ["a word boundary", "\\bOrder\\b"],
    ["a backreference", "(a)\\1"],
    ["a named group", "(?<n>a)"],
    ["a character escape", "\\x41\\u0041"],
    ["a control character", "\\n"],
    ["a Unicode property", "\\p{L}"],
    ["an empty class", "[]"],
    ["a class of all characters", "[^]"],
    ["a POSIX class", "[[:alpha:]]"],
    ["a negated class in a class", "[\\D]"],
    ["a range to a class", "[a-\\d]"],
    ["a hyphen inside a class", "[a-c-e]"],
    ["more than 255 repetitions", "a{256}"],
    ["a literal brace", "a{x}"],
    ["a quantified lookahead", "(?=a)*b"],
    ["a director", "***=a"],
    ["a lone closing brace", "}"],
    ["more than 1,000 characters", "a".repeat(1_001)],
  ])("is not translated with %s", (_name, source) => {
    expect(toPostgres(source)).toBeNull();
  });
});

describe("a regular expression evaluated in the process", () => {
  test("returns the matching texts", () => {
    const pattern = readPattern("^(?!\\$)");
    expect([...pattern.matching(["a", "$b", "c", "a"])]).toEqual(["a", "c"]);
    expect([...pattern.matching(["$b", "d"])]).toEqual(["d"]);
  });

  test("is refused if invalid", () => {
    expect(() => readPattern("(")).toThrow("is invalid");
  });

  test("is stopped on catastrophic backtracking", () => {
    const pattern = readPattern("^(a+)+$");
    expect(() => pattern.matching([`${"a".repeat(60)}!`])).toThrow("takes too long");
    expect([...pattern.matching(["aaa"])]).toEqual(["aaa"]);
  });

  test("is evaluated again if the time limit passed without CPU time", () => {
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

  test("works with more names than the cache holds", () => {
    const pattern = readPattern("7$");
    const names = Array.from({ length: 25_000 }, (_, i) => `n${i}`);
    for (let at = 0; at < names.length; at += 1_000) {
      const page = names.slice(at, at + 1_000);
      expect([...pattern.matching(page)]).toEqual(page.filter((name) => name.endsWith("7")));
    }
  });
});
