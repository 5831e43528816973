import { z } from "zod";
import { type ParseWarning, parseEnglish } from "../../../domain/catalogue/grammar/english.ts";
import { MAX_STEPS, type StepInput } from "../../../domain/catalogue/step.ts";
import { type StepDraft, validateSteps } from "../../../domain/catalogue/vocabulary.ts";
import { ApiError } from "../../apiError.ts";

/** The longest text of a test, in characters: 500 steps have room in it. */
const MAX_TEXT = 200_000;

/** Text and steps together: with the ids of the steps they must fit into one event of 1 MiB. */
const MAX_CONTENT_KIB = 900;

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

export type Content = {
  readonly text: string;
  readonly steps: readonly StepInput[];
  readonly warnings: readonly ParseWarning[];
};

/** Reads explicit steps by the vocabulary. Throws 422 that names each bad field, and lists the known actions where one is unknown. */
export const contentOfSteps = (drafts: readonly StepDraft[]): Content =>
  fitting("steps", {
    text: "",
    steps: checked(drafts, (position, field) => `steps[${position - 1}].${field}`),
    warnings: [],
  });

/** Reads one explicit step by the vocabulary. Throws 422 that names the bad field. */
export const contentOfStep = (draft: StepDraft): StepInput => {
  const [step] = checked([draft], (_, field) => field);
  if (!step) throw new Error("A step was checked, and is not there");
  return step;
};

/**
 * Reads plain English. Lines that are not understood come back as warnings.
 * Throws 422 where nothing at all is understood: such a test would pass without having looked at anything.
 */
export const contentOfText = (text: string): Content => {
  const { steps, warnings } = parseEnglish(text);
  if (steps.length === 0) {
    const [first] = warnings;
    const why = first ? ` Line ${first.line}: ${first.message}` : "";
    throw new ApiError(422, `text: no instruction in it was understood.${why}`);
  }
  return fitting("text", {
    text,
    steps: checked(steps, (position, field) => `text: step ${position}, ${field}`),
    warnings,
  });
};

const fitting = (field: string, content: Content): Content => {
  const { text, steps } = content;
  if (Buffer.byteLength(JSON.stringify({ text, steps })) <= MAX_CONTENT_KIB * 1024) return content;
  throw new ApiError(
    422,
    `${field}: a test takes ${MAX_CONTENT_KIB} KiB at most. Divide it into several.`,
  );
};

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

/** At most this many problems are named at once. */
const MAX_PROBLEMS = 5;

const checked = (
  drafts: readonly StepDraft[],
  nameOf: (position: number, field: string) => string,
): readonly StepInput[] => {
  const validated = validateSteps(drafts);
  if (validated.ok) return validated.steps;
  const { problems } = validated;
  const shown = problems
    .slice(0, MAX_PROBLEMS)
    .map(({ position, field, message }) => `${nameOf(position, field)}: ${message}`);
  const more = problems.length - shown.length;
  throw new ApiError(422, shown.join("; ") + (more > 0 ? `; and ${more} more` : ""));
};
