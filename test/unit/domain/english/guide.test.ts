import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { parseEnglish } from "../../../../src/domain/english/index.ts";

const GUIDE = path.join(import.meta.dirname, "../../../../docs/writing-tests.md");

/** The rows of the guide's tables: what one writes, in backticks, and what stands beside it. */
const rows = readFileSync(GUIDE, "utf8")
  .split("\n")
  .flatMap((line) => {
    const [, said, becomes] = /^\| `(.+?)` \| (.+) \|$/.exec(line) ?? [];
    return said !== undefined && becomes !== undefined ? [{ said, becomes }] : [];
  });
const isStep = ({ becomes }: { readonly becomes: string }): boolean => /^`[a-z_]+/.test(becomes);
const read = rows.filter(isStep);
const asked = rows.filter((row) => !read.includes(row));

describe("the guide to writing tests", () => {
  it("has rows of both kinds", () => {
    expect(read.length).toBeGreaterThan(60);
    expect(asked.length).toBeGreaterThan(5);
  });

  it.each(read)("given $said, when it is parsed, then it becomes $becomes", ({ said, becomes }) => {
    const { steps, warnings } = parseEnglish(said);
    expect(warnings).toEqual([]);
    const told = steps.map(({ action, target, value, optional }) => {
      const parts = [action, target, value === "" ? "" : `← ${value}`].filter((part) => part);
      return `\`${parts.join(" ")}${optional ? " (optional)" : ""}\``;
    });
    expect(told.join(", ")).toBe(becomes);
  });

  it.each(asked)("given $said, when it is parsed, then it is asked about", ({ said }) => {
    const { steps, warnings } = parseEnglish(said);
    expect(steps).toEqual([]);
    expect(warnings).toHaveLength(1);
  });
});
