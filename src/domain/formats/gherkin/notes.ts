import { z } from "zod";

/**
 * What a sentence cannot say of a step stands in a comment above it, for this service alone: that it is switched off, words
 * that are not the sentence's own, and all of a step that no sentence says. Above a scenario stands its data: rows of
 * examples would be a test of their own each.
 */
export type GherkinNote = z.output<typeof note>;

const MARK = "# runledger: ";

const note = z.object({
  disabled: z.boolean().exactOptional(),
  description: z.string().exactOptional(),
  step: z
    .object({
      action: z.string(),
      target: z.string(),
      value: z.string(),
      optional: z.boolean(),
    })
    .exactOptional(),
  /** Of a scenario, as formats write it; whoever reads it says what is wrong with it. */
  data: z.unknown().exactOptional(),
});

/** The comment, one line whatever is in it. */
export const writeNote = (given: GherkinNote): string =>
  `${MARK}${JSON.stringify(given).replace(
    /[\u007f-\u009f\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  )}`;

/** Reads a comment; null for everybody else's. */
export const readNote = (comment: string): GherkinNote | null => {
  const text = comment.trim();
  if (!text.startsWith(MARK)) return null;
  try {
    const parsed = note.safeParse(JSON.parse(text.slice(MARK.length)));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
};
