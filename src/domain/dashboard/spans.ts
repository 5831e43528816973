/**
 * Lengths in days of the spans that sums of a test are kept for, the shortest first; each is a multiple of
 * the one before, and every span begins at a multiple of its length since 1970-01-01 (UTC).
 */
export const SPANS = [1, 4, 16] as const;

/** Spans of a length, by the number of their first day: from the one on, up to before the other; null: all that follow. */
export type SpanRange = {
  readonly span: number;
  readonly from: number;
  readonly before: number | null;
};

const DAY_MS = 86_400_000;

/** The number of a day (`YYYY-MM-DD`) since 1970-01-01, which is 0. */
export const numberOfDay = (day: string): number => Math.floor(Date.parse(day) / DAY_MS);

/** The first day of the span of a length in which a day lies, both as numbers. */
export const firstDayOf = (span: number, day: number): number => Math.floor(day / span) * span;

/**
 * The fewest spans that hold every day from this one on, each once: short ones up to where a longer one
 * begins. Thirty days are two to seven rows of a test, by where they begin.
 */
export const spansSince = (day: number): SpanRange[] => {
  let from = day;
  return SPANS.flatMap((span, index): SpanRange[] => {
    const longer = SPANS[index + 1];
    if (longer === undefined) return [{ span, from, before: null }];
    const before = -firstDayOf(longer, -from);
    const range = { span, from, before };
    from = before;
    return range.from < before ? [range] : [];
  });
};
