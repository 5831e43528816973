import { z } from "zod";

/** Limits (operations.md): 500 steps per test, 8 KiB per field. */
export const MAX_STEPS = 500;
export const MAX_FIELD_BYTES = 8 * 1024;

/** A stored step. An absent text is the empty string. */
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

/** A step without an id, from a request or the grammar. */
export type StepInput = Omit<Step, "id">;
