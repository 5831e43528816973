import type { Place, PlacedPicture } from "../../domain/baselines/baseline.ts";
import type { Picture, VisualOutcome } from "../../domain/baselines/picture.ts";

/** A comparison recorded in an execution. */
export type Comparison = Place & {
  readonly testId: string;
  readonly executionId: string;
  readonly attempt: number;
  readonly number: number;
  readonly outcome: VisualOutcome;
  readonly actual: Picture;
  readonly baseline: Picture | null;
};

/** The picture that the execution took. */
export const takenPicture = (comparison: Comparison): PlacedPicture => {
  const { stepId, browser, viewport, executionId, actual } = comparison;
  return { stepId, browser, viewport, executionId, picture: actual };
};

export const comparisonsByTest = (
  comparisons: readonly Comparison[],
): ReadonlyMap<string, readonly Comparison[]> => {
  const tests = new Map<string, Comparison[]>();
  for (const one of comparisons) {
    const own = tests.get(one.testId);
    if (own) own.push(one);
    else tests.set(one.testId, [one]);
  }
  return tests;
};
