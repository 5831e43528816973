import { z } from "zod";
import { type Content, contentOfSteps, contentOfText } from "../../../domain/catalogue/content.ts";
import { MAX_STEPS } from "../../../domain/catalogue/step.ts";
import type { StepDraft } from "../../../domain/catalogue/vocabulary.ts";
import { ApiError } from "../../apiError.ts";

/** The maximum length of a test's text, in characters. Sufficient for 500 steps. */
const MAX_TEXT = 200_000;

/** A step in a request. The service assigns id and position; values sent by a client are ignored. */
export const stepInput = z
  .object({
    action: z.string("is required, a string"),
    target: z.string().optional(),
    value: z.string().optional(),
    description: z.string().optional(),
    optional: z.boolean().optional(),
    disabled: z.boolean().optional(),
  })
  .meta({ id: "StepInput", description: "A step in a request." });

export const stepsInput = z
  .array(stepInput)
  .max(MAX_STEPS, `a test has ${MAX_STEPS} steps at most`);

export const textInput = z
  .string()
  .max(MAX_TEXT, `must be at most ${MAX_TEXT} characters`)
  .refine((text) => text.trim() !== "", "must not be empty");

/** The lines that the grammar rejects. */
export const parseWarning = z
  .object({
    line: z.int().positive(),
    text: z.string(),
    message: z.string(),
    suggestions: z.array(z.string()),
  })
  .meta({
    id: "ParseWarning",
    description:
      "A line of text that the grammar does not understand, or understands only with doubt.",
  });

/** The content of a body from `text` or `steps`; null without both. Throws ApiError 422 if both are present. */
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
