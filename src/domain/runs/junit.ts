import { contentText } from "./contentText.ts";
import { type Reservations, reservationLines, verdictText } from "./reservations.ts";

/** The part of a run that a JUnit report contains: a subset of `GET /runs/{id}`. */
export type ReportedRun = {
  readonly id: string;
  readonly status: string;
  readonly triggered_by: string;
  readonly queued_at: string;
  readonly duration_ms: number | null;
  /** Absent: the report is from a service that does not say. */
  readonly verdict?: string | null;
  readonly tests: readonly ReportedTest[];
};

export type ReportedTest = {
  readonly test_id: string;
  readonly name: string;
  readonly execution_id: string;
  /** The path of its file in the repository. */
  readonly source?: string | null;
  /** The file content that it ran; null or absent: a stored version. */
  readonly content?: {
    readonly commit: string | null;
    readonly stored_version: number | null;
    readonly summary: string | null;
  } | null;
  readonly status: string;
  /** The row of data that it ran with, from 1: each is a case of its own. */
  readonly row?: number | null;
  /** It was in quarantine: that it did not pass does not count. */
  readonly quarantined?: boolean;
  readonly duration_ms: number | null;
  readonly error: string | null;
  readonly attempts: readonly ReportedAttempt[];
  readonly browsers: readonly { readonly browser: string; readonly status: string }[];
  /** Absent: the report is from a service that does not say. */
  readonly verdict?: string | null;
} & Partial<Reservations>;

type ReportedAttempt = {
  readonly status: string;
  readonly error: string | null;
};

/**
 * Renders runs as a JUnit XML report: one suite for each run, one case for each of its tests. Elements, order and
 * required attributes follow Maven Surefire's schema (surefire-test-report.xsd), including its retries, which Jenkins
 * and other tools understand: the first failed attempt is the `failure` (or `error`), each later one a `rerunFailure`;
 * failed attempts of a test that finally passed are `flakyFailure`. A quarantined test that did not pass is `skipped`,
 * with its result as the message, so that no reader reports a failure. A test that passed with gaps is `skipped` too,
 * with the gaps as the message, so that no reader reports it as passed. `system-out` names gaps and healed steps.
 */
export const toJUnit = (runs: readonly ReportedRun[]): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n${element("testsuites", {}, runs.map(suiteOf))}\n`;

/** A test that could not be run: its file was not understood, or the service did not accept it. */
export type FailedFile = {
  readonly path: string;
  readonly name: string;
  readonly error: string;
};

/** Renders tests that could not be run as a JUnit XML report with errors. */
export const failuresToJUnit = (failed: readonly FailedFile[]): string => {
  const counts = { tests: String(failed.length), errors: String(failed.length) };
  const cases = failed.map(({ path, name, error }) =>
    element("testcase", { name, classname: path, time: seconds(null) }, [
      element("error", { message: lineOf(error), type: "not run" }, [escapeText(error)], ""),
    ]),
  );
  const suite = element(
    "testsuite",
    { name: "not run", time: seconds(null), ...counts, skipped: "0", failures: "0" },
    cases,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element("testsuites", {}, [suite])}\n`;
};

const suiteOf = (run: ReportedRun): string => {
  const cases = run.tests.map((test) => ({ test, outcome: outcomeOf(test) }));
  const count = (kind: Outcome): string =>
    String(cases.filter(({ outcome }) => outcome === kind).length);
  const properties = {
    run_id: run.id,
    status: run.status,
    ...(run.verdict ? { verdict: run.verdict } : {}),
    triggered_by: run.triggered_by,
    queued_at: run.queued_at,
  };
  return element(
    "testsuite",
    {
      name: `run ${run.id}`,
      time: seconds(run.duration_ms),
      tests: String(cases.length),
      errors: count("error"),
      skipped: count("skipped"),
      failures: count("failure"),
    },
    [
      element(
        "properties",
        {},
        Object.entries(properties).map(([name, value]) => element("property", { name, value })),
      ),
      ...cases.map(({ test, outcome }) => caseOf(test, outcome)),
    ],
  );
};

/** The status of a case. A flaky test passed. */
type Outcome = "passed" | "failure" | "error" | "skipped";

const outcomeOf = ({ status, quarantined = false, gaps = [] }: ReportedTest): Outcome => {
  if (gaps.length > 0 && (status === "passed" || status === "flaky")) return "skipped";
  if (quarantined && (status === "failed" || status === "errored")) return "skipped";
  switch (status) {
    case "passed":
    case "flaky":
      return "passed";
    case "failed":
      return "failure";
    case "errored":
      return "error";
    default:
      return "skipped";
  }
};

const caseOf = (test: ReportedTest, outcome: Outcome): string => {
  const bad = test.attempts.filter(({ status }) => status === "failed" || status === "errored");
  const children: string[] = [];
  if (outcome === "skipped") {
    // The schema wants failures before `skipped`, and errors after it.
    const flaky = test.status === "flaky" ? bad : [];
    children.push(...flaky.filter(isFailure).map((one) => retried("flakyFailure", one)));
    children.push(element("skipped", { message: skippedText(test) }));
    children.push(...flaky.filter(isError).map((one) => retried("flakyError", one)));
  } else if (outcome === "passed") {
    // The schema wants all failures before the first error.
    children.push(...bad.filter(isFailure).map((one) => retried("flakyFailure", one)));
    children.push(...bad.filter(isError).map((one) => retried("flakyError", one)));
  } else {
    // The last attempt decides between failure and error.
    const verdict = { status: outcome === "failure" ? "failed" : "errored", error: test.error };
    // One that was ended from outside has no attempt that says why.
    const last = bad.at(-1);
    const isSaid = last?.status === verdict.status || last?.error === verdict.error;
    const [first = verdict, ...reruns] = isSaid ? bad : [...bad, verdict];
    const main = element(
      outcome,
      { message: lineOf(first.error ?? test.error), type: verdict.status },
      [escapeText(first.error ?? test.error ?? "")],
      "",
    );
    const failures = reruns.filter(isFailure).map((one) => retried("rerunFailure", one));
    const errors = reruns.filter(isError).map((one) => retried("rerunError", one));
    children.push(
      ...(outcome === "failure" ? [main, ...failures, ...errors] : [...failures, main, ...errors]),
    );
  }
  const browsers = test.browsers.map(({ browser, status }) => `${browser}: ${status}`);
  const output = [
    `execution ${test.execution_id}`,
    ...(test.verdict ? [`verdict: ${verdictText(test.verdict)}`] : []),
    ...(test.content ? [contentText(test.content)] : []),
    ...browsers,
    ...linesOf(test),
  ].join("\n");
  return element(
    "testcase",
    { name: nameOf(test), classname: test.source ?? test.test_id, time: seconds(test.duration_ms) },
    [...children, element("system-out", {}, [escapeText(output)], "")],
  );
};

/** The reason of a test that JUnit reports as skipped. */
const skippedText = (test: ReportedTest): string => {
  const isPassed = test.status === "passed" || test.status === "flaky";
  if (isPassed) return `Passed with gaps: ${linesOf({ ...test, healed: [] }).join("; ")}`;
  const why = test.error ?? `The test is ${test.status}.`;
  return test.quarantined ? `In quarantine, ${test.status}: ${lineOf(why)}` : why;
};

const linesOf = ({ gaps = [], healed = [], browsers }: ReportedTest): readonly string[] =>
  reservationLines({ gaps, healed }, browsers.length);

const nameOf = ({ name, row }: ReportedTest): string =>
  row === null || row === undefined ? name : `${name} (row ${row})`;

const isFailure = ({ status }: ReportedAttempt): boolean => status === "failed";
const isError = ({ status }: ReportedAttempt): boolean => status === "errored";

const retried = (name: string, { status, error }: ReportedAttempt): string =>
  element(name, { message: lineOf(error), type: status }, [
    element("stackTrace", {}, [escapeText(error ?? "")], ""),
  ]);

/** The first line, which lists of failures show. */
const lineOf = (error: string | null): string => error?.split("\n")[0] ?? "";

const seconds = (ms: number | null): string => ((ms ?? 0) / 1_000).toFixed(3);

const element = (
  name: string,
  attributes: Readonly<Record<string, string>>,
  children: readonly string[] = [],
  between = "\n",
): string => {
  const said = Object.entries(attributes)
    .map(([key, value]) => ` ${key}="${escapeAttribute(value)}"`)
    .join("");
  if (children.length === 0) return `<${name}${said}/>`;
  return `<${name}${said}>${[...children.map((child) => between + child), between].join("")}</${name}>`;
};

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\r": "&#13;",
  "\n": "&#10;",
  "\t": "&#9;",
};

/** In attributes, line breaks and tabs that are not escaped would be read as spaces. */
const escapeAttribute = (text: string): string =>
  writable(text).replaceAll(/[&<>"\r\n\t]/g, (character) => ESCAPES[character] ?? character);

const escapeText = (text: string): string =>
  writable(text).replaceAll(/[&<>\r]/g, (character) => ESCAPES[character] ?? character);

/**
 * Characters that XML 1.0 cannot contain, not even escaped (its production Char): most controls, lone surrogates,
 * U+FFFE, U+FFFF.
 */
const UNWRITABLE = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;

/** Replaces characters that XML cannot contain by their code, as `\u0007`. */
const writable = (text: string): string =>
  text.replaceAll(
    UNWRITABLE,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
