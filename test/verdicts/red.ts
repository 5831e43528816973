import type { Mutator } from "./mutator.ts";
import { absentMutators } from "./redAbsent.ts";
import { hiddenMutators } from "./redHidden.ts";
import { stateMutators } from "./redStates.ts";
import { textMutators } from "./redTexts.ts";

/** Changes after which a person would say that the claim fails. */
export const redMutators: readonly Mutator[] = [
  ...hiddenMutators,
  ...textMutators,
  ...stateMutators,
  ...absentMutators,
];
