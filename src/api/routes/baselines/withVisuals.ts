import type { ComparisonRow } from "../../../projections/baselines/queries.ts";
import type { LostScreenshot } from "../../../projections/runs/evidence.ts";
import type {
  BrowserResult,
  ExecutionDetail,
} from "../../../projections/runs/executions/queries.ts";
import { visualBody } from "./shapes.ts";

/** Whether any step of an execution compares a picture. */
export const hasPictures = ({ browsers }: ExecutionDetail): boolean =>
  browsers.some(({ steps }) => steps.some(({ action }) => action === "visual_check"));

/** Why a step's picture could not be kept; null where none was lost. */
export const missingAt = (
  lost: readonly LostScreenshot[],
  attempt: number,
  browser: string,
  step: number,
): string | null =>
  lost.find((one) => one.attempt === attempt && one.browser === browser && one.number === step)
    ?.reason ?? null;

/**
 * An execution with what the pictures of its steps came to: null of those that were not compared; and with those that
 * could not be kept. `isDeleted`: nothing links a picture, whichever read model has heard of the deletion by then.
 */
export const withVisuals = (
  execution: ExecutionDetail,
  comparisons: readonly ComparisonRow[],
  lost: readonly LostScreenshot[],
  isDeleted: boolean,
) => {
  const seen = (attempt: number, { browser, steps, ...rest }: BrowserResult) => ({
    ...rest,
    browser,
    steps: steps.map((step) => {
      const found = comparisons.find(
        (one) => one.attempt === attempt && one.browser === browser && one.number === step.number,
      );
      const screenshot_missing = missingAt(lost, attempt, browser, step.number);
      const visual = found ? visualBody(found) : null;
      if (!isDeleted) return { ...step, screenshot_missing, visual };
      const withoutDifference = visual && { ...visual, diff_url: null };
      return { ...step, screenshot_url: null, screenshot_missing, visual: withoutDifference };
    }),
  });
  const attempts = execution.attempts.map((attempt) => ({
    ...attempt,
    browsers: attempt.browsers.map((browser) => seen(attempt.number, browser)),
  }));
  return { ...execution, attempts, browsers: attempts.at(-1)?.browsers ?? [] };
};
