import { z } from "zod";

/**
 * A comment above a step with properties that no sentence expresses: disabled, a description of its own, or the whole step.
 * A comment above a scenario contains its data, because each row of examples would become a test.
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
  /** Data of a scenario, in the plain format. Validated by the reader. */
  data: z.unknown().exactOptional(),
});

/** Writes a comment of one line. */
export const writeNote = (given: GherkinNote): string =>
  `${MARK}${JSON.stringify(given).replace(
    /[\u007f-\u009f\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  )}`;

/** Reads a comment. Null if it is not a note of this service. */
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
