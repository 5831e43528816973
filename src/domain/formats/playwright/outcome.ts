import type { StepInput } from "../../catalogue/step.ts";

type TranslatedStep = Partial<Omit<StepInput, "action">> & { readonly action: string };

/** The steps of a call and a warning. A note without steps explains why there are none. */
export type Outcome = { readonly steps: readonly TranslatedStep[]; readonly note: string | null };

export const translated = (...steps: readonly TranslatedStep[]): Outcome => ({ steps, note: null });
export const unsupported = (note: string): Outcome => ({ steps: [], note });

export const NOT_STATIC = "The argument is not a constant.";
