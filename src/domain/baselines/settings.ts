import { z } from "zod";
import { viewportText } from "./picture.ts";

/** A rectangle that comparisons ignore, in pixels from the upper left corner. */
const maskSchema = z.object({
  x: z.int().min(0).max(100_000),
  y: z.int().min(0).max(100_000),
  width: z.int().min(1).max(100_000),
  height: z.int().min(1).max(100_000),
  /** Null applies to every step. */
  stepId: z.uuid().nullable().default(null),
  /** Null applies to every viewport. */
  viewport: viewportText.nullable().default(null),
});
type Mask = z.output<typeof maskSchema>;

/** Maximum number of masks of a test. */
export const MAX_MASKS = 100;

/** Settings of comparisons with their defaults (steps.md, "Screenshot comparison"). */
export const visualSettings = z.object({
  /** Tolerated difference of a pixel's colour, from 0 to 1. */
  threshold: z.number().min(0).max(1).default(0.2),
  /** Number of pixels that may differ; null if not set. */
  maxDiffPixels: z.int().min(0).max(1_000_000_000).nullable().default(null),
  /** Ratio of pixels that may differ, from 0 to 1; null if not set. */
  maxDiffRatio: z.number().min(0).max(1).nullable().default(null),
  masks: z.array(maskSchema).max(MAX_MASKS).default([]),
});
export type VisualSettings = z.output<typeof visualSettings>;

export const defaultVisualSettings: VisualSettings = visualSettings.parse({});

/** Number of pixels that may differ: the smaller of count and ratio, or 0 if neither is set. */
export const allowedPixels = (settings: VisualSettings, pixels: number): number => {
  const { maxDiffPixels, maxDiffRatio } = settings;
  if (maxDiffPixels === null && maxDiffRatio === null) return 0;
  return Math.min(maxDiffPixels ?? pixels, Math.floor((maxDiffRatio ?? 1) * pixels));
};

export const masksFor = (
  settings: VisualSettings,
  at: { readonly stepId: string; readonly viewport: string },
): readonly Mask[] =>
  settings.masks.filter(
    ({ stepId, viewport }) =>
      (stepId === null || stepId === at.stepId) && (viewport === null || viewport === at.viewport),
  );
