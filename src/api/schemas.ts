import { z } from "zod";

/** A UUID in a path or a body, normalised to lower case. */
export const id = z.uuid().toLowerCase();

/** A time in responses: ISO 8601, UTC, milliseconds, `Z`. */
export const timestamp = z.iso.datetime({ precision: 3 });

/**
 * A time with any offset, normalised to UTC. Rejects times that the offset moves out of the years 0 to 9999, because
 * events with such times could not be decoded.
 */
export const instant = z.iso
  .datetime({ offset: true, error: "must be a time such as 2026-01-31T00:00:00Z" })
  .transform((text) => new Date(text).toISOString())
  .refine((text) => /^\d{4}-/.test(text), "must be a time such as 2026-01-31T00:00:00Z");

/** The path parameter `id`. */
export const idParams = z.object({ id });

/**
 * The paging of lists. `cursor` is the `next_cursor` of the previous page: ids sort by time, so a page starts after the
 * last id of the previous one (keyset pagination).
 */
export const pageQuery = z.object({
  limit: z.coerce
    .number("must be a number from 1 to 100")
    .int("must be a whole number")
    .min(1)
    .max(100)
    .default(50),
  cursor: z.uuid("must be the next_cursor of the page before").toLowerCase().optional(),
});

/** The order of lists by creation time. */
export const sortOrder = z.enum(["-created_at", "created_at"]).default("-created_at");

/** The filters of lists by creation time. */
export const timeRange = {
  since: instant.optional().describe("Only entries created at this time or later."),
  until: instant.optional().describe("Only entries created before this time."),
};

/** A page of a list. */
export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({ items: z.array(item), next_cursor: z.uuid().nullable() });

/** The body of every error. */
export const errorBody = z.object({ detail: z.string() }).describe("The body of every error.");

/** A response that is a file or a picture. */
export const binary = (contentType: string, description: string, schema?: z.ZodType) => ({
  contentType,
  description,
  ...(schema && { schema }),
});

/**
 * Builds a page from rows queried with `limit + 1`. The cursor is the id of the last item if there are more rows.
 */
export const toPage = <Item extends { readonly id: string }>(
  rows: readonly Item[],
  limit: number,
): { items: readonly Item[]; next_cursor: string | null } => {
  const items = rows.slice(0, limit);
  return { items, next_cursor: rows.length > limit ? (items.at(-1)?.id ?? null) : null };
};
