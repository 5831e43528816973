import { describe, expect, it } from "vitest";
import { ArgumentError, nearestName, readArguments } from "../../../bench/harness/arguments.ts";
import { createUndoing } from "../../../bench/harness/cleanup.ts";

const names = ["log-append", "command-loop", "catch-up"];

describe("readArguments", () => {
  it("given nothing, then every bench runs as it says itself", () => {
    expect(readArguments([], names)).toEqual({
      only: names,
      pairs: null,
      json: false,
      plots: null,
      list: false,
      strict: false,
      help: false,
    });
  });

  it("given names, with commas or one by one, then those run, in the order of the table", () => {
    expect(readArguments(["--only", "catch-up, log-append"], names).only).toEqual([
      "log-append",
      "catch-up",
    ]);
    expect(readArguments(["--only", "catch-up", "--only", "command-loop"], names).only).toEqual([
      "command-loop",
      "catch-up",
    ]);
  });

  it("given a name that is none, then the nearest is suggested and all are named", () => {
    const read = () => readArguments(["--only", "log-apend"], names);
    expect(read).toThrow(ArgumentError);
    expect(read).toThrow("Did you mean log-append? There are: log-append, command-loop, catch-up.");
    expect(() => readArguments(["--only", "xyz"], names)).not.toThrow("Did you mean");
  });

  it("given pairs that are no number, then it says what to write", () => {
    expect(readArguments(["--pairs", "5"], names).pairs).toBe(5);
    for (const text of ["0", "-1", "1.5", "many", "1001"])
      expect(() => readArguments([`--pairs=${text}`], names)).toThrow("whole number");
  });

  it("given an option that is none, then the usage is shown", () => {
    expect(() => readArguments(["--fast"], names)).toThrow("--only NAME");
  });
});

describe("nearestName", () => {
  it("given something near, then it is found; given nothing near, then nothing", () => {
    expect(nearestName("comand-lop", names)).toBe("command-loop");
    expect(nearestName("qqqqqqqqqqqqqqqq", names)).toBeNull();
  });
});

describe("createUndoing", () => {
  it("given several things and one that fails, then all are undone, newest first, and the failure is said", async () => {
    const said: string[] = [];
    const undone: number[] = [];
    const undoing = createUndoing((message) => said.push(message));
    undoing.defer(() => undone.push(1));
    undoing.defer(() => Promise.reject(new Error("stuck")));
    undoing.defer(async () => undone.push(2));
    await Promise.all([undoing.all(), undoing.all()]);
    expect(undone).toEqual([2, 1]);
    expect(said).toEqual(["could not be undone: stuck"]);
  });
});
