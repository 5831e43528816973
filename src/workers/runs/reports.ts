import { assertNever } from "../../domain/kernel/errors.ts";
import type { ProgressEvent } from "../../domain/runs/execution.ts";
import type { BrowserName } from "../../domain/runs/run.ts";
import type { ExecutorReport } from "../executor/report.ts";

/** Where a report belongs: one browser of one attempt of one delivery. */
export type ReportedBy = {
  readonly runId: string;
  readonly attempt: number;
  readonly delivery: number;
  readonly browser: BrowserName;
};

/** The fact that a report stands for. `shotKey` says where in the blob store the picture of a report lies. */
export const progressOf = (
  report: ExecutorReport,
  by: ReportedBy,
  shotKey: (report: Extract<ExecutorReport, { type: "screenshotTaken" }>) => string,
): ProgressEvent => {
  switch (report.type) {
    case "browserStarted":
      return { type: "BrowserStarted", data: { ...by, browserVersion: report.browserVersion } };
    case "stepStarted":
      return { type: "StepStarted", data: { ...by, number: report.number } };
    case "stepPassed": {
      const { number, durationMs, locator } = report;
      return {
        type: "StepPassed",
        data: { ...by, number, durationMs: whole(durationMs), locator },
      };
    }
    case "stepFailed": {
      const { number, durationMs, error, locator, passedOver } = report;
      return {
        type: "StepFailed",
        data: { ...by, number, durationMs: whole(durationMs), error, locator, passedOver },
      };
    }
    case "stepSkipped":
      return {
        type: "StepSkipped",
        data: { ...by, number: report.number, reason: report.reason },
      };
    case "screenshotTaken": {
      const { number, format, name } = report;
      return {
        type: "ScreenshotTaken",
        data: { ...by, number, format, key: shotKey(report), name },
      };
    }
    case "browserFinished": {
      const { status, durationMs, error } = report;
      return {
        type: "BrowserFinished",
        data: { ...by, status, durationMs: whole(durationMs), error },
      };
    }
    default:
      return assertNever(report);
  }
};

/** Durations are recorded in whole milliseconds. */
export const whole = (ms: number): number => Math.max(0, Math.round(ms));
