import type { ProgressEvent } from "../../domain/runs/executions/progress.ts";
import { boundedNotes, boundedProblems } from "../../domain/runs/executions/stepEvidence.ts";
import type { BrowserName } from "../../domain/runs/verdict.ts";
import type { ExecutorReport } from "../executor/report.ts";

/** The origin of a report: one browser of one attempt of one delivery. */
export type ReportedBy = {
  readonly runId: string;
  readonly attempt: number;
  readonly delivery: number;
  readonly browser: BrowserName;
};

/** The key of a step's picture in the blob store. */
export type ShotKey = (shot: {
  readonly number: number;
  readonly format: "jpeg" | "png";
}) => string;

/** The key of the difference picture of a step, by the key of its picture. */
export const diffKeyOf = (shot: string): string => `${shot}.diff.png`;

/** The executed test, and the test of each step: another one for steps of called tests. */
type RunsTest = {
  readonly testId: string;
  readonly stepTestOf: (number: number) => string;
};

/** Converts a report of a test to its event. */
export const progressOf = (
  report: ExecutorReport,
  by: ReportedBy,
  { testId, stepTestOf }: RunsTest,
  shotKey: ShotKey,
  evidenceKey: (name: string) => string,
): ProgressEvent => {
  const convert = converters[report.type] as Converter<ExecutorReport>;
  return convert(report, { by, testId, stepTestOf, shotKey, evidenceKey });
};

type Circumstances = RunsTest & {
  readonly by: ReportedBy;
  readonly shotKey: ShotKey;
  readonly evidenceKey: (name: string) => string;
};

type Converter<Report> = (report: Report, circumstances: Circumstances) => ProgressEvent;

/** The event of each type of report. */
const converters: {
  readonly [Type in ExecutorReport["type"]]: Converter<Extract<ExecutorReport, { type: Type }>>;
} = {
  browserStarted: ({ browserVersion }, { by }) => ({
    type: "BrowserStarted",
    data: { ...by, browserVersion },
  }),
  stepStarted: ({ number }, { by }) => ({ type: "StepStarted", data: { ...by, number } }),
  stepPassed: ({ number, durationMs, locator, notes, evidence }, { by }) => ({
    type: "StepPassed",
    data: {
      ...{ ...by, number, durationMs: whole(durationMs), locator },
      ...(notes && { notes: boundedNotes(notes) }),
      ...(evidence && { evidence }),
    },
  }),
  stepFailed: ({ durationMs, evidence, page, ...failed }, { by }) => ({
    type: "StepFailed",
    data: {
      ...{ ...by, number: failed.number, durationMs: whole(durationMs), error: failed.error },
      ...{ locator: failed.locator, passedOver: failed.passedOver },
      ...(evidence && { evidence }),
      ...(page && { page: boundedProblems(page) }),
    },
  }),
  stepSkipped: ({ number, reason, gap }, { by }) => ({
    type: "StepSkipped",
    data: { ...by, number, reason, ...(gap && { gap }) },
  }),
  screenshotTaken: ({ number, format, name, sameAs = number }, { by, shotKey }) => {
    const key = shotKey({ number: sameAs, format });
    return { type: "ScreenshotTaken", data: { ...by, number, format, key, name } };
  },
  screenshotLost: ({ number, name, reason }, { by }) => ({
    type: "ScreenshotLost",
    data: { ...by, number, name, reason },
  }),
  visualCompared: ({ type: _, at: __, diff, ...found }, { by, testId, shotKey }) => {
    const key = shotKey({ number: found.number, format: "png" });
    const actual = { ...found.actual, key };
    return {
      type: "VisualCompared",
      data: { ...by, testId, ...found, actual, diff: diff && diffKeyOf(key) },
    };
  },
  evidenceTaken: ({ name, contentType, bytes, absent }, { by, evidenceKey }) => {
    const key = bytes === null ? null : evidenceKey(name);
    const data = { ...by, name, contentType, bytes: bytes?.length ?? 0, key, absent };
    return { type: "EvidenceKept", data };
  },
  locatorHealed: ({ type: _, at: __, ...healed }, { by, testId, stepTestOf }) => {
    const stepTestId = stepTestOf(healed.number);
    return { type: "LocatorHealed", data: { ...by, testId, stepTestId, ...healed } };
  },
  browserFinished: ({ status, durationMs, error, onlyPictures }, { by }) => ({
    type: "BrowserFinished",
    data: {
      ...{ ...by, status, durationMs: whole(durationMs), error },
      ...(onlyPictures ? { onlyPictures } : {}),
    },
  }),
};

/** Durations are recorded in whole milliseconds. */
export const whole = (ms: number): number => Math.max(0, Math.round(ms));
