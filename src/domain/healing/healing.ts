import { z } from "zod";

/** Truncated targets and texts, because pages can contain any length. */
const text = z.string().max(2_000);

/** The element that replaced a step's missing element, with the evidence. */
export const healedSchema = z.object({
  /** The step's target, and a target of the new element. */
  target: text,
  healedTarget: text,
  /** Similarity of the element to the fingerprint, from 0 to 1, and of the second-best element. */
  score: z.number().min(0).max(1),
  runnerUp: z.number().min(0).max(1).nullable(),
  changes: z.array(z.object({ what: text, before: text, after: text })).max(20),
});
export type HealedFacts = z.output<typeof healedSchema>;
