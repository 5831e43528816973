/** Plan codes, smallest first. Each plan allows everything that smaller plans allow. */
export const planCodes = ["free", "starter", "team", "business"] as const;
export type PlanCode = (typeof planCodes)[number];

export type Plan = {
  readonly code: PlanCode;
  readonly name: string;
  /** Tests in cloud runs, per calendar month (UTC). */
  readonly monthlyRuns: number;
  /** Concurrent executions of the organisation. */
  readonly parallel: number;
  readonly seats: number;
  readonly schedules: number;
  readonly visualBaselines: boolean;
  readonly retentionDays: number;
  readonly apiKeys: number;
  readonly pricePerMonth: number;
  readonly pricePerYear: number;
};

const MONTHS_PAID_IN_A_YEAR = 10;

const plan = (
  code: PlanCode,
  name: string,
  pricePerMonth: number,
  limits: Omit<Plan, "code" | "name" | "pricePerMonth" | "pricePerYear">,
): Plan => ({
  code,
  name,
  ...limits,
  pricePerMonth,
  pricePerYear: pricePerMonth * MONTHS_PAID_IN_A_YEAR,
});

/** The limits and prices of each plan. Prices in whole US dollars. */
export const catalog: Readonly<Record<PlanCode, Plan>> = {
  free: plan("free", "Free", 0, {
    monthlyRuns: 50,
    parallel: 1,
    seats: 2,
    schedules: 1,
    visualBaselines: false,
    retentionDays: 7,
    apiKeys: 1,
  }),
  starter: plan("starter", "Starter", 29, {
    monthlyRuns: 500,
    parallel: 2,
    seats: 5,
    schedules: 10,
    visualBaselines: true,
    retentionDays: 30,
    apiKeys: 5,
  }),
  team: plan("team", "Team", 99, {
    monthlyRuns: 5_000,
    parallel: 5,
    seats: 20,
    schedules: 100,
    visualBaselines: true,
    retentionDays: 90,
    apiKeys: 20,
  }),
  business: plan("business", "Business", 399, {
    monthlyRuns: 50_000,
    parallel: 20,
    seats: 100,
    schedules: 1_000,
    visualBaselines: true,
    retentionDays: 365,
    apiKeys: 100,
  }),
};

/** The plan with this code, null if there is none. */
export const findPlan = (code: string): Plan | null =>
  planCodes.some((known) => known === code) ? catalog[code as PlanCode] : null;
