import {
  type Baselines,
  baselineDecider,
  type Place,
  type PlacedPicture,
} from "../../domain/baselines/baseline.ts";
import type { Picture, VisualOutcome } from "../../domain/baselines/picture.ts";
import type { VisualSettings } from "../../domain/baselines/settings.ts";
import { visualBaselines } from "../../domain/billing/entitlements.ts";
import { planDecider } from "../../domain/billing/plan.ts";
import { planInForce } from "../../domain/billing/planState.ts";
import { testDecider } from "../../domain/catalogue/tests/test.ts";
import { DomainError } from "../../domain/kernel/errors.ts";
import { executionDecider } from "../../domain/runs/execution.ts";
import type { JudgedPicture } from "../../domain/runs/judgement.ts";
import type { Verdict } from "../../domain/runs/run.ts";
import type { BlobStore } from "../../platform/blobs/port.ts";
import { sha256 } from "../../platform/crypto.ts";
import type { EventLog } from "../../platform/eventLog/port.ts";
import type { Comparer } from "../../platform/pictures/comparer.ts";
import { organizationOf, type Written } from "../catalogue/changes.ts";
import type { CommandLoop } from "../kernel/commandLoop.ts";
import { type CommandContext, partOf } from "../kernel/context.ts";
import { joinReceipts, type Receipt, receiptOf } from "../kernel/receipt.ts";
import { judgePair } from "./judgePair.ts";

/** A comparison as it is recorded of an execution. */
export type Comparison = Place & {
  readonly testId: string;
  readonly executionId: string;
  readonly attempt: number;
  readonly number: number;
  readonly outcome: VisualOutcome;
  readonly actual: Picture;
  readonly baseline: Picture | null;
};

export type BaselineCommands = ReturnType<typeof baselineCommands>;

/** Keeping baselines, and judging by them. */
export const baselineCommands = (deps: {
  readonly loop: CommandLoop;
  readonly log: Pick<EventLog, "readStream">;
  readonly blobs: BlobStore;
  readonly comparer: Pick<Comparer, "compare">;
}) => {
  const { loop, log, blobs, comparer } = deps;

  /**
   * Keeps a picture for as long as it may be a baseline: the evidence of a run is deleted some day. Throws
   * `baseline.pictureGone` when that has happened already.
   */
  const keep = async (testId: string, picture: Picture): Promise<Picture> => {
    const key = `baselines/${testId}/${picture.sha256}.png`;
    if (picture.key === key) return picture;
    const blob = await blobs.get(picture.key);
    if (!blob) {
      throw new DomainError(
        "baseline.pictureGone",
        "The picture is not there any more. Run the test again, and approve the new one.",
      );
    }
    await blobs.put(key, blob);
    return { ...picture, key };
  };

  const kept = (testId: string, comparison: PlacedPicture): Promise<PlacedPicture> =>
    keep(testId, comparison.picture).then((picture) => ({ ...comparison, picture }));

  /** Why an organisation's plan has no visual baselines; null when it has. */
  const refusalOf = async (organizationId: string): Promise<string | null> => {
    const { state } = await loop.load(planDecider, organizationId);
    return visualBaselines(planInForce(state).plan).reason;
  };

  /** Throws `test.unknown`, `test.foreign`, and `baseline.notInPlan` unless the organisation's plan has baselines. */
  const mustBeOurs = async (context: CommandContext, testId: string, needsPlan: boolean) => {
    const organizationId = organizationOf(context);
    const { state } = await loop.load(testDecider, testId);
    if (state.status !== "active") {
      throw new DomainError("test.unknown", `There is no test ${testId}.`);
    }
    if (state.organizationId !== organizationId) {
      throw new DomainError("test.foreign", "The test belongs to another organisation.");
    }
    const refusal = needsPlan ? await refusalOf(organizationId) : null;
    if (refusal !== null) throw new DomainError("baseline.notInPlan", refusal);
  };

  const execute = async (
    context: CommandContext,
    command: Parameters<typeof baselineDecider.decide>[0],
  ): Promise<Written<Baselines>> => {
    const { testId } = command;
    const written = await loop.execute(baselineDecider, testId, command, context);
    return { id: testId, state: written.state, at: written.at, receipt: receiptOf(written) };
  };

  const approve = async (
    context: CommandContext,
    testId: string,
    comparisons: readonly Comparison[],
  ): Promise<Written<Baselines>> => {
    await mustBeOurs(context, testId, true);
    const pictures = await Promise.all(comparisons.map((one) => kept(testId, placed(one))));
    return execute(context, { type: "approve", testId, pictures });
  };

  const reject = async (
    context: CommandContext,
    testId: string,
    executionIds: readonly string[] | null,
  ): Promise<Written<Baselines>> => {
    await mustBeOurs(context, testId, false);
    return execute(context, { type: "reject", testId, executionIds });
  };

  /** Judges one picture anew. What cannot be compared again stays as it was judged. */
  const judgeAnew = async (
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
        `The pictures of step ${number} are not there any more: they cannot be compared again.`,
      );
    }
    const pair = { baseline: baseline.bytes, actual: shot.bytes };
    const { diff, outcome, pixels, ratio, sizeDiffers } = await judgePair(
      comparer,
      pair,
      settings,
      comparison,
    );
    const key = diff && `${actual.key}.diff-${sha256(diff).slice(0, 16)}.png`;
    if (diff && key) await blobs.put(key, { bytes: diff, contentType: "image/png" });
    return { attempt, browser, number, outcome, pixels, ratio, sizeDiffers, diff: key };
  };

  return {
    refusalOf,

    /** A test's baselines as they are now. */
    baselinesNow: async (testId: string): Promise<Baselines> =>
      (await loop.load(baselineDecider, testId)).state,

    /** A test's baselines as they were after so many of their events: what a run was pinned to. */
    baselinesAt: async (testId: string, version: number): Promise<Baselines> => {
      let state = baselineDecider.initial;
      if (version === 0) return state;
      const stream = `${baselineDecider.category}-${testId}`;
      for await (const { type, data, metadata } of log.readStream(stream, { limit: version })) {
        const schemaVersion = metadata.schema_version;
        const event = baselineDecider.codec.decode({ type, data, schemaVersion });
        state = baselineDecider.evolve(state, event);
      }
      return state;
    },

    /** Proposes a picture that has no baseline yet, or differs from it. Throws `baseline.pictureGone`. */
    propose: async (
      context: CommandContext,
      comparison: Comparison,
      eventId: (index: number) => string,
    ): Promise<void> => {
      const { testId } = comparison;
      const picture = await kept(testId, placed(comparison));
      const command = { type: "propose", testId, ...picture } as const;
      await loop.execute(baselineDecider, testId, command, context, { eventId });
    },

    /** Makes what an execution took the baselines of its places. Throws `baseline.pictureGone`, `baseline.notInPlan`. */
    approve,

    /** Rejects what is proposed: all of it, or what these executions took. */
    reject,

    /** Approves the pictures of a run, test by test. Throws what `approve` throws. */
    approveRun: async (
      context: CommandContext,
      comparisons: readonly Comparison[],
    ): Promise<Receipt> => {
      const receipts: Receipt[] = [];
      for (const [testId, own] of byTest(comparisons)) {
        receipts.push((await approve(partOf(context, testId), testId, own)).receipt);
      }
      return joinReceipts(receipts);
    },

    /** Rejects what the executions of a run proposed, test by test. */
    rejectRun: async (
      context: CommandContext,
      comparisons: readonly Comparison[],
    ): Promise<Receipt> => {
      const receipts: Receipt[] = [];
      for (const [testId, own] of byTest(comparisons)) {
        const executionIds = [...new Set(own.map(({ executionId }) => executionId))];
        receipts.push((await reject(partOf(context, testId), testId, executionIds)).receipt);
      }
      return joinReceipts(receipts);
    },

    /** Forgets the baseline of a place, and what is proposed there: the next run proposes anew. */
    removeBaseline: async (
      context: CommandContext,
      testId: string,
      place: Place,
    ): Promise<Written<Baselines>> => {
      await mustBeOurs(context, testId, false);
      return execute(context, { type: "remove", testId, place });
    },

    changeSettings: async (
      context: CommandContext,
      testId: string,
      settings: VisualSettings,
    ): Promise<Written<Baselines>> => {
      await mustBeOurs(context, testId, true);
      return execute(context, { type: "changeSettings", testId, settings });
    },

    /**
     * Compares the pictures of an execution again, by other settings and without a browser. Its verdict and its
     * run's follow. Throws `baseline.pictureGone`, `baseline.nothingCompared`, `baseline.notInPlan`, `execution.notFinished`,
     * `execution.evidenceDeleted`.
     */
    rejudge: async (
      context: CommandContext,
      executionId: string,
      settings: VisualSettings,
      comparisons: readonly Comparison[],
    ): Promise<{
      readonly pictures: readonly JudgedPicture[];
      readonly verdict: Verdict;
      readonly receipt: Receipt;
    }> => {
      const refusal = await refusalOf(organizationOf(context));
      if (refusal !== null) throw new DomainError("baseline.notInPlan", refusal);
      const pictures: JudgedPicture[] = [];
      for (const comparison of comparisons) {
        const judged = await judgeAnew(comparison, settings);
        if (judged) pictures.push(judged);
      }
      if (pictures.length === 0) {
        throw new DomainError(
          "baseline.nothingCompared",
          "No picture of this execution was compared with a baseline.",
        );
      }
      const command = { type: "rejudge", settings, pictures } as const;
      const judged = await loop
        .execute(executionDecider, executionId, command, context)
        .catch(async (error: unknown) => {
          // They were deleted meanwhile: what was drawn of them goes too.
          if (error instanceof DomainError && error.code === "execution.evidenceDeleted") {
            for (const { diff } of pictures) if (diff) await blobs.delete(diff);
          }
          throw error;
        });
      const { state } = judged;
      if (state.status !== "finished")
        throw new Error("An execution was judged that has not ended");
      return { pictures, verdict: state.verdict, receipt: receiptOf(judged) };
    },
  };
};

const placed = ({ stepId, browser, viewport, executionId, actual }: Comparison): PlacedPicture => ({
  stepId,
  browser,
  viewport,
  executionId,
  picture: actual,
});

const byTest = (comparisons: readonly Comparison[]): Map<string, Comparison[]> => {
  const tests = new Map<string, Comparison[]>();
  for (const one of comparisons) {
    const own = tests.get(one.testId);
    if (own) own.push(one);
    else tests.set(one.testId, [one]);
  }
  return tests;
};
