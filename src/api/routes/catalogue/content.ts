import { z } from "zod";
import { type Content, contentOfSteps, contentOfText } from "../../../domain/catalogue/content.ts";
import { MAX_STEPS } from "../../../domain/catalogue/step.ts";
import type { StepDraft } from "../../../domain/catalogue/vocabulary.ts";
import { ApiError } from "../../apiError.ts";

/** The longest text of a test, in characters: 500 steps have room in it. */
const MAX_TEXT = 200_000;

/** A step as a client sends it: its id and place are ours to give, so what a client sends back of them is not read. */
export const stepInput = z.object({
  action: z.string("is required, a string"),
  target: z.string().optional(),
  value: z.string().optional(),
  description: z.string().optional(),
  optional: z.boolean().optional(),
  disabled: z.boolean().optional(),
});

export const stepsInput = z
  .array(stepInput)
  .max(MAX_STEPS, `a test has ${MAX_STEPS} steps at most`);

export const textInput = z
  .string()
  .max(MAX_TEXT, `must be at most ${MAX_TEXT} characters`)
  .refine((text) => text.trim() !== "", "must not be empty");

/** What the grammar did not understand, line by line. */
export const parseWarning = z.object({
  line: z.int().positive(),
  text: z.string(),
  message: z.string(),
  suggestions: z.array(z.string()),
});

/** The content that a body gives by `text` or by `steps`; null when it gives neither. Throws 422 when it gives both. */
export const contentOf = (body: {
  readonly text?: string | undefined;
  readonly steps?: readonly StepDraft[] | undefined;
}): Content | null => {
  if (body.text !== undefined && body.steps !== undefined) {
    throw new ApiError(422, "steps: send text or steps, not both");
  }
  if (body.text !== undefined) return contentOfText(body.text);
  return body.steps === undefined ? null : contentOfSteps(body.steps);
};
