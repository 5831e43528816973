import { browserName } from "../runs/verdict.ts";
import {
  type ExternalReport,
  MAX_CASES,
  plainName,
  plainText,
  type ReportedCase,
  type ReportedTry,
  type TryStatus,
  toldApart,
  tooManyCases,
  unreadable,
} from "./report.ts";
import { after, believed, earlier, instantIn, secondsIn } from "./times.ts";
import { createXmlReader, type Opened } from "./xml.ts";

/** The maximum length of a failure's text while it is read, in characters. */
const MAX_TEXT = 64 * 1024;
/** The maximum number of tries of a test; the last ones are kept. */
const MAX_TRIES = 20;

type Suite = {
  readonly kind: "suite";
  readonly name: string;
  /** The browser in its host name, where Playwright writes its projects. */
  readonly project: string | null;
  readonly startedAt: string | null;
  readonly durationMs: number | null;
  /** The total duration of its tests and suites. */
  sumMs: number;
};
type Case = {
  readonly kind: "case";
  readonly line: number;
  readonly attributes: Opened["attributes"];
  readonly failures: Outcome[];
  readonly reruns: Outcome[];
  readonly flaky: Outcome[];
  skipped: boolean;
};
type Outcome = {
  readonly kind: "outcome";
  readonly status: TryStatus;
  readonly message: string;
  readonly durationMs: number | null;
  text: string;
};
type Frame = Suite | Case | Outcome | { readonly kind: "trace" | "other" };

/** An incremental reader of JUnit XML. */
export type JUnitReader = {
  /** Throws `results.unreadable` with the line. */
  write(text: string): void;
  end(): ExternalReport;
};

/** Reads JUnit XML: nested suites, several roots, and retries as Maven Surefire writes them. */
export const createJUnitReader = (): JUnitReader => {
  const state: Reading = {
    ...{ frames: [], cases: [], ownFailures: new Map() },
    ...{ skipped: 0, startedAt: null, endedAt: null, totalMs: 0 },
  };
  const reader = createXmlReader({
    opened: (element) => {
      state.frames.push(open(state, element));
    },
    closed: () => close(state),
    text: (text) => addText(state, text),
  });
  return {
    write: reader.write,
    end: () => {
      reader.end();
      return reportOf(state);
    },
  };
};

type Reading = {
  /** The open elements, outermost first. */
  readonly frames: Frame[];
  readonly cases: ReportedCase[];
  /** Failures of suites outside of their tests, and the cases that report them. */
  readonly ownFailures: Map<Outcome, Case>;
  skipped: number;
  startedAt: string | null;
  endedAt: string | null;
  totalMs: number;
};

const suitesOf = ({ frames }: Reading): readonly Suite[] =>
  frames.filter((frame) => frame.kind === "suite");

const open = (state: Reading, element: Opened): Frame => {
  const parent = state.frames.at(-1);
  const { name, line, attributes } = element;
  if (parent === undefined && name !== "testsuites" && name !== "testsuite") {
    throw unreadable(
      line,
      `the file begins with <${name.slice(0, 60)}>, and a JUnit report with <testsuites> or <testsuite>. Send the report that your tests wrote.`,
    );
  }
  if (name === "testsuite" || name === "testsuites") return suiteOf(element);
  if (name === "testcase" && parent?.kind === "suite") {
    const isLeftOut = /^(notrun|disabled|skipped)$/i.test(attributes.status ?? "");
    const skipped = isLeftOut || /^true$/i.test(attributes.skipped ?? "");
    return caseOf(line, attributes, { skipped });
  }
  if (parent?.kind === "suite") return ownFailureOf(state, element, parent);
  if (parent?.kind === "case") return partOfCase(element, parent);
  return parent?.kind === "outcome" && name === "stackTrace"
    ? { kind: "trace" }
    : { kind: "other" };
};

const suiteOf = ({ name, attributes }: Opened): Suite => ({
  kind: "suite",
  // The name of the root does not describe a test: some tools write the date into it.
  name: name === "testsuites" ? "" : plainName(attributes.name ?? ""),
  project: browserName.safeParse(attributes.hostname).data ?? null,
  startedAt: instantIn(attributes.timestamp),
  durationMs: secondsIn(attributes.time),
  sumMs: 0,
});

const caseOf = (
  line: number,
  attributes: Opened["attributes"],
  { skipped = false, failures = [] }: { readonly skipped?: boolean; readonly failures?: Outcome[] },
): Case => ({ kind: "case", line, attributes, failures, reruns: [], flaky: [], skipped });

const outcomeAt = ({ name, attributes }: Opened): Outcome => ({
  kind: "outcome",
  status: /error$/i.test(name) ? "errored" : "failed",
  message: plainText((attributes.message ?? attributes.type ?? "").slice(0, MAX_TEXT)),
  durationMs: secondsIn(attributes.time),
  text: "",
});

/** A failure outside of the tests of a suite is reported as a case with the suite's name. */
const ownFailureOf = (state: Reading, element: Opened, parent: Suite): Frame => {
  if (element.name !== "error" && element.name !== "failure") return { kind: "other" };
  const outcome = outcomeAt(element);
  const attributes = { name: parent.name, classname: "" };
  state.ownFailures.set(outcome, caseOf(element.line, attributes, { failures: [outcome] }));
  return outcome;
};

/** The list of a case that an element belongs to. */
const LISTS: Readonly<Record<string, "failures" | "reruns" | "flaky">> = {
  failure: "failures",
  error: "failures",
  rerunFailure: "reruns",
  rerunError: "reruns",
  flakyFailure: "flaky",
  flakyError: "flaky",
};

const partOfCase = (element: Opened, parent: Case): Frame => {
  if (element.name === "skipped") parent.skipped = true;
  const list = Object.hasOwn(LISTS, element.name) ? LISTS[element.name] : undefined;
  if (list === undefined) return { kind: "other" };
  const outcome = outcomeAt(element);
  parent[list].push(outcome);
  return outcome;
};

const addText = ({ frames }: Reading, text: string): void => {
  const frame = frames.at(-1);
  const of = frame?.kind === "trace" ? frames.at(-2) : frame;
  if (of?.kind !== "outcome" || of.text.length >= MAX_TEXT) return;
  of.text += text.slice(0, MAX_TEXT - of.text.length);
};

const close = (state: Reading): void => {
  const frame = state.frames.pop();
  if (frame?.kind === "case") endCase(state, frame);
  if (frame?.kind === "suite") endSuite(state, frame);
  const own = frame?.kind === "outcome" && state.ownFailures.get(frame);
  if (own) endCase(state, own);
};

const endCase = (state: Reading, one: Case): void => {
  const { attributes, line } = one;
  const durationMs = secondsIn(attributes.time);
  const suites = suitesOf(state);
  const suite = suites.at(-1);
  if (suite) suite.sumMs += durationMs ?? 0;
  if (one.skipped && one.failures.length === 0) {
    state.skipped += 1;
    return;
  }
  if (state.cases.length === MAX_CASES) throw tooManyCases(line);
  const className = plainName(attributes.classname ?? attributes.class ?? "");
  const suiteName = suites
    .map(({ name }) => name)
    .filter((name) => name !== "")
    .join(" › ");
  const startedAt = suites.reduce<string | null>((at, { startedAt: own }) => own ?? at, null);
  state.cases.push({
    suite: suiteName,
    className,
    name: plainName(attributes.name ?? "") || className || suiteName || "(no name)",
    project: suites.reduce<string | null>((of, { project }) => project ?? of, null),
    ...outcomeOf(one, durationMs),
    durationMs,
    startedAt: instantIn(attributes.timestamp) ?? startedAt,
  });
};

const endSuite = (state: Reading, suite: Suite): void => {
  const tookMs = suite.durationMs ?? suite.sumMs;
  const parent = suitesOf(state).at(-1);
  if (parent) parent.sumMs += tookMs;
  else state.totalMs += tookMs;
  if (suite.startedAt === null) return;
  state.startedAt = earlier(suite.startedAt, state.startedAt);
  const end = after(suite.startedAt, believed(tookMs) ?? 0);
  state.endedAt = state.endedAt === null || end > state.endedAt ? end : state.endedAt;
};

const reportOf = ({ cases, skipped, startedAt, endedAt, totalMs }: Reading): ExternalReport => {
  const first = cases.map((one) => one.startedAt).reduce(earlier, startedAt);
  const spanMs =
    first !== null && endedAt !== null ? Date.parse(endedAt) - Date.parse(first) : null;
  // A span longer than any run: the suites ran separately, or a clock was wrong. The start is unknown then.
  const isSpanBelieved = spanMs === null || believed(Math.max(spanMs, 0)) !== null;
  const wholeMs = spanMs !== null && isSpanBelieved ? spanMs : totalMs;
  return {
    format: "junit",
    cases: toldApart(cases),
    skipped,
    startedAt: isSpanBelieved ? first : null,
    durationMs: believed(Math.max(wholeMs, 0)),
    troubled: false,
  };
};

const outcomeOf = (
  { failures, reruns, flaky }: Case,
  durationMs: number | null,
): Pick<ReportedCase, "status" | "error" | "tries"> => {
  const [main] = failures;
  if (main) {
    const status = failures.some((one) => one.status === "errored") ? "errored" : "failed";
    const error = failures.map(textOf).join("\n\n");
    const only = reruns.length === 0 ? durationMs : main.durationMs;
    const tries: ReportedTry[] = [
      { ...tryOf(main), status, error, durationMs: only },
      ...reruns.map(tryOf),
    ];
    return { status, error, tries: numbered(tries) };
  }
  const passed: ReportedTry = {
    status: "passed",
    error: null,
    durationMs: flaky.length === 0 ? durationMs : null,
    browser: null,
  };
  const before = [...reruns, ...flaky].map(tryOf);
  return {
    status: before.length > 0 ? "flaky" : "passed",
    error: null,
    tries: numbered([...before, passed]),
  };
};

const tryOf = (outcome: Outcome): ReportedTry => ({
  status: outcome.status,
  error: textOf(outcome),
  durationMs: outcome.durationMs,
  browser: null,
});

const numbered = (tries: readonly ReportedTry[]): ReportedCase["tries"] =>
  tries.map((one, index) => ({ number: index + 1, ...one })).slice(-MAX_TRIES);

/** The text of a failure: its message and its body, which often begins with the message. */
const textOf = ({ message, text }: Outcome): string => {
  const body = plainText(text);
  if (body === "") return message === "" ? "It says no reason." : message;
  return body.includes(message) ? body : `${message}\n${body}`;
};
