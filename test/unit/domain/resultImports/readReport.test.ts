import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DomainError } from "../../../../src/domain/kernel/errors.ts";
import { readReport } from "../../../../src/domain/resultImports/readReport.ts";
import type { ExternalReport } from "../../../../src/domain/resultImports/report.ts";

const fixtures = path.resolve("test/fixtures");
const file = (name: string): Buffer => readFileSync(path.join(fixtures, name));

const read = (content: string | Uint8Array): ExternalReport => {
  const reading = readReport(typeof content === "string" ? Buffer.from(content) : content);
  for (;;) {
    const step = reading.next();
    if (step.done) return step.value;
  }
};

const refusal = (content: string | Uint8Array): string => {
  try {
    read(content);
  } catch (error) {
    expect(error).toBeInstanceOf(DomainError);
    expect((error as DomainError).code).toBe("results.unreadable");
    return (error as DomainError).message;
  }
  throw new Error("It was read");
};

const short = ({ cases }: ExternalReport) =>
  cases.map(({ suite, className, name, status, tries }) => [
    suite,
    className,
    name,
    status,
    tries.map((one) => one.status).join(" "),
  ]);

describe("reports of other tools", () => {
  it.each(
    readdirSync(path.join(fixtures, "junit")).filter((name) => /^(?!testXxe).*\.xml$/.test(name)),
  )("reads junit/%s, with a name and verdict for each test", (name) => {
    const { cases, format } = read(file(`junit/${name}`));
    expect(format).toBe("junit");
    expect(cases.length).toBeGreaterThan(0);
    for (const one of cases) {
      expect(one.name).not.toBe("");
      expect(one.tries.length).toBeGreaterThan(0);
      expect(one.status === "failed" || one.status === "errored").toBe(one.error !== null);
    }
  });

  it("reads Surefire retries: flaky if the last passed, failed otherwise, with each attempt", () => {
    const flaky = read(file("junit/TEST-io.olamy.FlakyTest.xml"));
    expect(short(flaky)).toEqual([
      ["io.olamy.FlakyTest", "io.olamy.FlakyTest", "testApp", "flaky", "failed failed passed"],
    ]);
    const failing = read(file("junit/TEST-io.olamy.AlwaysFailTest.xml"));
    expect(short(failing)[0]?.slice(3)).toEqual(["failed", "failed failed failed failed"]);
    expect(failing.cases[0]?.error).toContain("built to fail");
  });

  it("reads nested suites into paths, and reports errors of a suite", () => {
    expect(short(read(file("junit/junit-report-nested-testsuites.xml")))).toEqual([
      [
        "test.AutomatedTests › test.fs.FileSystemTest",
        "test.fs.FileSystemTest",
        "testPrefix",
        "passed",
        "passed",
      ],
      [
        "test.AutomatedTests › test.db.DatabaseTest › test.3rdlevel",
        "",
        "test.3rdlevel",
        "errored",
        "errored",
      ],
      [
        "test.AutomatedTests › test.db.DatabaseTest",
        "test.db.DatabaseTest",
        "testTable",
        "passed",
        "passed",
      ],
    ]);
  });

  it("treats invalid durations and times as unknown, and duplicate names as separate tests", () => {
    const { cases, startedAt } = read(file("junit/junit-report-bad-duration.xml"));
    expect(cases.map(({ name, durationMs }) => [name, durationMs])).toEqual([
      ["testDummyMethod", null],
      ["testDummyMethod (2)", 100_000],
    ]);
    expect(startedAt).toBe("2009-01-16T22:57:13.000Z");
    const times = read(file("junit/junit-report-testsuite-various-timestamps.xml"));
    expect(times.startedAt).toBe("2024-01-03T11:23:00.000Z");
    expect(new Set(times.cases.map((one) => one.startedAt?.slice(0, 16)))).toContain(
      "2024-01-03T12:40",
    );
    const unnamed = read(file("junit/junit-report-empty-testcasename.xml"));
    expect(unnamed.cases[0]?.name).toBe("test.TestJUnit5FailingInBeforeAll");
  });

  it("reads Playwright projects named like browsers as browsers of one test, and others as separate tests", () => {
    const report = read(file("playwright/report.json"));
    expect(report.format).toBe("playwright");
    const told = report.cases.map(({ className, name, project, status, tries }) => [
      [className, name, project].filter(Boolean).join(" | "),
      status,
      tries.map((one) => `${one.number} ${one.browser} ${one.status}`),
    ]);
    expect(Object.fromEntries(told.map(([name, ...rest]) => [name, rest]))).toEqual({
      opens: ["passed", ["1 chromium passed", "1 firefox passed"]],
      "opens | Mobile Safari": ["passed", ["1 null passed"]],
      "cart | adds": ["passed", ["1 chromium passed", "1 firefox passed"]],
      "cart | adds | Mobile Safari": ["passed", ["1 null passed"]],
      "cart | is emptied": ["flaky", ["1 chromium passed", "1 firefox failed", "2 firefox passed"]],
      "cart | is emptied | Mobile Safari": ["passed", ["1 null passed"]],
      "cart › paying | fails for real": [
        "failed",
        ["1 chromium failed", "2 chromium failed", "1 firefox failed", "2 firefox failed"],
      ],
      "cart › paying | fails for real | Mobile Safari": ["passed", ["1 null passed"]],
      "cart › paying | is known to fail": ["passed", ["1 chromium passed", "1 firefox passed"]],
      "cart › paying | is known to fail | Mobile Safari": ["passed", ["1 null passed"]],
      "cart › paying | was thought to fail": [
        "failed",
        ["1 chromium failed", "2 chromium failed", "1 firefox failed", "2 firefox failed"],
      ],
      "cart › paying | was thought to fail | Mobile Safari": [
        "failed",
        ["1 null failed", "2 null failed"],
      ],
      "cart › paying | takes too long": ["failed", ["1 chromium failed", "2 chromium failed"]],
    });
    expect(report.skipped).toBeGreaterThan(0);
    const paid = report.cases.find(({ name }) => name === "fails for real");
    expect(paid?.error).toContain("it is not paid");
    expect(paid?.error).not.toContain("\u001b");
    expect(report.cases.find(({ name }) => name === "was thought to fail")?.error).toContain(
      "It passed, and was expected to end failed.",
    );
  });
});

describe("malformed and hostile reports", () => {
  const nested = (depth: number) => `${"<testsuite>".repeat(depth)}${"</testsuite>".repeat(depth)}`;
  const bomb = `<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa">${Array.from(
    { length: 9 },
    (_, n) => `<!ENTITY ${"b".repeat(n + 1)} "${`&${"b".repeat(n) || "a"};`.repeat(10)}">`,
  ).join("")}]><testsuite><testcase name="&bbbbbbbbb;"/></testsuite>`;

  it.each([
    ["an attack by a document type", file("junit/testXxe-xxe.xml"), /^file: line 7: .*DOCTYPE/],
    ["an entity alone", file("junit/testXxe-oob.xml"), /^file: line 1: /],
    ["a bomb of entities", bomb, /^file: line 1: .*DOCTYPE/],
    ["an entity that nobody defined", "<testsuite>\n&x;</testsuite>", /line 2: .*entity.*&lt;/],
    ["half a file", '<testsuite>\n<testcase name="a">', /line 2: unclosed tag.*whole file/],
    ["half a tag", '<testsuite>\n<testcase name="a', /line 2: .*whole file/],
    ["half of JSON", '{"config": {},\n"suites": [', /line 2: .*whole file/],
    ["JSON with a fault", '{"config": {},\n"suites": [}', /line 2: .*no valid JSON/],
    ["other JSON", '{"name": "x"}', /not Playwright's report.*--reporter=json/],
    [
      "a control character",
      '<testsuite>\n<testcase name="\u0007"/></testsuite>',
      /line 2: .*control/,
    ],
    [
      "one that is escaped",
      '<testsuite>\n<testcase name="&#7;"/></testsuite>',
      /line 2: .*control/,
    ],
    ["no root of JUnit", "<html>\n</html>", /line 1: .*<html>.*<testsuite>/],
    ["plain text", "ok 1 - a test", /neither XML nor JSON/],
    ["nothing", "", /is empty/],
    ["no test", "<testsuites/>", /no test in it/],
    [
      "skipped tests alone",
      '<testsuite><testcase name="a"><skipped/></testcase></testsuite>',
      /all were skipped/,
    ],
    [
      "bytes of another encoding",
      Buffer.from([...Buffer.from("<testsuite>\n"), 0xe4]),
      /line 2: .*utf-8/,
    ],
    [
      "an encoding that nobody knows",
      '<?xml version="1.0" encoding="klingon"?><testsuite/>',
      /klingon.*UTF-8/,
    ],
    ["suites too deep in each other", nested(65), /line 1: .*64 deep/],
    [
      "an attribute of two megabytes",
      `<testsuite>\n<testcase name="${"x".repeat(2_000_000)}"/></testsuite>`,
      /line 2: the attribute name has 2000000/,
    ],
    [
      "an element with more attributes than any has",
      `<testsuite>\n<testcase ${Array.from({ length: 1_001 }, (_, n) => `a${n}="1"`).join(" ")} name="a"/></testsuite>`,
      /line 2: an element has more than 1000 attributes/,
    ],
    [
      "more tests than may be",
      `<testsuite>${'\n<testcase name="a"/>'.repeat(10_001)}</testsuite>`,
      /line 10002: .*10000 tests.*Split/,
    ],
  ])("are rejected with the line and a remedy for %s", (_, content, expected) => {
    expect(refusal(content)).toMatch(expected);
  });

  it("are rejected with the line for JSON that is truncated or invalid after a text of megabytes", () => {
    const long = "A".repeat(17_000_000);
    expect(refusal(`{"config": {},\n"body": "${long}`)).toMatch(/line 2: .*whole file/);
    expect(refusal(`{"config": {}, "body": "${long}",\n"suites": [,]}`)).toMatch(
      /line 2: .*no valid JSON/,
    );
  });

  it("are limited in durations and dates", () => {
    const longest = 20 * 86_400_000;
    const suite = (at: string, time: string) =>
      `<testsuite name="${at}" timestamp="${at}"><testcase name="a" time="${time}"/></testsuite>`;
    for (const [from, to] of [
      ["2001-01-01T00:00:00", "2025-01-01T00:00:00"],
      ["2001-01-01T00:00:00", "9998-12-31T00:00:00"],
    ] as const) {
      const told = read(`<testsuites>${suite(from, "1")}${suite(to, "2")}</testsuites>`);
      expect([told.startedAt, told.durationMs]).toEqual([null, 3_000]);
    }
    const skipped = `<testcase time="1728000"><skipped/></testcase>`.repeat(5_000_000 / 1_000);
    const many = read(
      `<testsuite timestamp="9998-12-31T00:00:00"><testcase name="a"/>${skipped}</testsuite>`,
    );
    expect([many.startedAt, many.durationMs]).toEqual(["9998-12-31T00:00:00.000Z", 0]);

    const tries = [
      { status: "failed", duration: longest },
      { status: "passed", duration: longest },
    ];
    const spec = { title: "a", tests: [{ expectedStatus: "passed", results: tries }] };
    const playwright = read(
      JSON.stringify({ config: {}, suites: [{ title: "s", specs: [spec] }] }),
    );
    expect(playwright.cases).toMatchObject([{ status: "flaky", durationMs: null }]);
  });

  it("keep tests apart whose names look like generated suffixes", () => {
    const cases = ["a", "a", "a (2)", "a", "a (2)"].map((name) => `<testcase name="${name}"/>`);
    const { cases: told } = read(`<testsuite name="s">${cases.join("")}</testsuite>`);
    expect(told.map(({ name }) => name)).toEqual(["a", "a (3)", "a (2)", "a (4)", "a (2) (2)"]);
  });

  it("are decoded from UTF-16, Latin-1 and with a byte order mark", () => {
    const xml = '<testsuite name="s"><testcase name="Größe"/></testsuite>';
    const of = (content: Uint8Array) => read(content).cases[0]?.name;
    expect(of(Buffer.from(`\ufeff${xml}`))).toBe("Größe");
    expect(of(Buffer.from(`\ufeff${xml}`, "utf16le"))).toBe("Größe");
    const declared = `<?xml version="1.0" encoding="ISO-8859-1"?>${xml}`;
    expect(of(Buffer.from(declared, "latin1"))).toBe("Größe");
  });

  it("are read completely if several documents are concatenated", () => {
    const one = (name: string) =>
      `<?xml version="1.0" encoding="UTF-8"?>\n<testsuite name="s"><testcase name="${name}"><failure>no</failure></testcase></testsuite>\n`;
    const { cases } = read(one("a") + one("b") + one("c").slice(39));
    expect(cases.map(({ name, error }) => `${name} ${error}`)).toEqual(["a no", "b no", "c no"]);
    expect(refusal(`${one("a")}nonsense`)).toMatch(/line 3: text data outside/);
  });

  it("are read or rejected for any text, and never turn a failure into a pass", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 60 }), (text) => {
        const escaped = text.replace(/[<>&"]/g, "");
        const xml = `<testsuite name="s"><testcase name="${escaped}"><failure>${escaped}</failure></testcase></testsuite>`;
        let report: ExternalReport;
        try {
          report = read(xml);
        } catch (error) {
          expect(error).toBeInstanceOf(DomainError);
          return;
        }
        expect(report.cases.map(({ status }) => status)).toEqual(["failed"]);
      }),
    );
  });
});
