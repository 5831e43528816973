import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { SETTING_NAMES } from "../../../src/platform/config.ts";

const root = path.resolve(import.meta.dirname, "../../..");
const read = (file: string): string => readFileSync(path.join(root, file), "utf8");

describe("the documentation", () => {
  it("has exactly one row per setting in operating.md", () => {
    const rows = read("docs/operating.md").matchAll(/^\| ((?:`[A-Z][A-Z0-9_]+`(?:, )?)+) \|/gm);
    const named = [...rows].flatMap(([, names = ""]) => names.replaceAll("`", "").split(", "));
    expect(named.sort()).toEqual([...SETTING_NAMES].sort());
  });

  it("names existing npm scripts in the README", () => {
    const { scripts }: { scripts: Record<string, string> } = JSON.parse(read("package.json"));
    const named = [...read("README.md").matchAll(/npm (?:run )?([a-z:]+)/g)]
      .map(([, name = ""]) => name)
      .filter((name) => name !== "ci");
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });

  it.each([
    "README.md",
    "CONTRIBUTING.md",
    "docs/architecture.md",
    "docs/operating.md",
    "docs/cli.md",
    "docs/scale.md",
  ])("has valid links and paths in %s", (file) => {
    const text = read(file);
    const links = [...text.matchAll(/\]\((?!https?:)([^)#]+)\)/g)].map(([, link = ""]) =>
      path.join(path.dirname(file), link),
    );
    const paths = [...text.matchAll(/`((?:src|test|docs|scripts)\/[\w./-]+)`/g)].map(
      ([, each = ""]) => each,
    );
    expect([...links, ...paths].filter((each) => !existsSync(path.join(root, each)))).toEqual([]);
  });
});
