import { type BrowserName, browserName } from "../runs/verdict.ts";
import { jsonFaultAt } from "./jsonFault.ts";
import {
  type ExternalReport,
  MAX_CASES,
  MAX_DEPTH,
  plainName,
  plainText,
  type ReportedCase,
  type TryStatus,
  toldApart,
  tooManyCases,
  unreadable,
} from "./report.ts";
import { believed, earlier, instantIn } from "./times.ts";

/** Of more tries of one test the last ones are kept. */
const MAX_TRIES = 20;

type Json = Readonly<Record<string, unknown>>;

/** Throws `results.unreadable` with the line if the text is not JSON. */
const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    const at = jsonFaultAt(text);
    throw unreadable(
      text.slice(0, at).split("\n").length,
      at === text.length
        ? "the JSON ends in the middle: was it cut off? Send the whole file."
        : "it is no valid JSON here. Write the report with Playwright's reporter `json`.",
    );
  }
};

/** Reads the report of Playwright's reporter `json`. Throws `results.unreadable`. */
export const readPlaywrightReport = (text: string): ExternalReport => {
  const root = jsonOf(text);
  if (!isObject(root) || !Array.isArray(root.suites) || !("config" in root || "stats" in root)) {
    throw unreadable(
      null,
      "it is JSON, but not Playwright's report, which has config, suites and stats. Write it with `npx playwright test --reporter=json`.",
    );
  }
  const found: Found[] = [];
  const files = list(root.suites);
  for (const file of files) gather(file, [], found, 1);
  const cases: ReportedCase[] = [];
  let skipped = 0;
  for (const one of merged(found)) {
    const read = caseOf(one);
    if (read === null) skipped += 1;
    else if (cases.length === MAX_CASES) throw tooManyCases(null);
    else cases.push(read);
  }
  const stats = isObject(root.stats) ? root.stats : {};
  return {
    format: "playwright",
    cases: toldApart(cases),
    skipped,
    startedAt: cases.reduce<string | null>(
      (first, { startedAt }) => earlier(startedAt, first),
      instantIn(stats.startTime),
    ),
    durationMs: believed(stats.duration),
    troubled: list(root.errors).length > 0,
  };
};

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The objects of a list; of anything else none. */
const list = (value: unknown): readonly Json[] =>
  Array.isArray(value) ? value.filter(isObject) : [];

const textIn = (value: unknown): string => (typeof value === "string" ? value : "");

/** A test of the report in one of its projects. */
type Found = {
  readonly suite: string;
  readonly className: string;
  readonly name: string;
  readonly browser: BrowserName | null;
  readonly project: string | null;
  readonly test: Json;
};

const gather = (suite: Json, path: readonly string[], found: Found[], depth: number): void => {
  if (depth > MAX_DEPTH) {
    throw unreadable(null, `suites stand more than ${MAX_DEPTH} deep in each other. Flatten them.`);
  }
  const here = [...path, plainName(textIn(suite.title))];
  for (const spec of list(suite.specs)) {
    const [file = "", ...titles] = here;
    for (const test of list(spec.tests)) {
      const project = plainName(textIn(test.projectName) || textIn(test.projectId));
      // A project with the name of a browser is that browser; any other project is part of the identity of the test.
      const browser = browserName.safeParse(project.toLowerCase());
      found.push({
        suite: plainName(textIn(spec.file)) || file,
        className: titles.join(" › "),
        name: plainName(textIn(spec.title)) || "(no name)",
        browser: browser.success ? browser.data : null,
        project: browser.success || project === "" ? null : project,
        test,
      });
      // Browsers of one test are put together below.
      if (found.length > 3 * MAX_CASES) throw tooManyCases(null);
    }
  }
  for (const inner of list(suite.suites)) gather(inner, here, found, depth + 1);
};

/** What is one test: the same place and name, each browser once. */
const merged = (found: readonly Found[]): readonly (readonly Found[])[] => {
  const groups: Found[][] = [];
  const open = new Map<string, Found[]>();
  for (const one of found) {
    const key = JSON.stringify([one.suite, one.className, one.name, one.project]);
    const group = open.get(key);
    const fits =
      group && one.browser !== null && group.every(({ browser }) => browser !== one.browser);
    if (fits && group[0]?.browser !== null) {
      group.push(one);
      continue;
    }
    const begun = [one];
    open.set(key, begun);
    groups.push(begun);
  }
  return groups;
};

type Told = Pick<ReportedCase, "status" | "error" | "durationMs" | "startedAt" | "tries">;

/** The result of a test; null if every browser skipped it. */
const caseOf = (group: readonly Found[]): ReportedCase | null => {
  const [first] = group;
  const told = group.flatMap(({ test, browser }) => toldOf(test, browser) ?? []);
  if (!first || told.length === 0) return null;
  const worst = told.reduce((one, other) =>
    SEVERITY[other.status] > SEVERITY[one.status] ? other : one,
  );
  const { suite, className, name, project } = first;
  return {
    ...{ suite, className, name, project },
    status: worst.status,
    error: worst.error,
    durationMs: told.reduce<number | null>(
      (longest, { durationMs }) =>
        durationMs === null ? longest : Math.max(durationMs, longest ?? 0),
      null,
    ),
    startedAt: told.reduce<string | null>((at, one) => earlier(one.startedAt, at), null),
    tries: told.flatMap(({ tries }) => tries),
  };
};

const SEVERITY: Readonly<Record<ReportedCase["status"], number>> = {
  passed: 0,
  flaky: 1,
  failed: 2,
  errored: 3,
};

/** The result of a test in one project; null if it was skipped. */
const toldOf = (test: Json, browser: BrowserName | null): Told | null => {
  const expected = textIn(test.expectedStatus) || "passed";
  const results = list(test.results).filter(({ status }) => status !== "skipped");
  if (textIn(test.status) === "skipped" || results.length === 0) return null;
  const tries = results.map((result, index) => ({
    number: index + 1,
    ...tryOf(result, expected),
    browser,
  }));
  const last = tries.at(-1);
  const passed = last?.status === "passed";
  const before = tries.slice(0, -1).some(({ status }) => status !== "passed");
  const durations = tries.flatMap(({ durationMs }) => durationMs ?? []);
  return {
    status: passed ? (before ? "flaky" : "passed") : (last?.status ?? "errored"),
    error: passed ? null : (last?.error ?? null),
    durationMs:
      durations.length === 0 ? null : believed(durations.reduce((sum, one) => sum + one, 0)),
    startedAt: results.reduce<string | null>(
      (at, { startTime }) => earlier(instantIn(startTime), at),
      null,
    ),
    tries: tries.slice(-MAX_TRIES),
  };
};

/** The status of a try relative to the expected status: a test may be expected to fail. */
const tryOf = (
  result: Json,
  expected: string,
): { status: TryStatus; error: string | null; durationMs: number | null } => {
  const status = textIn(result.status);
  const durationMs = believed(result.duration);
  if (status === expected) return { status: "passed", error: null, durationMs };
  const said = [...list(result.errors), ...(isObject(result.error) ? [result.error] : [])]
    .map((one) => plainText(textIn(one.message) || textIn(one.value)))
    .filter((text) => text !== "");
  const error = [...new Set(said)].join("\n\n") || reasonOf(status, expected);
  return { status: status === "interrupted" ? "errored" : "failed", error, durationMs };
};

const reasonOf = (status: string, expected: string): string => {
  if (status === "passed") return `It passed, and was expected to end ${expected}.`;
  if (status === "timedOut") return "It took too long.";
  return status === "interrupted" ? "It was interrupted." : "It says no reason.";
};
