import type { Form, VerbMode } from "./pattern.ts";
import type { FormTemplate } from "./templates.ts";
import type { SlotReader } from "./types.ts";
import type { Classes, Vocabulary } from "./vocabulary.ts";

/** A row, ready for the parser. */
export type CompiledForm = Form & {
  readonly steps: FormTemplate;
  /** The phrase that the row describes. */
  readonly of: PhraseForms;
};

/** The rows of one phrase. */
export type PhraseForms = {
  readonly name: string;
  readonly forms: CompiledForm[];
  /** The rows and words that can start it, by mode; found on the first request. */
  readonly starts: Map<VerbMode, Starts>;
  /** The classes of the words that can stand behind it; null for any. */
  follow: Classes | null;
};

export type Grammar = {
  readonly vocabulary: Vocabulary;
  readonly slots: readonly SlotReader[];
  readonly slotNames: readonly string[];
  readonly phraseIds: ReadonlyMap<string, number>;
  readonly phrases: readonly PhraseForms[];
  readonly forms: readonly CompiledForm[];
  readonly misspellings: ReadonlyMap<string, string>;
};

/** The rows and words that can start a phrase. */
export type Starts = {
  /** The classes of its first words; null if a row starts with a slot. */
  readonly first: Classes | null;
  /** The rows that start with a slot. */
  readonly open: readonly CompiledForm[];
  /** The other rows, with the classes of their first words. */
  readonly worded: readonly (readonly [CompiledForm, Classes])[];
  /** The rows that a word of the vocabulary can start, found once per word. */
  readonly byWord: Map<number, readonly CompiledForm[]>;
};
