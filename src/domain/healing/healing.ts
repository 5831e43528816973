import { z } from "zod";

/** Targets and texts of an element, cut: what a page says can be of any length. */
const text = z.string().max(2_000);

/** What a step went on with in place of its element, and what speaks for it. */
export const healedSchema = z.object({
  /** The step's target, and what would name the element now. */
  target: text,
  healedTarget: text,
  /** How alike the element is to what the step had, from 0 to 1, and the next one on the page. */
  score: z.number().min(0).max(1),
  runnerUp: z.number().min(0).max(1).nullable(),
  changes: z.array(z.object({ what: text, before: text, after: text })).max(20),
});
export type HealedFacts = z.output<typeof healedSchema>;
