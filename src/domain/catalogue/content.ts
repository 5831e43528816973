import { type ParseWarning, parseEnglish } from "../english/english.ts";
import { DomainError } from "../kernel/errors.ts";
import type { StepInput } from "./step.ts";
import { type StepDraft, validateSteps } from "./vocabulary.ts";

/** Text and steps together: with the ids of the steps they must fit into one event of 1 MiB. */
const MAX_CONTENT_KIB = 900;
/** At most this many problems are named at once. */
const MAX_PROBLEMS = 5;

/** What a test says and does, checked. */
export type Content = {
  readonly text: string;
  readonly steps: readonly StepInput[];
  readonly warnings: readonly ParseWarning[];
};

/** Reads explicit steps by the vocabulary. Throws DomainError `test.badContent` that names each bad field, and lists the known actions where one is unknown. */
export const contentOfSteps = (drafts: readonly StepDraft[], text = ""): Content =>
  fitting("steps", {
    text,
    steps: checked(drafts, (position, field) => `steps[${position - 1}].${field}`),
    warnings: [],
  });

/** Reads one explicit step by the vocabulary. Throws DomainError `test.badContent` that names the bad field. */
export const contentOfStep = (draft: StepDraft): StepInput => {
  const [step] = checked([draft], (_, field) => field);
  if (!step) throw new Error("A step was checked, and is not there");
  return step;
};

/**
 * Reads plain English. Lines that are not understood come back as warnings.
 * Throws DomainError `test.badContent` where nothing at all is understood: such a test would pass without having looked at anything.
 */
export const contentOfText = (text: string): Content => {
  const { steps, warnings } = parseEnglish(text);
  if (steps.length === 0) {
    const [first] = warnings;
    const why = first ? ` Line ${first.line}: ${first.message}` : "";
    throw bad(`text: no instruction in it was understood.${why}`);
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
