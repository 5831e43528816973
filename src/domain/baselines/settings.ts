import { z } from "zod";
import { viewportText } from "./picture.ts";

/** A rectangle of a picture that no comparison looks at, in pixels from the upper left corner. */
const maskSchema = z.object({
  x: z.int().min(0).max(100_000),
  y: z.int().min(0).max(100_000),
  width: z.int().min(1).max(100_000),
  height: z.int().min(1).max(100_000),
  /** The step whose pictures it is for; null: every step. */
  stepId: z.uuid().nullable().default(null),
  /** The viewport that it was drawn for; null: every one. */
  viewport: viewportText.nullable().default(null),
});
type Mask = z.output<typeof maskSchema>;

/** Masks of one test, at most: with the longest numbers they stay far below an event's size. */
export const MAX_MASKS = 100;

/** How the pictures of a test are compared. Absent settings have these values (steps.md, "Screenshot comparison"). */
export const visualSettings = z.object({
  /** How far the colour of a pixel may be off, from 0 (not at all) to 1. */
  threshold: z.number().min(0).max(1).default(0.2),
  /** How many pixels may differ; null: no count is set. */
  maxDiffPixels: z.int().min(0).max(1_000_000_000).nullable().default(null),
  /** Which part of all pixels may differ, from 0 to 1; null: none is set. */
  maxDiffRatio: z.number().min(0).max(1).nullable().default(null),
  masks: z.array(maskSchema).max(MAX_MASKS).default([]),
});
export type VisualSettings = z.output<typeof visualSettings>;

export const defaultVisualSettings: VisualSettings = visualSettings.parse({});

/** How many of a picture's pixels may differ: none unless set; of a count and a ratio the smaller counts. */
export const allowedPixels = (settings: VisualSettings, pixels: number): number => {
  const { maxDiffPixels, maxDiffRatio } = settings;
  if (maxDiffPixels === null && maxDiffRatio === null) return 0;
  return Math.min(maxDiffPixels ?? pixels, Math.floor((maxDiffRatio ?? 1) * pixels));
};

/** The masks that are for the pictures of a step in a viewport. */
export const masksFor = (
  settings: VisualSettings,
  at: { readonly stepId: string; readonly viewport: string },
): readonly Mask[] =>
  settings.masks.filter(
    ({ stepId, viewport }) =>
      (stepId === null || stepId === at.stepId) && (viewport === null || viewport === at.viewport),
  );
