import fc from "fast-check";
import { SaxesParser } from "saxes";
import { describe, expect, it } from "vitest";
import {
  failuresToJUnit,
  type ReportedRun,
  type ReportedTest,
  toJUnit,
} from "../../../../src/domain/runs/junit.ts";

type Node = {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: Node[];
  text: string;
};

/** Reads XML as a strict parser does: throws for what is not well-formed. */
const parse = (xml: string): Node => {
  const root: Node = { name: "", attributes: {}, children: [], text: "" };
  const open = [root];
  const parser = new SaxesParser();
  parser.on("opentag", ({ name, attributes }) => {
    const node: Node = { name, attributes, children: [], text: "" };
    open.at(-1)?.children.push(node);
    open.push(node);
  });
  parser.on("text", (text) => {
    const node = open.at(-1);
    if (node) node.text += text;
  });
  parser.on("closetag", () => open.pop());
  parser.on("error", (error) => {
    throw error;
  });
  parser.write(xml).close();
  const [top] = root.children;
  if (!top) throw new Error("no element");
  return top;
};

const testOf = (change: Partial<ReportedTest>): ReportedTest => ({
  test_id: "0199c2a0-7b1e-7c3a-9d4e-1f2a3b4c5d6e",
  name: "Sign in",
  execution_id: "0199c2a1-0c4f-7d02-9e33-0a1b2c3d4e5f",
  status: "passed",
  duration_ms: 1_234,
  error: null,
  attempts: [{ status: "passed", error: null }],
  browsers: [{ browser: "chromium", status: "passed" }],
  ...change,
});

const runOf = (...tests: ReportedTest[]): ReportedRun => ({
  id: "0199c2a1-0c4f-7a11-8b21-6f7e8d9c0b1a",
  status: "failed",
  triggered_by: "api:ci",
  queued_at: "2026-03-02T09:15:00.000Z",
  duration_ms: 5_000,
  tests,
});

const failed = (error: string) => ({ status: "failed", error });
const errored = (error: string) => ({ status: "errored", error });
const passed = { status: "passed", error: null };

/** The elements of the one case that a run of one test comes to, with their messages. */
const outcomesOf = (test: ReportedTest): readonly (readonly [string, string | undefined])[] => {
  const suite = parse(toJUnit([runOf(test)])).children[0];
  const [testcase] = suite?.children.filter(({ name }) => name === "testcase") ?? [];
  return (testcase?.children ?? [])
    .filter(({ name }) => name !== "system-out")
    .map(({ name, attributes }) => [name, attributes.message] as const);
};

/** What may stand in a suite and a case, in this order (surefire-test-report.xsd). */
const CASE_ORDER = [
  ...["failure", "rerunFailure", "flakyFailure", "skipped", "error", "rerunError"],
  ...["flakyError", "system-out", "system-err"],
];

const keepsSchema = (xml: string): void => {
  const root = parse(xml);
  expect(root.name).toBe("testsuites");
  for (const suite of root.children) {
    expect(suite.name).toBe("testsuite");
    for (const required of ["name", "tests", "errors", "skipped", "failures"])
      expect(suite.attributes).toHaveProperty(required);
    const cases = suite.children.filter(({ name }) => name === "testcase");
    expect(suite.children[0]?.name).toBe("properties");
    expect(cases).toHaveLength(suite.children.length - 1);
    expect(Number(suite.attributes.tests)).toBe(cases.length);
    for (const { attributes, children } of cases) {
      expect(Object.keys(attributes)).toEqual(["name", "classname", "time"]);
      expect(attributes.time).toMatch(/^\d+\.\d{3}$/);
      const places = children.map(({ name }) => CASE_ORDER.indexOf(name));
      expect(places).toEqual([...places].sort((a, b) => a - b));
      expect(places).not.toContain(-1);
      for (const child of children) {
        if (/failure|error/i.test(child.name)) expect(child.attributes).toHaveProperty("type");
        if (/^(rerun|flaky)/.test(child.name))
          expect(child.children.map(({ name }) => name)).toEqual(["stackTrace"]);
      }
    }
  }
};

describe("JUnit report of a run", () => {
  it("has an empty case for a test that passed at once", () => {
    expect(outcomesOf(testOf({}))).toEqual([]);
  });

  it("reports a failure with rerun elements for a test that failed every attempt", () => {
    const attempts = [failed("no button"), failed("no form"), errored("no page")];
    expect(outcomesOf(testOf({ status: "failed", error: "no page", attempts }))).toEqual([
      ["failure", "no button"],
      ["rerunFailure", "no form"],
      ["rerunError", "no page"],
    ]);
  });

  it("follows the element order of the schema for an errored and retried test", () => {
    const attempts = [errored("no page"), failed("no form"), errored("no page again")];
    expect(outcomesOf(testOf({ status: "errored", error: "no page again", attempts }))).toEqual([
      ["rerunFailure", "no form"],
      ["error", "no page"],
      ["rerunError", "no page again"],
    ]);
  });

  it("gives the reason for a test that was stopped between attempts", () => {
    const error = "The run took longer than its organisation allows.";
    const test = testOf({ status: "errored", error, attempts: [failed("no form")] });
    expect(outcomesOf(test)).toEqual([
      ["error", "no form"],
      ["rerunError", error],
    ]);
  });

  it("reports flaky failures in a case that passed in the end", () => {
    const test = testOf({
      status: "flaky",
      attempts: [errored("late"), failed("no form"), passed],
    });
    expect(outcomesOf(test)).toEqual([
      ["flakyFailure", "no form"],
      ["flakyError", "late"],
    ]);
    const suite = parse(toJUnit([runOf(test)])).children[0];
    expect(suite?.attributes).toMatchObject({ tests: "1", failures: "0", errors: "0" });
  });

  it("reports tests without a verdict as skipped, with the reason", () => {
    expect(outcomesOf(testOf({ status: "cancelled", attempts: [] }))).toEqual([
      ["skipped", "The test is cancelled."],
    ]);
    expect(outcomesOf(testOf({ status: "running", attempts: [] }))).toEqual([
      ["skipped", "The test is running."],
    ]);
  });

  it("reports a test that passed with gaps as skipped, with the gaps", () => {
    const gaps = [{ browser: "chromium", step: 2, reason: "The plan has no baselines." }];
    const message = "Passed with gaps: step 2 skipped: The plan has no baselines.";
    const test = testOf({ verdict: "passed_with_gaps", gaps, healed: [] });
    expect(outcomesOf(test)).toEqual([["skipped", message]]);
    const suite = parse(toJUnit([runOf(test)])).children[0];
    expect(suite?.attributes).toMatchObject({ tests: "1", skipped: "1", failures: "0" });
    const attempts = [errored("late"), failed("no form"), passed];
    expect(outcomesOf(testOf({ status: "flaky", gaps, attempts }))).toEqual([
      ["flakyFailure", "no form"],
      ["skipped", message],
      ["flakyError", "late"],
    ]);
    expect(outcomesOf(testOf({ status: "failed", error: "no form", gaps, attempts: [] }))).toEqual([
      ["failure", "no form"],
    ]);
  });

  it("names healed steps, and the verdicts of test and run", () => {
    const step = { browser: "chromium", step: 1, target: "a", healed_target: "b" };
    const test = testOf({ verdict: "healed", gaps: [], healed: [step] });
    expect(outcomesOf(test)).toEqual([]);
    const xml = toJUnit([{ ...runOf(test), verdict: "healed" }]);
    expect(xml).toContain('<property name="verdict" value="healed"/>');
    expect(xml).toContain("verdict: healed\nchromium: passed\nstep 1 healed: b instead of a<");
    keepsSchema(xml);
  });

  it("reports the error of a test that ended before its first attempt", () => {
    const test = testOf({ status: "errored", error: "The steps are gone.", attempts: [] });
    expect(outcomesOf(test)).toEqual([["error", "The steps are gone."]]);
  });

  it("has a named case for each data row", () => {
    const [suite] = parse(toJUnit([runOf(testOf({ row: 1 }), testOf({ row: 2 }))])).children;
    const cases = suite?.children.filter(({ name }) => name === "testcase") ?? [];
    expect(cases.map(({ attributes }) => attributes.name)).toEqual([
      "Sign in (row 1)",
      "Sign in (row 2)",
    ]);
  });

  it("replaces characters that XML cannot contain visibly", () => {
    const error = "bell \u0007, half \ud800, end ]]> & <b> \u{1f600}\r\nsecond\tline";
    const suite = parse(toJUnit([runOf(testOf({ status: "failed", error, attempts: [] }))]))
      .children[0];
    const failure = suite?.children[1]?.children[0];
    expect(failure?.text).toBe(
      "bell \\u0007, half \\ud800, end ]]> & <b> \u{1f600}\r\nsecond\tline",
    );
    expect(failure?.attributes.message).toBe(
      "bell \\u0007, half \\ud800, end ]]> & <b> \u{1f600}\r",
    );
  });

  it("is well-formed, valid and preserves every text for any outcomes", () => {
    const text = fc.oneof(fc.string({ unit: "binary" }), fc.string());
    const attempt = fc.record({
      status: fc.constantFrom("passed", "failed", "errored", "running"),
      error: fc.option(text),
    });
    const test = fc
      .record({
        name: text,
        error: fc.option(text),
        status: fc.constantFrom(
          ...["passed", "flaky", "failed", "errored", "cancelled", "queued", "running"],
        ),
        attempts: fc.array(attempt, { maxLength: 4 }),
        duration_ms: fc.option(fc.nat()),
      })
      .map(testOf);
    fc.assert(
      fc.property(fc.array(fc.array(test, { maxLength: 4 }), { maxLength: 3 }), (runs) => {
        const xml = toJUnit(runs.map((tests) => runOf(...tests)));
        keepsSchema(xml);
        const names = parse(xml).children.flatMap(({ children }) =>
          children
            .filter(({ name }) => name === "testcase")
            .map(({ attributes }) => attributes.name),
        );
        expect(names).toEqual(runs.flat().map(({ name }) => seen(name)));
      }),
    );
  });

  it("names tests by the paths of their files, with the origin of their content", () => {
    const content = { commit: "1a2b3c4d5e6f", stored_version: 3, summary: "1 step added" };
    const report = toJUnit([runOf(testOf({ source: "tests/sign-in.yaml", content }))]);
    expect(report).toContain('classname="tests/sign-in.yaml"');
    expect(report).toContain(
      "content of commit 1a2b3c4d, differs from stored version 3 (1 step added)",
    );
  });

  it("reports files that could not be run as errors", () => {
    const error = 'a.yaml:2: could not understand "Frobnicate".\nDid you mean: Click "A"';
    const report = parse(failuresToJUnit([{ path: "a.yaml", name: "A", error }]));
    expect(report.children[0]?.attributes).toMatchObject({ tests: "1", errors: "1" });
    const [one] = report.children[0]?.children ?? [];
    expect(one?.attributes).toMatchObject({ name: "A", classname: "a.yaml" });
    expect(one?.children[0]).toMatchObject({ name: "error", text: error });
  });
});

/** A text as it is read back: what XML can hold as it is, anything else by its number. */
const seen = (text: string): string =>
  [...text]
    .map((character) => {
      const code = character.codePointAt(0) ?? 0;
      const holds =
        code === 9 ||
        code === 10 ||
        code === 13 ||
        (code >= 0x20 && code <= 0xd7ff) ||
        (code >= 0xe000 && code <= 0xfffd) ||
        code >= 0x10000;
      return holds ? character : `\\u${code.toString(16).padStart(4, "0")}`;
    })
    .join("");
