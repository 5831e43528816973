import { askable, type Proposal, questionAbout } from "../../../domain/catalogue/proposals.ts";
import type { LanguageModel } from "../../../platform/languageModel.ts";

/** Steps that a model proposes for rejected lines. Empty without a model, or if it fails. */
export const propose = async (
  model: LanguageModel | null,
  refused: readonly { readonly line: number; readonly text: string }[],
): Promise<readonly Proposal[]> => {
  const lines = askable(refused);
  if (!model || lines.length === 0) return [];
  const { instructions, question, read } = questionAbout(lines);
  const answer = await model.ask(instructions, question);
  return answer === null ? [] : read(answer);
};
