/** A month of usage, `yyyymm` in UTC. */
export type Period = string;

/** The month that a moment (ISO 8601, UTC) falls into. */
export const periodOf = (at: string): Period => `${at.slice(0, 4)}${at.slice(5, 7)}`;

/** When the quota of a month is fresh again: the first moment of the next one, UTC. */
export const resetOf = (period: Period): string => {
  const year = Number(period.slice(0, 4));
  const month = Number(period.slice(4, 6));
  return new Date(Date.UTC(year, month, 1)).toISOString();
};

/** The month before a month. */
export const periodBefore = (period: Period): Period => {
  const [year, month] = [Number(period.slice(0, 4)), Number(period.slice(4, 6))];
  return periodOf(new Date(Date.UTC(year, month - 2, 1)).toISOString());
};

/** The minute that a moment (ISO 8601, UTC) falls into, `YYYY-MM-DDTHH:mm`: refusals are recorded once in each. */
export const minuteOf = (at: string): string => at.slice(0, 16);

/** The id of the stream `usage-{organizationId}_{yyyymm}`. */
export const usageId = (organizationId: string, period: Period): string =>
  `${organizationId}_${period}`;
