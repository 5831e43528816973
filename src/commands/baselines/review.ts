import {
  type Baselines,
  baselineDecider,
  type PlacedPicture,
} from "../../domain/baselines/baseline.ts";
import { DomainError } from "../../domain/kernel/errors.ts";
import { organizationOf, type Written } from "../catalogue/changes.ts";
import { type CommandContext, partOf } from "../kernel/context.ts";
import { joinReceipts, type Receipt } from "../kernel/receipt.ts";
import { type Comparison, comparisonsByTest, takenPicture } from "./comparison.ts";
import { type BaselineDeps, mustBeInPlan, mustOwnTest, writeBaselines } from "./write.ts";

/** Proposes a picture that has no baseline or differs from it. Throws `baseline.pictureGone`. */
export const propose = async (
  deps: BaselineDeps,
  context: CommandContext,
  comparison: Comparison,
  eventId: (index: number) => string,
): Promise<void> => {
  const { testId } = comparison;
  const picture = await keepPicture(deps, testId, takenPicture(comparison));
  const command = { type: "propose", testId, ...picture } as const;
  await deps.loop.execute(baselineDecider, testId, command, context, { eventId });
};

/**
 * Makes the pictures of comparisons the baselines of their places. Throws `test.unknown`, `test.foreign`,
 * `baseline.pictureGone`, `baseline.notInPlan`.
 */
export const approve = async (
  deps: BaselineDeps,
  context: CommandContext,
  testId: string,
  comparisons: readonly Comparison[],
): Promise<Written<Baselines>> => {
  await mustOwnTest(deps, context, testId);
  await mustBeInPlan(deps, organizationOf(context));
  const pictures = await Promise.all(
    comparisons.map((one) => keepPicture(deps, testId, takenPicture(one))),
  );
  return writeBaselines(deps, context, { type: "approve", testId, pictures });
};

/** Rejects the proposals that show the pictures of comparisons, or with `null` all. Throws `test.unknown`, `test.foreign`. */
export const reject = async (
  deps: BaselineDeps,
  context: CommandContext,
  testId: string,
  comparisons: readonly Comparison[] | null,
): Promise<Written<Baselines>> => {
  await mustOwnTest(deps, context, testId);
  const pictures = comparisons?.map(takenPicture) ?? null;
  return writeBaselines(deps, context, { type: "reject", testId, pictures });
};

/** Approves the pictures of a run, one test after another. Throws as `approve` does. */
export const approveRun = async (
  deps: BaselineDeps,
  context: CommandContext,
  comparisons: readonly Comparison[],
): Promise<Receipt> => {
  const receipts: Receipt[] = [];
  for (const [testId, own] of comparisonsByTest(comparisons)) {
    receipts.push((await approve(deps, partOf(context, testId), testId, own)).receipt);
  }
  return joinReceipts(receipts);
};

/** Rejects the proposals of a run, one test after another. Throws as `reject` does. */
export const rejectRun = async (
  deps: BaselineDeps,
  context: CommandContext,
  comparisons: readonly Comparison[],
): Promise<Receipt> => {
  const receipts: Receipt[] = [];
  for (const [testId, own] of comparisonsByTest(comparisons)) {
    receipts.push((await reject(deps, partOf(context, testId), testId, own)).receipt);
  }
  return joinReceipts(receipts);
};

/**
 * Copies a picture from the evidence of its run, which is deleted after its retention time, to the baselines.
 * Throws `baseline.pictureGone` if it has already been deleted.
 */
const keepPicture = async (
  { blobs }: BaselineDeps,
  testId: string,
  placed: PlacedPicture,
): Promise<PlacedPicture> => {
  const { picture } = placed;
  const key = `baselines/${testId}/${picture.sha256}.png`;
  if (picture.key === key) return placed;
  const blob = await blobs.get(picture.key);
  if (!blob) {
    throw new DomainError(
      "baseline.pictureGone",
      "The picture has been deleted. Run the test again and approve the new picture.",
    );
  }
  await blobs.put(key, blob);
  return { ...placed, picture: { ...picture, key } };
};
