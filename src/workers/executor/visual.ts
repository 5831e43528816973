import type { Picture, VisualOutcome } from "../../domain/baselines/picture.ts";
import { differs } from "../../domain/runs/executions/judgement.ts";

/** The result of a picture. */
export type VisualFound = {
  readonly outcome: VisualOutcome;
  readonly pixels: number;
  readonly ratio: number;
  readonly sizeDiffers: boolean;
  readonly threshold: number;
  readonly allowed: number;
  readonly baseline: Picture | null;
  /** A PNG of the difference; null where there is none. */
  readonly diff: Buffer | null;
};

/** A step's picture and what it came to. */
export type VisualReport = VisualFound & {
  readonly stepId: string;
  readonly viewport: string;
  readonly actual: Omit<Picture, "key">;
  /** The step is optional: a difference does not count. */
  readonly passedOver: boolean;
};

/** The baseline of a step's picture. */
export type VisualTurn =
  /** Pictures are not compared here. The reason is for a person. */
  | { readonly kind: "refused"; readonly reason: string }
  | {
      readonly kind: "compare";
      /** The hash of the approved picture; null while there is none. */
      readonly sha256: string | null;
      /** Rejects when the pictures cannot be compared. */
      compare(png: Buffer): Promise<VisualFound>;
    };

/** Why a picture is not compared although pictures are: a gap of the test, for a person. */
export const NOT_APPROVED =
  "No baseline is approved yet: the picture is proposed as one. Approve it, then run the test again.";

/** Why a picture that differs is not as it should be, for a person. */
export const differenceInWords = (
  found: Pick<
    VisualFound,
    "outcome" | "pixels" | "ratio" | "sizeDiffers" | "threshold" | "allowed" | "baseline"
  >,
  actual: { readonly width: number; readonly height: number },
): string => {
  const { baseline, sizeDiffers, allowed } = found;
  if (sizeDiffers && baseline) {
    return `${differs(found)} It is ${actual.width}×${actual.height}, the baseline is ${baseline.width}×${baseline.height}.`;
  }
  return `${differs(found)} ${allowed === 0 ? "None may." : `${allowed} may.`}`;
};

/** Says what a step's picture is compared with, in the browser of the test. Rejects when that cannot be had. */
export type Visuals = (at: {
  readonly stepId: string;
  readonly viewport: string;
}) => Promise<VisualTurn>;

/** Where there is nothing to compare with: a test that is run from a file has no baselines. */
export const noVisuals: Visuals = async () => ({
  kind: "refused",
  reason:
    "There is nothing to compare the picture with: baselines are kept by the service, for the tests that it runs.",
});
