import type { Fingerprint } from "../../../domain/healing/fingerprint.ts";

/** The element of a step as earlier runs knew it. */
export type StepHealing = {
  /** The element when the step last passed; null when that is not known. Never rejects. */
  known(): Promise<Fingerprint | null>;
  /** Whether it is time to take it anew. */
  isDue(): Promise<boolean>;
  /** Keeps it, beside whatever else happens. */
  keep(fingerprint: Fingerprint): void;
  /** Whether a step may go on with what is enough like its element: the organisation decides. */
  isAllowed(): Promise<boolean>;
  /** Targets that somebody said are not the step's element. */
  rejected(): Promise<readonly string[]>;
};

/** The known elements of a test's steps, by the step's id and its target as it is written. */
export type HealingMemory = (step: { readonly id: string; readonly target: string }) => StepHealing;
