/** A month of usage, `yyyymm` in UTC. */
export type Period = string;

/** The month of an instant (ISO 8601, UTC). */
export const periodOf = (at: string): Period => `${at.slice(0, 4)}${at.slice(5, 7)}`;

/** When a month's quota resets: the first instant of the next month, UTC. */
export const resetOf = (period: Period): string => {
  const year = Number(period.slice(0, 4));
  const month = Number(period.slice(4, 6));
  return new Date(Date.UTC(year, month, 1)).toISOString();
};

/** The previous month. */
export const periodBefore = (period: Period): Period => {
  const [year, month] = [Number(period.slice(0, 4)), Number(period.slice(4, 6))];
  return periodOf(new Date(Date.UTC(year, month - 2, 1)).toISOString());
};

/** The minute of an instant (ISO 8601, UTC), `YYYY-MM-DDTHH:mm`. Refusals are recorded once per minute. */
export const minuteOf = (at: string): string => at.slice(0, 16);

/** The id of the stream `usage-{organizationId}_{yyyymm}`. */
export const usageId = (organizationId: string, period: Period): string =>
  `${organizationId}_${period}`;
