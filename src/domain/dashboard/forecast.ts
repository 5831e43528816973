/** A month of quota, as far as it has gone. */
export type QuotaMonth = {
  readonly used: number;
  readonly reserved: number;
  readonly limit: number;
  /** When it began and when it is over (ISO 8601). */
  readonly startsAt: string;
  readonly resetsAt: string;
};

export type Forecast = {
  /** Units by the end of the month, if it goes on as so far. */
  readonly expectedUsed: number;
  /** When the quota is used up at this rate; null when it lasts. An instant that is over: it is used up. */
  readonly runsOutAt: string | null;
};

const DAY_MS = 86_400_000;

/**
 * What a month comes to if it goes on as so far. Less than a day says little about a month: the first day counts
 * whole, so that one run at midnight is not taken for the rate of a month.
 */
export const forecastOf = (month: QuotaMonth, now: Date): Forecast => {
  const starts = Date.parse(month.startsAt);
  const ends = Date.parse(month.resetsAt);
  const at = Math.min(Math.max(now.getTime(), starts), ends);
  const taken = month.used + month.reserved;
  const perMs = taken / Math.max(at - starts, DAY_MS);
  const expectedUsed = Math.round(taken + perMs * (ends - at));
  if (taken >= month.limit) return { expectedUsed, runsOutAt: new Date(at).toISOString() };
  if (perMs === 0) return { expectedUsed, runsOutAt: null };
  const out = at + (month.limit - taken) / perMs;
  return { expectedUsed, runsOutAt: out < ends ? new Date(Math.ceil(out)).toISOString() : null };
};
