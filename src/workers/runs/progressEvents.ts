import { assertNever } from "../../domain/kernel/errors.ts";
import type { ProgressEvent } from "../../domain/runs/executions/progress.ts";
import { boundedNotes, boundedProblems } from "../../domain/runs/executions/stepEvidence.ts";
import type { BrowserName } from "../../domain/runs/verdict.ts";
import type { ExecutorReport } from "../executor/report.ts";

/** Where a report belongs: one browser of one attempt of one delivery. */
export type ReportedBy = {
  readonly runId: string;
  readonly attempt: number;
  readonly delivery: number;
  readonly browser: BrowserName;
};

/** Where in the blob store the picture of a step lies. */
export type ShotKey = (shot: {
  readonly number: number;
  readonly format: "jpeg" | "png";
}) => string;

/** Where the picture of a difference lies, by where the step's own does. */
export const diffKeyOf = (shot: string): string => `${shot}.diff.png`;

/** The test that is run, and the one that a step of it belongs to: another where that is called. */
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
  switch (report.type) {
    case "browserStarted":
      return { type: "BrowserStarted", data: { ...by, browserVersion: report.browserVersion } };
    case "stepStarted":
      return { type: "StepStarted", data: { ...by, number: report.number } };
    case "stepPassed": {
      const { number, durationMs, locator, notes, evidence } = report;
      return {
        type: "StepPassed",
        data: {
          ...{ ...by, number, durationMs: whole(durationMs), locator },
          ...(notes && { notes: boundedNotes(notes) }),
          ...(evidence && { evidence }),
        },
      };
    }
    case "stepFailed": {
      const { number, durationMs, error, locator, passedOver, evidence, page } = report;
      return {
        type: "StepFailed",
        data: {
          ...{ ...by, number, durationMs: whole(durationMs), error, locator, passedOver },
          ...(evidence && { evidence }),
          ...(page && { page: boundedProblems(page) }),
        },
      };
    }
    case "stepSkipped": {
      const { number, reason, gap } = report;
      return { type: "StepSkipped", data: { ...by, number, reason, ...(gap && { gap }) } };
    }
    case "screenshotTaken": {
      const { number, format, name, sameAs = number } = report;
      const key = shotKey({ number: sameAs, format });
      return { type: "ScreenshotTaken", data: { ...by, number, format, key, name } };
    }
    case "screenshotLost": {
      const { number, name, reason } = report;
      return { type: "ScreenshotLost", data: { ...by, number, name, reason } };
    }
    case "visualCompared": {
      const { type: _, at: __, diff, ...found } = report;
      const key = shotKey({ number: report.number, format: "png" });
      return {
        type: "VisualCompared",
        data: {
          ...by,
          testId,
          ...found,
          actual: { ...report.actual, key },
          diff: diff && diffKeyOf(key),
        },
      };
    }
    case "evidenceTaken": {
      const { name, contentType, absent } = report;
      const bytes = report.bytes?.length ?? 0;
      const key = report.bytes === null ? null : evidenceKey(name);
      return { type: "EvidenceKept", data: { ...by, name, contentType, bytes, key, absent } };
    }
    case "locatorHealed": {
      const { type: _, at: __, ...healed } = report;
      const stepTestId = stepTestOf(report.number);
      return { type: "LocatorHealed", data: { ...by, testId, stepTestId, ...healed } };
    }
    case "browserFinished": {
      const { status, durationMs, error, onlyPictures } = report;
      return {
        type: "BrowserFinished",
        data: {
          ...by,
          status,
          durationMs: whole(durationMs),
          error,
          ...(onlyPictures ? { onlyPictures } : {}),
        },
      };
    }
    default:
      return assertNever(report);
  }
};

/** Durations are recorded in whole milliseconds. */
export const whole = (ms: number): number => Math.max(0, Math.round(ms));
