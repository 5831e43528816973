/** Billing intervals. */
export const intervals = ["month", "year"] as const;
export type Interval = (typeof intervals)[number];

/** A paid period: `start` inclusive, `end` exclusive, ISO 8601, UTC. */
export type BillingPeriod = { readonly start: string; readonly end: string };

const MONTHS: Readonly<Record<Interval, number>> = { month: 1, year: 12 };

/**
 * The same day and time `months` later, in UTC, clamped to the last day of the month. Callers count from the anchor,
 * so that 31 January is followed by 28 February and 31 March.
 */
export const addMonths = (anchor: string, months: number): string => {
  const from = new Date(anchor);
  const day = from.getUTCDate();
  const moved = new Date(anchor);
  // Move to the first day before changing the month: the anchor's day may not exist there.
  moved.setUTCDate(1);
  moved.setUTCMonth(moved.getUTCMonth() + months);
  moved.setUTCDate(Math.min(day, daysIn(moved.getUTCFullYear(), moved.getUTCMonth())));
  return moved.toISOString();
};

const daysIn = (year: number, month: number): number =>
  new Date(Date.UTC(year, month + 1, 0)).getUTCDate();

/** The period that contains an instant, counted from the anchor. The first period for an instant before the anchor. */
export const periodAt = (anchor: string, interval: Interval, at: string): BillingPeriod => {
  const step = MONTHS[interval];
  const [from, to] = [new Date(anchor), new Date(at)];
  const months =
    (to.getUTCFullYear() - from.getUTCFullYear()) * 12 + to.getUTCMonth() - from.getUTCMonth();
  // At most two too few: the day of the month decides.
  let index = Math.max(0, Math.floor(months / step) - 1);
  while (addMonths(anchor, (index + 1) * step) <= to.toISOString()) index += 1;
  return { start: addMonths(anchor, index * step), end: addMonths(anchor, (index + 1) * step) };
};
