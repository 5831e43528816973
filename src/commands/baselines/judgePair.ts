import { allowedPixels, masksFor, type VisualSettings } from "../../domain/baselines/settings.ts";
import type { Comparer } from "../../platform/pictures/comparer.ts";

/** Result of comparing a picture with its baseline. */
export type JudgedPair = {
  readonly outcome: "same" | "different";
  readonly pixels: number;
  /** Different pixels as a part of all pixels. */
  readonly ratio: number;
  readonly sizeDiffers: boolean;
  /** The tolerances: of a pixel's colour, and the number of pixels. */
  readonly threshold: number;
  readonly allowed: number;
  /** PNG of the difference; null if there is none. */
  readonly diff: Buffer | null;
};

/**
 * Compares a picture with its baseline. It differs if too many pixels differ or the sizes differ. Rejects if the pictures
 * cannot be compared.
 */
export const judgePair = async (
  comparer: Pick<Comparer, "compare">,
  pair: { readonly baseline: Buffer; readonly actual: Buffer },
  settings: VisualSettings,
  at: { readonly stepId: string; readonly viewport: string },
): Promise<JudgedPair> => {
  const { threshold } = settings;
  const options = { threshold, masks: masksFor(settings, at) };
  const { pixels, of, sizeDiffers, picture } = await comparer.compare(
    pair.baseline,
    pair.actual,
    options,
  );
  const allowed = allowedPixels(settings, of);
  return {
    outcome: sizeDiffers || pixels > allowed ? "different" : "same",
    pixels,
    ratio: pixels / of,
    sizeDiffers,
    threshold,
    allowed,
    diff: picture,
  };
};
