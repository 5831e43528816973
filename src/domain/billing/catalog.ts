/** Plans, smallest first: a plan allows all that the ones before it allow. */
export const planCodes = ["free", "starter", "team", "business"] as const;
export type PlanCode = (typeof planCodes)[number];

export type Plan = {
  readonly code: PlanCode;
  readonly name: string;
  /** Tests in cloud runs, per calendar month (UTC). */
  readonly monthlyRuns: number;
  /** Executions of the organisation that run at the same time. */
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

/** The catalog: what each plan allows and costs. */
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

/** A plan by the text that a caller or the log gives, null when there is none of that name. */
export const findPlan = (code: string): Plan | null =>
  planCodes.some((known) => known === code) ? catalog[code as PlanCode] : null;
