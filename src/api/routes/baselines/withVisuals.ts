import type { ComparisonRow } from "../../../projections/baselines/queries.ts";
import type { LostScreenshot } from "../../../projections/runs/evidence.ts";
import type {
  BrowserResult,
  ExecutionDetail,
} from "../../../projections/runs/executions/queries.ts";
import { visualBody } from "./shapes.ts";

/** Whether an execution has a visual check. */
export const hasPictures = ({ browsers }: ExecutionDetail): boolean =>
  browsers.some(({ steps }) => steps.some(({ action }) => action === "visual_check"));

/** The reason why a step's picture was lost, null if it was not. */
export const missingAt = (
  lost: readonly LostScreenshot[],
  attempt: number,
  browser: string,
  step: number,
): string | null =>
  lost.find((one) => one.attempt === attempt && one.browser === browser && one.number === step)
    ?.reason ?? null;

/**
 * Adds to the steps of an execution their picture comparison, null if none was made, and the reason of a lost picture.
 * With `isDeleted` no picture is linked, even if one of the read models lags behind the deletion.
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
