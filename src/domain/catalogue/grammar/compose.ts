import type { StepInput } from "../step.ts";
import { problemsOf } from "../vocabulary.ts";
import type { Token } from "../words.ts";
import { composedClaims } from "./composeClaims.ts";
import { composedDeed } from "./composeDeeds.ts";
import type { Draft } from "./formTables.ts";
import type { Context } from "./search.ts";

/** No clause that is put together is longer. */
const MAX_TOKENS = 40;

/**
 * Puts together what a clause means that no form takes, from its verb and from the things that it names: every word
 * of it must be accounted for, or it is null. What it says is not done below Then, nor claimed of what is done.
 */
export const composed = (
  tokens: readonly Token[],
  source: string,
  context: Context,
  isClaimed: boolean,
): readonly StepInput[] | null => {
  if (tokens.length < 2 || tokens.length > MAX_TOKENS) return null;
  const isClaim = isClaimed || context.mood === "then";
  const deed = isClaim ? null : composedDeed(tokens);
  const drafts = deed ? [deed] : composedClaims(tokens);
  if (!drafts) return null;
  const description = source.slice(tokens[0]?.start, tokens.at(-1)?.end);
  const steps = drafts.map((draft) => stepOf(draft, description));
  return steps.every((step) => problemsOf(step).length === 0) ? steps : null;
};

const stepOf = ({ action, target, value }: Draft, description: string): StepInput => ({
  action,
  target: target ?? "",
  value: value ?? "",
  description,
  optional: false,
  disabled: false,
});
