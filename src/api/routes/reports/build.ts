import type { z } from "zod";
import { FLAKINESS_DAYS, flakinessOf } from "../../../domain/reports/flakiness.ts";
import type { PastExecution } from "../../../projections/reports/executions.ts";
import type { TrendPoint } from "../../../projections/reports/runs.ts";
import type { RunDetail } from "../../../projections/runs/queries.ts";
import type { Services } from "../../services.ts";
import type { changes, flakiness, runReport } from "./shapes.ts";

type Changes = z.output<typeof changes>;

/** A run's report, before it is rendered as JSON or HTML. */
export type RunReport = Pick<z.output<typeof runReport>, "problems" | "quarantined"> & {
  readonly run: RunDetail;
  readonly trend: readonly TrendPoint[];
};

const DAY_MS = 86_400_000;
const MAX_OUTCOMES = 2_000;
const MAX_VERSIONS = 20;
const MAX_BASELINES = 50;
const TREND = 20;
/** The maximum number of failures compared with their last passed execution. */
const MAX_EXPLAINED = 50;

/** The differences from the last passed execution of the test, null if there is none. */
export const changesSince = async (
  services: Services,
  testId: string,
  now: Omit<PastExecution, "run_id" | "status" | "duration_ms" | "finished_at">,
): Promise<Changes | null> => {
  const green = await services.reports.queries.lastGreen(testId, now.id);
  if (!green) return null;
  const { queries } = services.catalogue;
  const versions =
    now.test_version > green.test_version
      ? (await queries.listHistory(testId, { limit: MAX_VERSIONS, before: now.test_version + 1 }))
          .filter(({ version }) => version > green.test_version)
          .map(({ version, event, by, at }) => ({ version, event, by, at }))
      : [];
  const names = new Set([...Object.keys(green.browsers), ...Object.keys(now.browsers)]);
  const baselines = await services.baselines.queries.changesBetween(testId, {
    after: green.pinned_at,
    until: now.pinned_at,
    limit: MAX_BASELINES,
  });
  const calledIds = [...new Set([...green.called.keys(), ...now.called.keys()])];
  const called = calledIds
    .map((id) => ({
      test_id: id,
      from: green.called.get(id) ?? null,
      to: now.called.get(id) ?? null,
    }))
    .filter(({ from, to }) => from !== to);
  return {
    since: { execution_id: green.id, run_id: green.run_id, finished_at: green.finished_at },
    versions,
    called: await Promise.all(
      called.map(async (one) => ({
        ...one,
        name: (await queries.findTest(one.test_id))?.name ?? one.test_id,
      })),
    ),
    environment:
      green.environment === now.environment
        ? null
        : { from: green.environment, to: now.environment },
    browsers: [...names].flatMap((browser) => {
      const from = green.browsers[browser] ?? null;
      const to = now.browsers[browser] ?? null;
      return from === to ? [] : [{ browser, from, to }];
    }),
    baselines,
  };
};

/** The flakiness of a test over each window before an instant. */
export const flakinessOver = async (
  services: Services,
  testId: string,
  now: Date,
): Promise<z.output<typeof flakiness>[]> => {
  const longest = Math.max(...FLAKINESS_DAYS);
  const from = (days: number) => new Date(now.getTime() - days * DAY_MS).toISOString();
  const outcomes = await services.reports.queries.outcomesSince(
    testId,
    from(longest),
    MAX_OUTCOMES,
  );
  return FLAKINESS_DAYS.map((days) => {
    const { since, ...told } = flakinessOf(outcomes.filter(({ at }) => at >= from(days)));
    const first = since && { execution_id: since.executionId, at: since.at };
    return { days, ...told, since: first };
  });
};

/** Builds the report of a run: its failures with the changes since they last passed, and the trend. */
export const buildRunReport = async (services: Services, run: RunDetail): Promise<RunReport> => {
  const { queries } = services.reports;
  const bad = run.tests.filter(({ status }) => status === "failed" || status === "errored");
  const ids = bad.map(({ execution_id }) => execution_id);
  const deletions = await services.runs.queries.deletionsOf(ids);
  const told = await Promise.all(
    bad.map(async ({ test_id, execution_id, name, status }, index) => {
      const [now] = index < MAX_EXPLAINED ? await queries.executionsById([execution_id]) : [];
      return {
        test_id,
        execution_id,
        name,
        status: status === "failed" ? ("failed" as const) : ("errored" as const),
        changes: now ? await changesSince(services, test_id, now) : null,
        evidence_deleted: deletions.get(execution_id) ?? null,
      };
    }),
  );
  const inQuarantine = new Set(
    bad.filter(({ quarantined }) => quarantined).map(({ execution_id }) => execution_id),
  );
  const problems = told.filter(({ execution_id }) => !inQuarantine.has(execution_id));
  const quarantined = told.filter(({ execution_id }) => inQuarantine.has(execution_id));
  return { run, problems, quarantined, trend: await queries.trendOf(run.id, TREND) };
};
