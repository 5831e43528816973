import type { VisualSettings } from "../../domain/baselines/settings.ts";
import { DomainError } from "../../domain/kernel/errors.ts";
import { executionDecider } from "../../domain/runs/executions/execution.ts";
import type { JudgedPicture } from "../../domain/runs/executions/judgement.ts";
import type { Verdict } from "../../domain/runs/verdict.ts";
import { sha256 } from "../../platform/crypto.ts";
import { organizationOf } from "../catalogue/changes.ts";
import type { CommandContext } from "../kernel/context.ts";
import { type Receipt, receiptOf } from "../kernel/receipt.ts";
import type { Comparison } from "./comparison.ts";
import { judgePair } from "./judgePair.ts";
import { type BaselineDeps, mustBeInPlan } from "./write.ts";

/**
 * Compares the pictures of a finished execution again with other settings. Updates the verdicts of the execution and
 * its run. Throws `baseline.pictureGone`, `baseline.nothingCompared`, `baseline.notInPlan`, `execution.notFinished`,
 * `execution.evidenceDeleted`.
 */
export const rejudge = async (
  deps: BaselineDeps,
  context: CommandContext,
  executionId: string,
  settings: VisualSettings,
  comparisons: readonly Comparison[],
): Promise<{
  readonly pictures: readonly JudgedPicture[];
  readonly verdict: Verdict;
  readonly receipt: Receipt;
}> => {
  await mustBeInPlan(deps, organizationOf(context));
  const pictures: JudgedPicture[] = [];
  for (const comparison of comparisons) {
    const judged = await judgeAgain(deps, comparison, settings);
    if (judged) pictures.push(judged);
  }
  if (pictures.length === 0) {
    throw new DomainError(
      "baseline.nothingCompared",
      "No picture of this execution was compared with a baseline.",
    );
  }
  const command = { type: "rejudge", settings, pictures } as const;
  const judged = await deps.loop
    .execute(executionDecider, executionId, command, context)
    .catch(async (error: unknown) => {
      // The evidence was deleted concurrently, so nothing else deletes the new pictures of differences.
      if (error instanceof DomainError && error.code === "execution.evidenceDeleted") {
        for (const { diff } of pictures) if (diff) await deps.blobs.delete(diff);
      }
      throw error;
    });
  const { state } = judged;
  if (state.status !== "finished") throw new Error(`Execution ${executionId} is not finished`);
  return { pictures, verdict: state.verdict, receipt: receiptOf(judged) };
};

/** Returns null if the picture had no baseline. Stores the picture of the difference, if any. */
const judgeAgain = async (
  { blobs, comparer }: BaselineDeps,
  comparison: Comparison,
  settings: VisualSettings,
): Promise<JudgedPicture | null> => {
  const { attempt, browser, number, actual } = comparison;
  if (!comparison.baseline) return null;
  const [baseline, shot] = await Promise.all([
    blobs.get(comparison.baseline.key),
    blobs.get(actual.key),
  ]);
  if (!baseline || !shot) {
    throw new DomainError(
      "baseline.pictureGone",
      `The pictures of step ${number} have been deleted and cannot be compared again.`,
    );
  }
  const pair = { baseline: baseline.bytes, actual: shot.bytes };
  const judged = await judgePair(comparer, pair, settings, comparison);
  const { diff, outcome, pixels, ratio, sizeDiffers } = judged;
  const key = diff && `${actual.key}.diff-${sha256(diff).slice(0, 16)}.png`;
  if (diff && key) await blobs.put(key, { bytes: diff, contentType: "image/png" });
  return { attempt, browser, number, outcome, pixels, ratio, sizeDiffers, diff: key };
};
