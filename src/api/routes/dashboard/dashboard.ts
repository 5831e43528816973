import { z } from "zod";
import { catalog } from "../../../domain/billing/catalog.ts";
import { forecastOf } from "../../../domain/dashboard/forecast.ts";
import { periodOf, resetOf } from "../../../domain/usage/period.ts";
import type { DayTotals } from "../../../projections/dashboard/queries.ts";
import { ApiError } from "../../apiError.ts";
import { defineOperation, type Operation } from "../../operation.ts";
import { id } from "../../schemas.ts";
import type { Services } from "../../services.ts";
import { dashboard, dashboardExample } from "./shapes.ts";

const DAY_MS = 86_400_000;
const MAX_DAYS = 90;

const readDashboard = defineOperation({
  id: "readDashboard",
  method: "GET",
  path: "/dashboard",
  tag: "Dashboard",
  summary:
    "Read the dashboard: daily pass rate, slowest, flakiest and longest failing tests, quota, activity",
  auth: "member",
  permission: "results:read",
  query: z.object({
    project_id: id.optional(),
    days: z.coerce
      .number(`must be a number from 1 to ${MAX_DAYS}`)
      .int("must be a whole number")
      .min(1, `must be from 1 to ${MAX_DAYS}`)
      .max(MAX_DAYS, `must be from 1 to ${MAX_DAYS}`)
      .default(30)
      .describe("The number of days up to today (UTC)."),
  }),
  responses: { 200: dashboard },
  example: { response: dashboardExample },
  handler: async ({ query, principal, services }) => {
    const { organizationId } = principal;
    const projectId = query.project_id ?? null;
    if (projectId !== null) await mustBeOurs(services, projectId, organizationId);
    const now = services.clock();
    const since = dayOf(now.getTime() - (query.days - 1) * DAY_MS);
    const looked = { organizationId, projectId, since, at: now.toISOString() };
    const { queries } = services.dashboard;
    const [days, { slow, flaky }, failing, activity, quota] = await Promise.all([
      queries.daysOf(looked),
      queries.slowAndFlaky(looked),
      queries.failingLongest(looked),
      queries.activityOf(looked),
      quotaOf(services, organizationId, now),
    ]);
    const trend = everyDay(days, now, query.days);
    const totals = sumOf(trend);
    return {
      status: 200,
      body: {
        project_id: projectId,
        days: query.days,
        since,
        pass_rate: passRateOf(totals),
        totals,
        trend: trend.map((day) => ({ ...day, pass_rate: passRateOf(day) })),
        slowest: slow,
        flakiest: flaky,
        failing_longest: failing,
        quota,
        activity,
      },
    };
  },
});

const mustBeOurs = async (services: Services, projectId: string, organizationId: string) => {
  const found = await services.catalogue.queries.findProject(projectId);
  if (!found) throw new ApiError(422, `project_id: there is no project ${projectId}.`);
  if (found.organization_id !== organizationId) {
    throw new ApiError(403, "The project belongs to another organisation.");
  }
};

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

type Counts = Omit<DayTotals, "day">;

const none: Counts = { passed: 0, flaky: 0, failed: 0, errored: 0, cancelled: 0, quarantined: 0 };

/** Every day of the window, oldest first, including days without executions. */
const everyDay = (days: readonly DayTotals[], now: Date, count: number): DayTotals[] => {
  const known = new Map(days.map((day) => [day.day, day]));
  return Array.from({ length: count }, (_, index) => {
    const day = dayOf(now.getTime() - (count - 1 - index) * DAY_MS);
    return known.get(day) ?? { day, ...none };
  });
};

const sumOf = (days: readonly DayTotals[]): Counts =>
  days.reduce<Counts>(
    (sum, day) => ({
      passed: sum.passed + day.passed,
      flaky: sum.flaky + day.flaky,
      failed: sum.failed + day.failed,
      errored: sum.errored + day.errored,
      cancelled: sum.cancelled + day.cancelled,
      quarantined: sum.quarantined + day.quarantined,
    }),
    none,
  );

/** The share of passed executions, excluding cancelled and quarantined ones. Null if none count. */
const passRateOf = ({ passed, flaky, failed, errored }: Counts): number | null => {
  const all = passed + flaky + failed + errored;
  return all === 0 ? null : Math.round((1_000 * (passed + flaky)) / all) / 1_000;
};

const quotaOf = async (services: Services, organizationId: string, now: Date) => {
  const period = periodOf(now.toISOString());
  const [{ used, reserved }, { plan }] = await Promise.all([
    services.usage.queries.usageOf(organizationId, period),
    services.billing.queries.planOf(organizationId),
  ]);
  const limit = catalog[plan].monthlyRuns;
  const startsAt = `${period.slice(0, 4)}-${period.slice(4)}-01T00:00:00.000Z`;
  const resetsAt = resetOf(period);
  const forecast = forecastOf({ used, reserved, limit, startsAt, resetsAt }, now);
  return {
    period: `${period.slice(0, 4)}-${period.slice(4)}`,
    used,
    reserved,
    limit,
    remaining: Math.max(0, limit - used - reserved),
    resets_at: resetsAt,
    forecast: { expected_used: forecast.expectedUsed, runs_out_at: forecast.runsOutAt },
  };
};

export const dashboardOperations: readonly Operation[] = [readDashboard];
