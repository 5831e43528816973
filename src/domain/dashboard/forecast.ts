/** The quota of a running month. */
export type QuotaMonth = {
  readonly used: number;
  readonly reserved: number;
  readonly limit: number;
  /** The start and end of the month (ISO 8601). */
  readonly startsAt: string;
  readonly resetsAt: string;
};

export type Forecast = {
  /** Units by the end of the month at the current rate. */
  readonly expectedUsed: number;
  /** When the quota is used up at this rate, null if it lasts. In the past if it is already used up. */
  readonly runsOutAt: string | null;
};

const DAY_MS = 86_400_000;

/**
 * Extrapolates a month's usage at the current rate. The first day counts as a whole day, so that one run at midnight
 * does not dominate the forecast.
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
