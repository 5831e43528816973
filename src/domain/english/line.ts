/** The mood of Gherkin's keywords: a Given sets up, a When acts, a Then claims; And and But go on. */
export type Mood = "given" | "when" | "then";

type Cell = { readonly text: string; readonly mood: Mood | null };

/** A line of a test, without its bullet and keyword. */
export type Line =
  | { readonly kind: "nothing" }
  | {
      readonly kind: "instruction";
      readonly text: string;
      readonly mood: Mood | null;
      /** Said to be what is expected: a thing that is named is to be seen. */
      readonly isExpected?: true;
      /** It names what the lines below show: nothing is lost when it is not understood. */
      readonly isTitle?: true;
    }
  /** A feature: what follows tells who wants it and why. */
  | { readonly kind: "feature" }
  | { readonly kind: "scenario" }
  /** A heading of a report or a manual test; `isActual`: what follows tells what went wrong. */
  | { readonly kind: "section"; readonly mood: Mood | null; readonly isActual: boolean }
  /** A row of a table: what is done, and what is expected of it. */
  | { readonly kind: "row"; readonly cells: readonly Cell[] }
  | { readonly kind: "unclear"; readonly message: string };
