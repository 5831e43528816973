import { z } from "zod";

/** A stored picture: key in the blob store, hash, and size in pixels. */
export const pictureSchema = z.object({
  key: z.string(),
  sha256: z.string(),
  width: z.int().positive(),
  height: z.int().positive(),
});
export type Picture = z.output<typeof pictureSchema>;

/** The size of the page in CSS pixels, `1280x720`. */
export const viewportText = z
  .string()
  .regex(/^[1-9]\d{0,4}x[1-9]\d{0,4}$/, "must be like 1280x720");

/** `same` and `different`: compared within the tolerance. `proposed`: there is no approved baseline yet. */
export const visualOutcome = z.enum(["same", "different", "proposed"]);
export type VisualOutcome = z.output<typeof visualOutcome>;
