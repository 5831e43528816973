/**
 * The lengths of spans in days, shortest first. Each is a multiple of the previous one, and every span starts at a
 * multiple of its length since 1970-01-01 (UTC).
 */
export const SPANS = [1, 4, 16] as const;

/** Spans of one length whose first day is at least `from` and less than `before`; null unbounded. Days since 1970-01-01. */
export type SpanRange = {
  readonly span: number;
  readonly from: number;
  readonly before: number | null;
};

const DAY_MS = 86_400_000;

/** The days from 1970-01-01 to a day (`YYYY-MM-DD`). */
export const numberOfDay = (day: string): number => Math.floor(Date.parse(day) / DAY_MS);

/** The first day of the span that contains a day, in days since 1970-01-01. */
export const firstDayOf = (span: number, day: number): number => Math.floor(day / span) * span;

/**
 * The fewest spans that cover every day since `day` once: short spans until a longer one starts. Thirty days take two
 * to seven rows per test.
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
