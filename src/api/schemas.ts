import { z } from "zod";

/** An id, in a path or a body. Written in small letters, whatever case it came in. */
export const id = z.uuid().toLowerCase();

/** A time as every answer writes it: ISO 8601, UTC, milliseconds, `Z`. */
export const timestamp = z.iso.datetime({ precision: 3 });

/**
 * Any time with its zone, written as ours are. Its zone may carry it out of the years 0 to 9999: no event could be
 * read again that holds such a one.
 */
export const instant = z.iso
  .datetime({ offset: true, error: "must be a time such as 2026-01-31T00:00:00Z" })
  .transform((text) => new Date(text).toISOString())
  .refine((text) => /^\d{4}-/.test(text), "must be a time such as 2026-01-31T00:00:00Z");

/** The path parameter of most operations. */
export const idParams = z.object({ id });

/**
 * The paging of every list: `cursor` is the `next_cursor` of the page before. Ids sort by time, so the
 * last id of a page says where the next begins (keyset, never OFFSET).
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

/** A page of a list. */
export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({ items: z.array(item), next_cursor: z.uuid().nullable() });

/** The body of every error: this one field and nothing else. */
export const errorBody = z.object({ detail: z.string() });

/** A file or a picture among an operation's responses. */
export const binary = (contentType: string, description: string) => ({ contentType, description });

/**
 * Makes a page of what a query returned when it was asked for one row more than `limit`.
 * `items` are at most `limit`; the cursor is the last id shown when there is more.
 */
export const toPage = <Item extends { readonly id: string }>(
  rows: readonly Item[],
  limit: number,
): { items: readonly Item[]; next_cursor: string | null } => {
  const items = rows.slice(0, limit);
  return { items, next_cursor: rows.length > limit ? (items.at(-1)?.id ?? null) : null };
};
