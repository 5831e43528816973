import { describe, expect, it } from "vitest";
import { stepsOf } from "../../../../../src/api/routes/reports/pageSteps.ts";
import { picturesFor } from "../../../../../src/api/routes/reports/pictures.ts";
import type { ShownStep, ShownTest } from "../../../../../src/api/routes/reports/steps.ts";

const PICTURE = 3_000;
/** A `data:` URL. */
const ADDRESS = `data:image/png;base64,${Buffer.alloc(PICTURE).toString("base64")}`.length;

const step = (test: string, number: number, status: ShownStep["status"]): ShownStep => ({
  number,
  description: `Step <${number}>`,
  status,
  duration_ms: 10,
  reason: null,
  healed_target: null,
  notes: [],
  evidence: null,
  page_problems: null,
  error: status === "failed" ? "It <b>is</b> not there." : null,
  compared: null,
  missing: null,
  pictures: [{ what: "page", key: `${test}/${number}`, path: `/shots/${test}/${number}` }],
});

const shown = (
  name: string,
  steps: readonly ShownStep["status"][],
  rest: Partial<ShownTest> = {},
): ShownTest => {
  const status = steps.includes("failed") ? "failed" : "passed";
  return {
    test: {
      test_id: name,
      name,
      execution_id: name,
      row: null,
      source: null,
      content: null,
      status,
      quarantined: false,
      duration_ms: 30,
      steps_done: steps.length,
      steps_total: steps.length,
      error: null,
      attempts: [],
      browsers: [],
      verdict: status,
      gaps: [],
      healed: [],
    },
    notKept: null,
    isCutOff: false,
    attempts: [
      {
        number: 1,
        status,
        duration_ms: 30,
        error: null,
        browsers: [
          {
            browser: "chromium",
            browser_version: "131",
            status,
            duration_ms: 30,
            error: null,
            steps: steps.map((one, index) => step(name, index + 1, one)),
          },
        ],
      },
    ],
    ...rest,
  };
};

const blobs = (gone: readonly string[] = []) => ({
  get: async (key: string) =>
    gone.includes(key)
      ? null
      : { bytes: Buffer.alloc(PICTURE), contentType: "image/png", etag: key },
});

const tests = [shown("good", ["passed", "passed"]), shown("bad", ["passed", "passed", "failed"])];
const text = Buffer.byteLength(JSON.stringify(tests));

describe("pictures of a report page", () => {
  it.each([
    [5, ["bad/1", "bad/2", "bad/3", "good/1", "good/2"]],
    [4, ["bad/1", "bad/2", "bad/3", "good/2"]],
    [3, ["bad/1", "bad/2", "bad/3"]],
    [2, ["bad/2", "bad/3"]],
    [1, ["bad/3"]],
    [0, []],
  ])(
    "keep failed steps first and drop the earliest passed ones with room for %i",
    async (fit, kept) => {
      const { data, leftOut } = await picturesFor(blobs(), tests, text + fit * ADDRESS);
      expect([[...data.keys()].toSorted(), leftOut]).toEqual([kept, 5 - kept.length]);
    },
  );

  it("marks omitted and deleted pictures, with a link to omitted ones", async () => {
    const pictures = await picturesFor(blobs(["bad/3"]), tests, text + ADDRESS);
    const html = tests.map((test) => stepsOf(test, pictures, "https://runs.test")).join("");
    expect(html).toContain("at step 3 of bad: the picture is gone.");
    expect(html).toContain('<a href="https://runs.test/shots/bad/1">');
    expect(html.match(/<img /g)).toHaveLength(1);
    expect(pictures.leftOut).toBe(3);
  });
});

describe("test of a report page", () => {
  it("opens the failed attempt and step, and escapes all text", async () => {
    const pictures = await picturesFor(blobs(), tests);
    const html = stepsOf(shown("bad", ["passed", "failed", "pending"]), pictures, "");
    expect(html.match(/<details open>/g)).toHaveLength(2);
    expect(html).toContain("2. Step &lt;2&gt;");
    expect(html).toContain("It &lt;b&gt;is&lt;/b&gt; not there.");
    expect(stepsOf(shown("good", ["passed"]), pictures, "")).not.toContain("<details open>");
  });

  it("explains deleted evidence, omitted steps and missing steps", () => {
    const pictures = { data: new Map<string, string>(), leftOut: 0 };
    const deleted = { notKept: "Pictures were deleted.", attempts: [] };
    expect(stepsOf(shown("a", [], deleted), pictures, "")).toBe("<p>Pictures were deleted.</p>");
    const cutOff = { isCutOff: true, attempts: [] };
    expect(stepsOf(shown("a", [], cutOff), pictures, "")).toContain("Its steps are left out");
    const attempts = [
      { number: 1, status: "failed", duration_ms: 5, error: "Expected 1", browsers: [] },
    ];
    expect(stepsOf(shown("a", [], { attempts }), pictures, "")).toContain(
      '<pre tabindex="0">Expected 1</pre>',
    );
  });
});
