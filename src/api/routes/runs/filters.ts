import { z } from "zod";

/** The filter of lists by the requester of a run. */
export const triggerFilter = z
  .string()
  .refine(
    (text) => /^((user|api|schedule):.|import$)/.test(text),
    "must be user:…, api:…, schedule:… or import",
  )
  .optional();

/** The filter of lists by a tag of tests. */
export const tagFilter = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .optional()
  .describe("Only tests with this tag now: its name or id.");
