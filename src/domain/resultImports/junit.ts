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

/** Of a text of a failure no more is kept while it is read. */
const MAX_TEXT = 64 * 1024;
/** Of more tries of one test the last ones are kept. */
const MAX_TRIES = 20;

type Suite = {
  readonly kind: "suite";
  readonly name: string;
  /** A browser that it names as its host, as Playwright writes its projects. */
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

/** Makes a reader of JUnit XML: suites in each other, several roots, retries as Maven Surefire writes them. */
export const createJUnitReader = (): JUnitReader => {
  const frames: Frame[] = [];
  const cases: ReportedCase[] = [];
  /** What went wrong in a suite outside of every test. */
  const ownFailures = new Map<Outcome, Case>();
  let skipped = 0;
  let startedAt: string | null = null;
  let endedAt: string | null = null;
  let totalMs = 0;

  const suites = (): readonly Suite[] => frames.filter((frame) => frame.kind === "suite");

  const add = (one: ReportedCase, line: number): void => {
    if (cases.length === MAX_CASES) throw tooManyCases(line);
    cases.push(one);
  };

  const open = (element: Opened): Frame => {
    const parent = frames.at(-1);
    const { name, line, attributes } = element;
    if (parent === undefined && name !== "testsuites" && name !== "testsuite") {
      throw unreadable(
        line,
        `the file begins with <${name.slice(0, 60)}>, and a JUnit report with <testsuites> or <testsuite>. Send the report that your tests wrote.`,
      );
    }
    if (name === "testsuite" || name === "testsuites") {
      return {
        kind: "suite",
        // The name of the whole says nothing of a test: some tools write the date into it.
        name: name === "testsuites" ? "" : plainName(attributes.name ?? ""),
        project: browserName.safeParse(attributes.hostname).data ?? null,
        startedAt: instantIn(attributes.timestamp),
        durationMs: secondsIn(attributes.time),
        sumMs: 0,
      };
    }
    if (name === "testcase" && parent?.kind === "suite") {
      const isLeftOut = /^(notrun|disabled|skipped)$/i.test(attributes.status ?? "");
      const skippedHere = isLeftOut || /^true$/i.test(attributes.skipped ?? "");
      const lists = { failures: [], reruns: [], flaky: [] };
      return { kind: "case", line, attributes, ...lists, skipped: skippedHere };
    }
    if (parent?.kind === "case" || parent?.kind === "suite") return partOf(element, parent);
    return parent?.kind === "outcome" && name === "stackTrace"
      ? { kind: "trace" }
      : { kind: "other" };
  };

  const partOf = ({ name, line, attributes }: Opened, parent: Case | Suite): Frame => {
    const status = /error$/i.test(name) ? "errored" : "failed";
    const outcome: Outcome = {
      kind: "outcome",
      status,
      message: plainText((attributes.message ?? attributes.type ?? "").slice(0, MAX_TEXT)),
      durationMs: secondsIn(attributes.time),
      text: "",
    };
    if (parent.kind === "suite") {
      if (name !== "error" && name !== "failure") return { kind: "other" };
      // Something went wrong outside of every test: it stands for itself, under the suite's name.
      const own = { name: parent.name, classname: "" };
      const lists = { failures: [outcome], reruns: [], flaky: [] };
      ownFailures.set(outcome, { kind: "case", line, attributes: own, ...lists, skipped: false });
      return outcome;
    }
    switch (name) {
      case "failure":
      case "error":
        parent.failures.push(outcome);
        return outcome;
      case "rerunFailure":
      case "rerunError":
        parent.reruns.push(outcome);
        return outcome;
      case "flakyFailure":
      case "flakyError":
        parent.flaky.push(outcome);
        return outcome;
      case "skipped":
        parent.skipped = true;
        return { kind: "other" };
      default:
        return { kind: "other" };
    }
  };
  const endCase = (one: Case): void => {
    const { attributes, line } = one;
    const durationMs = secondsIn(attributes.time);
    const suite = suites().at(-1);
    if (suite) suite.sumMs += durationMs ?? 0;
    if (one.skipped && one.failures.length === 0) {
      skipped += 1;
      return;
    }
    const path = suites().map(({ name }) => name);
    const className = plainName(attributes.classname ?? attributes.class ?? "");
    const suiteName = path.filter((name) => name !== "").join(" › ");
    const name = plainName(attributes.name ?? "") || className || suiteName || "(no name)";
    const begun =
      instantIn(attributes.timestamp) ??
      suites().reduce<string | null>((at, { startedAt: own }) => own ?? at, null);
    add(
      {
        suite: suiteName,
        className,
        name,
        project: suites().reduce<string | null>((of, { project }) => project ?? of, null),
        ...outcomeOf(one, durationMs),
        durationMs,
        startedAt: begun,
      },
      line,
    );
  };

  const endSuite = (suite: Suite): void => {
    const tookMs = suite.durationMs ?? suite.sumMs;
    const parent = suites().at(-1);
    if (parent) parent.sumMs += tookMs;
    else totalMs += tookMs;
    if (suite.startedAt === null) return;
    startedAt = earlier(suite.startedAt, startedAt);
    const end = after(suite.startedAt, believed(tookMs) ?? 0);
    endedAt = endedAt === null || end > endedAt ? end : endedAt;
  };

  const reader = createXmlReader({
    opened: (element) => {
      frames.push(open(element));
    },
    closed: () => {
      const frame = frames.pop();
      if (frame?.kind === "case") endCase(frame);
      if (frame?.kind === "suite") endSuite(frame);
      const own = frame?.kind === "outcome" && ownFailures.get(frame);
      if (own) endCase(own);
    },
    text: (text) => {
      const frame = frames.at(-1);
      const of = frame?.kind === "trace" ? frames.at(-2) : frame;
      if (of?.kind !== "outcome" || of.text.length >= MAX_TEXT) return;
      of.text += text.slice(0, MAX_TEXT - of.text.length);
    },
  });

  return {
    write: reader.write,
    end: () => {
      reader.end();
      const told = cases.map((one) => one.startedAt);
      const first = told.reduce(earlier, startedAt);
      const spanMs =
        first !== null && endedAt !== null ? Date.parse(endedAt) - Date.parse(first) : null;
      // Longer than any run: the suites were not run together, or a clock was wrong. When it was is not known then.
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
    },
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
