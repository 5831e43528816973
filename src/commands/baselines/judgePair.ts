import { allowedPixels, masksFor, type VisualSettings } from "../../domain/baselines/settings.ts";
import type { Comparer } from "../../platform/pictures/comparer.ts";

/** What a picture came to beside its baseline. */
export type JudgedPair = {
  readonly outcome: "same" | "different";
  readonly pixels: number;
  /** Which part of all pixels they are. */
  readonly ratio: number;
  readonly sizeDiffers: boolean;
  /** How far a colour might be off, and how many pixels. */
  readonly threshold: number;
  readonly allowed: number;
  /** A PNG of the difference; null where there is none. */
  readonly diff: Buffer | null;
};

/**
 * Compares a picture with its baseline by the settings of the test. More pixels than are allowed, or another
 * size, are a difference. Rejects when the pictures cannot be compared.
 */
export const judgePair = async (
  comparer: Pick<Comparer, "compare">,
  pair: { readonly baseline: Buffer; readonly actual: Buffer },
  settings: VisualSettings,
  at: { readonly stepId: string; readonly viewport: string },
): Promise<JudgedPair> => {
  const { threshold } = settings;
  const how = { threshold, masks: masksFor(settings, at) };
  const { pixels, of, sizeDiffers, picture } = await comparer.compare(
    pair.baseline,
    pair.actual,
    how,
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
