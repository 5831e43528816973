import { type ParseWarning, parseEnglish } from "../english/parse.ts";
import { DomainError } from "../kernel/errors.ts";
import { notUnderstood } from "./notUnderstood.ts";
import type { StepInput } from "./step.ts";
import { type StepDraft, validateSteps } from "./vocabulary.ts";

/** Maximum size of text and steps: with the ids of steps they must fit into one event of 1 MiB. */
const MAX_CONTENT_KIB = 900;
/** Maximum number of problems in a message. */
const MAX_PROBLEMS = 5;

/** Validated content of a test. */
export type Content = {
  readonly text: string;
  readonly steps: readonly StepInput[];
  readonly warnings: readonly ParseWarning[];
};

/** Validates structured steps. Throws DomainError `test.badContent` with the invalid fields, and the known actions if one is unknown. */
export const contentOfSteps = (drafts: readonly StepDraft[], text = ""): Content =>
  fitting("steps", {
    text,
    steps: checked(drafts, (position, field) => `steps[${position - 1}].${field}`),
    warnings: [],
  });

/** Validates a structured step. Throws DomainError `test.badContent`. */
export const contentOfStep = (draft: StepDraft): StepInput => {
  const [step] = checked([draft], (_, field) => field);
  if (!step) throw new Error("A step was checked, and is not there");
  return step;
};

/**
 * Parses plain English. Lines that are not understood become warnings. Throws DomainError `test.badContent` if no line is
 * understood: a test without steps would always pass.
 */
export const contentOfText = (text: string): Content => {
  const { steps, warnings } = parseEnglish(text);
  if (steps.length === 0) {
    const shown = warnings.slice(0, MAX_PROBLEMS).map((one) => `\n${notUnderstood("text", one)}`);
    const more = warnings.length - shown.length;
    const rest = more > 0 ? `\nand ${more} more` : "";
    throw bad(`text: no instruction in it was understood.${shown.join("")}${rest}`);
  }
  return fitting("text", {
    text,
    steps: checked(steps, (position, field) => `text: step ${position}, ${field}`),
    warnings,
  });
};

const fitting = (field: string, content: Content): Content => {
  const { text, steps } = content;
  const bytes = new TextEncoder().encode(JSON.stringify({ text, steps })).length;
  if (bytes <= MAX_CONTENT_KIB * 1024) return content;
  throw bad(`${field}: a test takes ${MAX_CONTENT_KIB} KiB at most. Divide it into several.`);
};

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
  throw bad(shown.join("; ") + (more > 0 ? `; and ${more} more` : ""));
};

const bad = (message: string): DomainError => new DomainError("test.badContent", message);
