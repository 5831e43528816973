import { z } from "zod";

/** Limits of operations.md: 500 steps a test, 8 KiB a field. */
export const MAX_STEPS = 500;
export const MAX_FIELD_BYTES = 8 * 1024;

/** A step as it is stored and run. All four texts are strings; absent is the empty string (spec, "Fields known"). */
export const stepSchema = z.object({
  id: z.uuid(),
  action: z.string(),
  target: z.string(),
  value: z.string(),
  description: z.string(),
  optional: z.boolean(),
  disabled: z.boolean(),
});

export type Step = z.output<typeof stepSchema>;

/** What a person or the grammar gives: a step before it has an id. */
export type StepInput = Omit<Step, "id">;
