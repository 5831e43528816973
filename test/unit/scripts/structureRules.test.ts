import { describe, expect, it } from "vitest";
import {
  functionProblems,
  lengthProblems,
  MAX_FILE_LINES,
  MAX_FUNCTION_LINES,
  placeProblems,
  unmarkedFiles,
} from "../../../scripts/structureRules.ts";

describe("the place of a file", () => {
  it.each([
    "src/domain/runs/run.ts",
    "src/commands/catalogue/imports.ts",
    "src/domain/english/words.ts",
    "src/api/routes/index.ts",
    "src/workers/executor/steps/browser.ts",
    "src/platform/clock.ts",
  ])("accepts %s", (file) => {
    expect(placeProblems(file)).toEqual([]);
  });

  it.each([
    "src/commands/catalogueImports.ts",
    "src/projections/shopping/rows.ts",
    "src/api/routes/health.ts",
    "src/workers/live/publisher.ts",
  ])("refuses %s outside the contexts", (file) => {
    expect(placeProblems(file)).toEqual([expect.stringContaining("is no context")]);
  });

  it("refuses a name that repeats its folder", () => {
    expect(placeProblems("src/commands/catalogue/catalogueImports.ts")).toEqual([
      expect.stringContaining("repeats its folder catalogue"),
    ]);
    expect(placeProblems("src/commands/catalogue/catalogue.ts")).toEqual([]);
  });
});

describe("the length of a file", () => {
  const lines = (count: number): string => "const x = 1;\n".repeat(count);

  it("is limited in src, but not for generated files and tests", () => {
    expect(lengthProblems("src/domain/runs/run.ts", lines(MAX_FILE_LINES))).toEqual([]);
    expect(lengthProblems("src/domain/runs/run.ts", lines(MAX_FILE_LINES + 1))).toHaveLength(1);
    expect(lengthProblems("src/client/schema.ts", lines(MAX_FILE_LINES + 1))).toEqual([]);
    expect(lengthProblems("test/unit/big.test.ts", lines(MAX_FILE_LINES + 1))).toEqual([]);
  });
});

describe("the length of a function", () => {
  const functionOf = (lines: number): string =>
    `export const queueRun = () => {\n${"  work();\n".repeat(lines - 2)}};\n`;
  const file = "src/commands/runs/runs.ts";

  it("finds functions, methods and closures above the limit", () => {
    expect(functionProblems(file, functionOf(MAX_FUNCTION_LINES))).toEqual([]);
    expect(functionProblems(file, functionOf(MAX_FUNCTION_LINES + 1))).toEqual([
      expect.stringContaining(`line 1: queueRun has ${MAX_FUNCTION_LINES + 1} lines`),
    ]);
    const method = `class A { run() {\n${"  work();\n".repeat(MAX_FUNCTION_LINES)}} }`;
    expect(functionProblems(file, method)).toEqual([expect.stringContaining("line 1: run has")]);
  });

  it("is limited in shared test support, but not in tests and migrations", () => {
    const long = functionOf(MAX_FUNCTION_LINES + 1);
    expect(functionProblems("test/support/runsKit.ts", long)).toHaveLength(1);
    expect(functionProblems("test/e2e/runs/live.test.ts", long)).toEqual([]);
    expect(functionProblems("src/platform/database/migrations/010-identity.ts", long)).toEqual([]);
  });
});

describe("generated files", () => {
  it("must be marked in .gitattributes", () => {
    expect(unmarkedFiles("")).toContain("openapi.json");
    expect(unmarkedFiles("openapi.json linguist-generated=true\n")).not.toContain("openapi.json");
  });
});
