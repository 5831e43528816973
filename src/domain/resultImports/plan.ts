import type { ImportedResult } from "../runs/importedResults.ts";
import { runVerdict, type Totals, totalsOf, type Verdict } from "../runs/verdict.ts";
import type { ExternalIdentity, ExternalReport, ReportedCase } from "./report.ts";
import { after } from "./times.ts";

/** The maximum length of a displayed name, in characters. The identity uses the whole name. */
const MAX_NAME = 500;
/** The maximum length of the failure texts of a test, in characters. Several failures share it. */
const MAX_ERROR = 8_000;
const ALL_ERRORS = 2_000_000;
const LEAST_ERROR = 300;
/** The maximum size of an append. The log accepts 1 MiB; smaller appends delay other reads and writes less. */
const PART_BYTES = 200_000;

/** The plan of an import. */
export type PlannedImport = {
  readonly status: "passed" | "failed" | "errored";
  readonly totals: Totals;
  /** The results in the report's order, cut so that each part fits into an append. */
  readonly parts: readonly (readonly ImportedResult[])[];
};

/**
 * Plans the events of a report. `ids` returns the test of an identity, which is stable, and the execution at a
 * position; `quarantined` returns the end of the quarantine of each quarantined test.
 */
export const planImport = (
  report: ExternalReport,
  times: { readonly startedAt: string; readonly finishedAt: string },
  ids: {
    testId(identity: ExternalIdentity): string;
    executionId(place: number): string;
  },
  quarantined: Readonly<Record<string, string>>,
): PlannedImport => {
  const texts = report.cases.flatMap(({ error, tries }) =>
    [error, ...tries.map((one) => one.error)].filter((text) => text !== null),
  );
  const room = Math.floor(ALL_ERRORS / Math.max(texts.length, 1));
  const cut = cutter(Math.max(LEAST_ERROR, Math.min(MAX_ERROR, room)));
  const results = report.cases.map((one, index): ImportedResult => {
    const testId = ids.testId(one);
    const until = quarantined[testId];
    return {
      executionId: ids.executionId(index + 1),
      testId,
      place: index + 1,
      suite: shown(one.suite),
      className: shown(one.className),
      name: shown(one.name),
      ...(one.project === null ? {} : { project: shown(one.project) }),
      status: one.status,
      error: cut(one.error),
      durationMs: one.durationMs,
      finishedAt: endOf(one, times.finishedAt),
      ...(until === undefined ? {} : { quarantinedUntil: until }),
      ...triesOf(one, cut),
    };
  });
  const outcomes: Record<string, Verdict> = {};
  for (const { executionId, status } of results) outcomes[executionId] = status;
  const inQuarantine = results.filter(({ quarantinedUntil: until }) => until !== undefined);
  const totals = totalsOf(
    outcomes,
    inQuarantine.map(({ executionId }) => executionId),
  );
  const verdict = runVerdict(totals);
  return {
    status:
      verdict === "passed" && report.troubled ? "errored" : (verdict as PlannedImport["status"]),
    totals,
    parts: inParts(results),
  };
};

/** A single try without a browser says nothing that the test does not say. */
const triesOf = (
  { tries }: ReportedCase,
  cut: (text: string | null) => string | null,
): Pick<ImportedResult, "tries"> => {
  const [only] = tries;
  if (tries.length === 0 || (tries.length === 1 && only?.browser === null)) return {};
  return { tries: tries.map((one) => ({ ...one, error: cut(one.error) })) };
};

const endOf = (one: ReportedCase, runEnded: string): string => {
  if (one.startedAt === null) return runEnded;
  const end = after(one.startedAt, one.durationMs ?? 0);
  return end < runEnded ? end : runEnded;
};

const cutter =
  (most: number) =>
  (text: string | null): string | null =>
    text === null || text.length <= most
      ? text
      : `${text.slice(0, most)}… (${text.length - most} more characters)`;

const shown = (name: string): string =>
  name.length <= MAX_NAME ? name : `${name.slice(0, MAX_NAME)}…`;

const inParts = (results: readonly ImportedResult[]): ImportedResult[][] => {
  const encoder = new TextEncoder();
  const parts: ImportedResult[][] = [];
  let bytes = PART_BYTES;
  for (const result of results) {
    const size = encoder.encode(JSON.stringify(result)).length;
    const part = parts.at(-1);
    if (part && bytes + size <= PART_BYTES) {
      part.push(result);
      bytes += size;
    } else {
      parts.push([result]);
      bytes = size;
    }
  }
  return parts;
};
