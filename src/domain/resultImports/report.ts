import { DomainError } from "../kernel/errors.ts";
import type { BrowserName } from "../runs/verdict.ts";

/** How a try of a test ended. */
export type TryStatus = "passed" | "failed" | "errored";

/** One try of a test, in one browser where the report says which. */
export type ReportedTry = {
  readonly status: TryStatus;
  readonly error: string | null;
  /** In milliseconds; null where the report does not say, or says nonsense. */
  readonly durationMs: number | null;
  readonly browser: BrowserName | null;
};

/**
 * The identity of an external test across reports: its location and name. `project` is Playwright's project if it is
 * not a browser; else null.
 */
export type ExternalIdentity = {
  readonly suite: string;
  readonly className: string;
  readonly name: string;
  readonly project: string | null;
};

/** A test as a report of others tells it. */
export type ReportedCase = ExternalIdentity & {
  readonly status: TryStatus | "flaky";
  readonly error: string | null;
  readonly durationMs: number | null;
  /** When it began (ISO 8601); null where the report does not say. */
  readonly startedAt: string | null;
  /** All reported tries, by number from 1; several browsers may share a number. */
  readonly tries: readonly (ReportedTry & { readonly number: number })[];
};

/** A report as it is understood. */
export type ExternalReport = {
  readonly format: ReportFormat;
  /** The executed tests; skipped tests are only counted. */
  readonly cases: readonly ReportedCase[];
  readonly skipped: number;
  /** When the first of it began (ISO 8601); null where the report does not say. */
  readonly startedAt: string | null;
  /** How long all of it took, in milliseconds; null where the report does not say. */
  readonly durationMs: number | null;
  /** Something besides the tests went wrong: their runner could not load a file, for instance. */
  readonly troubled: boolean;
};

export const reportFormats = ["junit", "playwright"] as const;
export type ReportFormat = (typeof reportFormats)[number];

/** The most tests that a report may hold. */
export const MAX_CASES = 10_000;
/** Elements, or suites, within each other. */
export const MAX_DEPTH = 64;

/** A fault of a report: its location and the remedy. Code `results.unreadable`. */
export const unreadable = (line: number | null, what: string): DomainError =>
  new DomainError("results.unreadable", `file: ${line === null ? "" : `line ${line}: `}${what}`);

/** The refusal of a report with too many tests. */
export const tooManyCases = (line: number | null): DomainError =>
  unreadable(
    line,
    `there are more than ${MAX_CASES} tests. Split the report by suite and send the parts one by one.`,
  );

/**
 * Numbers cases with the same identity by position, so that none replaces another: the second becomes `name (2)` in
 * every report, or a later number if another test has that name.
 */
export const toldApart = (cases: readonly ReportedCase[]): ReportedCase[] => {
  const taken = new Set(cases.map(identityKey));
  const seen = new Map<string, number>();
  return cases.map((one) => {
    const key = identityKey(one);
    let count = (seen.get(key) ?? 0) + 1;
    let told = one;
    while (count > 1) {
      told = { ...one, name: `${one.name} (${count})` };
      if (!taken.has(identityKey(told))) break;
      count += 1;
    }
    seen.set(key, count);
    taken.add(identityKey(told));
    return told;
  });
};

/** An identity as one text: two are the same when it is. */
export const identityKey = ({ suite, className, name, project }: ExternalIdentity): string =>
  JSON.stringify([suite, className, name, project]);

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters.
const COLOURS = /\u001b\[[0-9;?]*[ -/]*[@-~]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters.
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g;

/** A text of others without colours of a terminal, other control characters, and space around it. */
export const plainText = (text: string): string =>
  text.replaceAll(COLOURS, "").replaceAll("\r\n", "\n").replaceAll(CONTROLS, "\ufffd").trim();

/** A name on one line. */
export const plainName = (text: string): string => plainText(text).replaceAll(/\s+/g, " ");
