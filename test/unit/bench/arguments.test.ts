import { describe, expect, it } from "vitest";
import { ArgumentError, nearestName, readArguments } from "../../../bench/harness/arguments.ts";
import { createCleanupStack } from "../../../bench/harness/cleanup.ts";

const names = ["log-append", "command-loop", "catch-up"];

describe("readArguments", () => {
  it("runs every bench with its defaults without arguments", () => {
    expect(readArguments([], names)).toEqual({
      only: names,
      pairs: null,
      json: false,
      plots: null,
      record: false,
      list: false,
      strict: false,
      help: false,
    });
  });

  it("accepts names separated by commas or in several options, and keeps the order of the table", () => {
    expect(readArguments(["--only", "catch-up, log-append"], names).only).toEqual([
      "log-append",
      "catch-up",
    ]);
    expect(readArguments(["--only", "catch-up", "--only", "command-loop"], names).only).toEqual([
      "command-loop",
      "catch-up",
    ]);
  });

  it("rejects an unknown name, suggests the nearest and lists every name", () => {
    const read = () => readArguments(["--only", "log-apend"], names);
    expect(read).toThrow(ArgumentError);
    expect(read).toThrow("Did you mean log-append? Benches: log-append, command-loop, catch-up.");
    expect(() => readArguments(["--only", "xyz"], names)).not.toThrow("Did you mean");
  });

  it("rejects a number of pairs that is not a whole number from 1 to 1000", () => {
    expect(readArguments(["--pairs", "5"], names).pairs).toBe(5);
    for (const text of ["0", "-1", "1.5", "many", "1001"])
      expect(() => readArguments([`--pairs=${text}`], names)).toThrow("whole number");
  });

  it("shows the usage for an unknown option", () => {
    expect(() => readArguments(["--fast"], names)).toThrow("--only NAME");
  });
});

describe("nearestName", () => {
  it("returns the nearest name, or null if none is close", () => {
    expect(nearestName("comand-lop", names)).toBe("command-loop");
    expect(nearestName("qqqqqqqqqqqqqqqq", names)).toBeNull();
  });
});

describe("createCleanupStack", () => {
  it("runs every task once, last added first, and logs a failure", async () => {
    const logged: string[] = [];
    const done: number[] = [];
    const cleanup = createCleanupStack((message) => logged.push(message));
    cleanup.defer(() => done.push(1));
    cleanup.defer(() => Promise.reject(new Error("stuck")));
    cleanup.defer(async () => done.push(2));
    await Promise.all([cleanup.run(), cleanup.run()]);
    expect(done).toEqual([2, 1]);
    expect(logged).toEqual(["cleanup failed: stuck"]);
  });
});
