import type { StepInput } from "../../catalogue/step.ts";
import type { Token } from "../words.ts";

/** A step without its description. `span` is the first token of its clause and the token behind it. */
export type Draft = Pick<StepInput, "action" | "target" | "value" | "optional"> & {
  readonly span?: readonly [from: number, to: number];
};

/** The reading of a span as a slot. `doubt` says why it is not certain; `cost` ranks certain readings. */
export type SlotReading = {
  readonly text: string | readonly string[];
  readonly doubt: string | null;
  readonly cost: number;
};

/** Reads the tokens of a span as a slot; null if the span cannot be one. */
export type SlotReader = {
  (tokens: readonly Token[], from: number, to: number, source: string): SlotReading | null;
  /** The longest span that can be one, in tokens. */
  readonly most?: number;
  /** Whether a span that ends with the token can be one. */
  readonly last?: (token: Token) => boolean;
};

/** A reader of short spans, which end with certain tokens: others are not tried. */
export const bounded = (
  most: number,
  reader: SlotReader,
  last?: (token: Token) => boolean,
): SlotReader =>
  Object.assign(
    ((tokens, from, to, source) => reader(tokens, from, to, source)) as SlotReader,
    last ? { most, last } : { most },
  );

/** The keyword of a Gherkin line, or the section of a report: Given sets up, When acts, Then asserts. */
export type Mood = "given" | "when" | "then";

/** One row of a rule table. `engine/pattern.ts` and `engine/templates.ts` define the notation of `form` and `steps`. */
export type Rule = {
  /** The phrase that the row describes: Command, Claim, Place, … */
  readonly phrase: string;
  readonly form: string;
  /** The steps of an affirmative and of a negated sentence; no `no` means that a negation is asked about. */
  readonly steps: string;
  readonly no?: string;
  /** Elliptical continuations of the row: `and "pw" into Password`. */
  readonly again?: readonly string[];
  /** Lower costs win where two readings differ. */
  readonly cost?: number;
  /** The row applies only below these keywords. */
  readonly moods?: readonly (Mood | "none")[];
  /** Sentences that the row reads, with their steps. They are its tests. */
  readonly examples: readonly (readonly [sentence: string, steps: string])[];
};

/** A span that a rule has read. */
export type Edge = {
  readonly end: number;
  readonly steps: readonly Draft[];
  readonly doubt: string | null;
  readonly cost: number;
  /** Whether it ends with words of a person: what follows may belong to them. */
  readonly isOpen: boolean;
  /** The forms that may continue this edge. */
  readonly again: readonly number[];
  readonly trace: Trace;
};

/** How an edge was read, for `npm run english:explain`. */
export type Trace = {
  readonly rule: string;
  readonly from: number;
  readonly to: number;
  readonly parts: Part | null;
};

/** The slots and phrases of a span, the last one first. */
export type Part = {
  readonly label: string;
  readonly slot: SlotReading | null;
  readonly edge: Edge | null;
  readonly before: Part | null;
};

/** The slots and phrases of a span in the order of the sentence. */
export const partsOf = (last: Part | null): readonly Part[] => {
  const parts: Part[] = [];
  for (let part = last; part; part = part.before) parts.unshift(part);
  return parts;
};
