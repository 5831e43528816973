/** How often a plan is paid. */
export const intervals = ["month", "year"] as const;
export type Interval = (typeof intervals)[number];

/** A stretch that is paid for: from `start` (inclusive) to `end` (exclusive), ISO 8601, UTC. */
export type BillingPeriod = { readonly start: string; readonly end: string };

const MONTHS: Readonly<Record<Interval, number>> = { month: 1, year: 12 };

/**
 * The same day and time `months` later, in UTC; the last day of the month where it has no such day.
 * Counted from the anchor each time, so that 31 January, 28 February, 31 March follow one another.
 */
export const addMonths = (anchor: string, months: number): string => {
  const from = new Date(anchor);
  const day = from.getUTCDate();
  const moved = new Date(anchor);
  // The first exists in every month: only then is the day put in.
  moved.setUTCDate(1);
  moved.setUTCMonth(moved.getUTCMonth() + months);
  moved.setUTCDate(Math.min(day, daysIn(moved.getUTCFullYear(), moved.getUTCMonth())));
  return moved.toISOString();
};

const daysIn = (year: number, month: number): number =>
  new Date(Date.UTC(year, month + 1, 0)).getUTCDate();

/** The period, counted from the anchor, that an instant falls into. An instant before the anchor falls into the first. */
export const periodAt = (anchor: string, interval: Interval, at: string): BillingPeriod => {
  const step = MONTHS[interval];
  const [from, to] = [new Date(anchor), new Date(at)];
  const months =
    (to.getUTCFullYear() - from.getUTCFullYear()) * 12 + to.getUTCMonth() - from.getUTCMonth();
  // Two too few at most: the day of the month decides.
  let index = Math.max(0, Math.floor(months / step) - 1);
  while (addMonths(anchor, (index + 1) * step) <= to.toISOString()) index += 1;
  return { start: addMonths(anchor, index * step), end: addMonths(anchor, (index + 1) * step) };
};
