import { z } from "zod";

export type Json = Record<string, unknown>;

/** The JSON schema of a Zod type, without its `$schema`. Files, which JSON schema cannot express, become empty schemas. */
export const jsonSchema = (schema: z.ZodType): Json => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
    override: ({ jsonSchema: made }) => {
      // Zod limits every integer to the safe range of doubles, which adds no information.
      if (made.minimum === Number.MIN_SAFE_INTEGER) delete made.minimum;
      if (made.maximum === Number.MAX_SAFE_INTEGER) delete made.maximum;
    },
  }) as Json;
  return rest;
};
