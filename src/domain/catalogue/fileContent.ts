import { parseEnglish } from "../english/parse.ts";
import { DomainError } from "../kernel/errors.ts";
import { contentOfSteps, contentOfText } from "./content.ts";
import { notUnderstood } from "./notUnderstood.ts";
import type { StepInput } from "./step.ts";
import type { StepDraft } from "./vocabulary.ts";

type FileContent = { readonly text: string; readonly steps: readonly StepInput[] };

/**
 * The content of a file that is about to run. Contrary to a stored test, every sentence must be understood, because a
 * run without some of its steps would mislead. `content` is null if there are problems.
 */
export const contentOfFile = (
  source: string,
  {
    text,
    steps,
  }: { readonly text?: string | undefined; readonly steps?: readonly StepDraft[] | undefined },
): { readonly content: FileContent | null; readonly problems: readonly string[] } => {
  try {
    const warnings = text === undefined ? [] : parseEnglish(text).warnings;
    const problems = warnings.map((warning) => notUnderstood(source, warning));
    if (problems.length > 0) return { content: null, problems };
    const content = text === undefined ? contentOfSteps(steps ?? []) : contentOfText(text);
    return { content: { text: content.text, steps: content.steps }, problems };
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return { content: null, problems: [`${source}: ${error.message}`] };
  }
};
