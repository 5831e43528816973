import { describe, expect, it } from "vitest";
import { problemsIn, sourceRules } from "../../../scripts/sourceRules.ts";

const rulesBroken = (file: string, text: string): string[] =>
  problemsIn(file, text).map(({ rule }) => rule);

describe("source rules", () => {
  it.each([
    ["src/domain/runs/run.ts", "const now = Date.now();", "domain-has-no-clock"],
    ["src/domain/runs/run.ts", "const now = new Date();", "domain-has-no-clock"],
    ["src/domain/runs/run.ts", "const n = Math.random();", "domain-has-no-random"],
    ["src/domain/runs/run.ts", "console.log(1);", "domain-touches-nothing"],
    ["src/workers/live/x.ts", "const port = process.env.PORT;", "one-reader-of-the-environment"],
    ["src/cli/x.ts", "await fetch(`${server}/api/v1/x`);", "cli-asks-through-the-client"],
    ["src/api/x.ts", "// TODO: later", "nothing-left-open"],
    ["src/api/x.ts", 'throw new Error("Not implemented");', "nothing-left-open"],
    ["test/unit/a.test.ts", 'it.skip("x", () => {});', "every-test-runs"],
  ])("%s with %j violates %s", (file, text, rule) => {
    expect(rulesBroken(file, text)).toEqual([rule]);
  });

  it.each([
    ["src/domain/runs/run.ts", "const at = new Date(command.at);"],
    ["src/domain/runs/run.ts", "// The clock: never Date.now() here."],
    ["src/main.ts", "loadConfig(process.env);"],
    ["src/cli/main.ts", "loadConfig(process.env);"],
    ["src/workers/live/x.ts", "const now = Date.now();"],
  ])("%s with %j violates nothing", (file, text) => {
    expect(rulesBroken(file, text)).toEqual([]);
  });

  it("each rule says what to do instead", () => {
    expect(sourceRules.every(({ instead }) => instead.length > 10)).toBe(true);
  });
});
