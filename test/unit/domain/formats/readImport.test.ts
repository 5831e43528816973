import { describe, expect, it } from "vitest";
import { toBundle } from "../../../../src/domain/formats/bundle.ts";
import { readImport } from "../../../../src/domain/formats/readImport.ts";
import { toYaml } from "../../../../src/domain/formats/yaml.ts";
import { DomainError } from "../../../../src/domain/kernel/errors.ts";

const document = {
  name: "Signs in",
  text: "Go to /login",
  language: "en",
  platform: "web",
  steps: [
    {
      action: "navigate",
      target: "",
      value: "/login",
      description: 'no: "1e3" {{x}}\u2028',
      optional: true,
      disabled: false,
    },
  ],
};
const refusalOf = (content: string, format?: "json" | "yaml" | "bundle"): string => {
  try {
    readImport(content, format);
  } catch (error) {
    if (error instanceof DomainError && error.code === "import.unreadable") return error.message;
    throw error;
  }
  throw new Error("it was read");
};
const [step] = document.steps;
const { disabled: _, ...plain } = step ?? {};

describe("reading an import file", () => {
  it("reads exported bundles and YAML, with or without a named format", () => {
    const bundle = readImport(toBundle(document));
    const test = { ...document, steps: [plain], tags: [] };
    expect(bundle).toEqual([{ ok: true, name: "Signs in", test, warnings: [] }]);
    expect(readImport(toBundle(document), "bundle")).toEqual(bundle);
    expect(readImport(toBundle(document), "json")).toEqual(bundle);
    const yaml = readImport(toYaml(document));
    expect(yaml).toEqual([
      { ok: true, name: "Signs in", test: { ...test, text: "" }, warnings: [] },
    ]);
  });

  it("reports a result for each test if some are invalid", () => {
    const items = [
      { name: "Good", text: "Go to /" },
      { name: "No content" },
      { text: "Go to /" },
      { name: "Bad steps", steps: [{ target: "x" }] },
      { name: "French", text: "Aller", language: "fr" },
      7,
    ];
    for (const content of [JSON.stringify(items), JSON.stringify({ tests: items })]) {
      const read = readImport(content);
      expect(read.map((item) => (item.ok ? "ok" : item.problem.split(":")[0]))).toEqual([
        "ok",
        "text",
        "name",
        "steps.0.action",
        "language",
        "the test",
      ]);
    }
    const documents = "name: One\ntext: Go to /\n---\nname: Two\ntext: Go to /\n";
    expect(readImport(documents).map(({ name }) => name)).toEqual(["One", "Two"]);
  });

  it.each([
    ["aliases", "name: &n Bomb\ntext: *n\n", /alias/],
    [
      "a bomb of aliases",
      `a: &a [x,x,x,x,x,x,x,x,x]\n${"bcdefgh"
        .split("")
        .map((name, n) => `${name}: &${name} [${`*${"abcdefg"[n]},`.repeat(9)}]`)
        .join("\n")}`,
      /alias/,
    ],
    ["a tag", "name: !!js/function 'x'\n", /tag/],
    ["a tag of its own", "name: !secret x\ntext: Go to /\n", /tag|Unresolved/],
    ["a key twice", "name: One\nname: Two\ntext: Go to /\n", /unique/i],
    ["a quote that does not end", 'name: "One\n', /cannot be read/],
    ["lists 100,000 deep", "[".repeat(100_000), /nested too deeply/],
    ["maps 100,000 deep", "{a: ".repeat(75_000), /nested too deeply/],
    ["dashes 100,000 deep", "- ".repeat(100_000), /nested too deeply/],
    ["keys 100,000 deep", "? ".repeat(100_000), /nested too deeply/],
    ["more than is read", `name: x\ntext: "${"x".repeat(300_000)}"`, /up to/],
  ])("rejects YAML with %s", (_name, content, reason) => {
    expect(refusalOf(content, "yaml")).toMatch(reason);
  });

  it.each([
    ["half a file", '{"name": "One", "text": "Go', /broken off/],
    ["lists 100,000 deep, closed", "[".repeat(100_000) + "]".repeat(100_000), null],
    ["lists 100,000 deep, open", "[".repeat(100_000), /broken off/],
    ["no test", "[]", /no test/],
    ["too many tests", JSON.stringify(Array(10_001).fill({})), /10001 tests/],
    [
      "a test of a million steps",
      `{"name": "x", "steps": [${'{"action":"reload"},'.repeat(999_999)}{"action":"reload"}]}`,
      null,
    ],
    ["nothing", "", /cannot be read/],
  ])("rejects JSON with %s as a file or as a test", (_name, content, reason) => {
    if (reason) expect(refusalOf(content, "json")).toMatch(reason);
    else expect(readImport(content, "json")).toEqual([expect.objectContaining({ ok: false })]);
  });

  it("adds nothing to object prototypes through __proto__ and constructor", () => {
    const content =
      '{"name": "x", "text": "Go to /", "__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}}';
    const yaml = "name: x\ntext: Go to /\n__proto__:\n  polluted: 1\n";
    for (const [item] of [readImport(content), readImport(yaml)]) {
      expect(item).toMatchObject({ ok: true, name: "x" });
      expect(Object.keys(item?.ok ? item.test : {})).not.toContain("polluted");
    }
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it.each([
    [{ columns: ["a b"], rows: [] }, /^data\.columns\.0: /],
    [{ columns: ["secret"], rows: [{ secret: "x" }] }, /^data\.columns: /],
    [{ columns: ["__proto__"], rows: [] }, /^data\.columns: /],
    [{ columns: ["a"], rows: [{ b: "x" }] }, /^data\.rows\.0: has no column "b"/],
    [{ columns: ["a"], rows: [{ a: "\0" }] }, /^data\.rows\.0\.a: /],
    [{ columns: ["a"], rows: [["x"]] }, /^data\.rows\.0: must give its values by column/],
    [{ rows: [] }, /^data\.columns: is required/],
    [{ columns: ["a"], rows: Array(1_001).fill({}) }, /^data\.rows: at most 1000/],
    [{ columns: ["a"], rows: Array(20).fill({ a: "x".repeat(8_000) }) }, /64 KiB/],
  ])("rejects or warns about invalid data rows", (data, why) => {
    const test = { name: "x", text: "Go to /", data };
    const [item] = readImport(JSON.stringify(test));
    expect(item).toMatchObject({ ok: false, problem: expect.stringMatching(why) });
    const noted = `Feature: x\n  # runledger: ${JSON.stringify({ data })}\n  Scenario: x\n    Given Go to /\n`;
    const [scenario] = readImport(noted);
    expect(scenario).toMatchObject({ ok: true, test: { data: undefined } });
    expect(scenario?.ok && scenario.warnings).toMatchObject([
      { line: 2, message: expect.stringMatching(/^data/) },
    ]);
  });

  it("rejects other content with the name of a bundle", () => {
    expect(refusalOf('{"name": "x", "text": "Go to /"}', "bundle")).toMatch(/bundle/);
  });
});
