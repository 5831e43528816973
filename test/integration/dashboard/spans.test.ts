import fc from "fast-check";
import { type Kysely, sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { neverRun, type Standing, standingAfter } from "../../../src/domain/dashboard/standing.ts";
import type { RecordedEvent } from "../../../src/platform/eventLog/port.ts";
import { newId } from "../../../src/platform/ids.ts";
import { catalogueProjection } from "../../../src/projections/catalogue/catalogue.ts";
import { dashboardProjection } from "../../../src/projections/dashboard/dashboard.ts";
import { dashboardQueries } from "../../../src/projections/dashboard/queries.ts";
import { type Projection, schemaOf } from "../../../src/projections/kernel/projection.ts";
import { prepareProjections } from "../../../src/projections/kernel/schemas.ts";
import { quarantineProjection } from "../../../src/projections/quarantine/quarantine.ts";
import { resultImportsProjection } from "../../../src/projections/resultImports/resultImports.ts";
import { type ProjectionKit, startProjectionKit } from "../../support/projectionKit.ts";

const projections = [
  catalogueProjection,
  quarantineProjection,
  resultImportsProjection,
  dashboardProjection,
];
const TESTS = 5;
const PROJECTS = [newId(), newId(), null];
const LAST_DAY = 20_780;
const DAY_MS = 86_400_000;

/** An imported execution. Days arrive in any order. */
const result = fc.record({
  test: fc.nat(TESTS - 1),
  project: fc.nat(PROJECTS.length - 1),
  day: fc.integer({ min: LAST_DAY - 100, max: LAST_DAY }),
  status: fc.constantFrom("passed", "failed", "flaky", "errored"),
  durationMs: fc.option(fc.nat(5_000)),
});
type Result = typeof result extends fc.Arbitrary<infer T> ? T : never;

const dayOf = (day: number): string => new Date(day * DAY_MS).toISOString();

const eventOf = (
  told: Result,
  index: number,
  organizationId: string,
  tests: readonly string[],
): RecordedEvent => {
  const runId = newId();
  const at = dayOf(told.day);
  const testId = tests[told.test] ?? "";
  const { status, durationMs } = told;
  return {
    id: newId(),
    stream: `run-${runId}`,
    revision: 0n,
    position: BigInt(index + 1),
    type: "ResultsImported",
    data: {
      ...{ runId, projectId: PROJECTS[told.project] ?? null, part: 1 },
      results: [
        {
          ...{ executionId: newId(), testId, place: 1, suite: "", className: "" },
          ...{ name: `test ${told.test}`, status, error: null, durationMs, finishedAt: at },
        },
      ],
    },
    metadata: {
      $correlationId: runId,
      $causationId: runId,
      actor: { type: "system", id: "test" },
      organization_id: organizationId,
      occurred_at: at,
      recorded_at: at,
      schema_version: 1,
    },
  };
};

const byTest = <Row extends { readonly test_id: string }>(rows: readonly Row[]): Row[] =>
  [...rows].sort((a, b) => (a.test_id < b.test_id ? -1 : 1));

/** The sums of single results by test, in log order. */
const naive = (
  results: readonly Result[],
  tests: readonly string[],
  since: number,
  project: number | null,
) => {
  const standings = new Map<number, Standing>();
  const sums = new Map<number, { judged: number; signs: number; times: number[] }>();
  for (const { test, project: of, day, status, durationMs } of results) {
    const ids = { executionId: "", runId: "", eventId: "" };
    const ended = { ...ids, testVersion: 1, status, at: dayOf(day) };
    const { standing, sign } = standingAfter(standings.get(test) ?? neverRun, ended);
    standings.set(test, standing);
    if (day < since || (project !== null && of !== project)) continue;
    const sum = sums.get(test) ?? { judged: 0, signs: 0, times: [] };
    sums.set(test, sum);
    if (status !== "errored") sum.judged += 1;
    if (sign) sum.signs += 1;
    if (durationMs !== null) sum.times.push(durationMs);
  }
  const idOf = (test: number) => tests[test] ?? "";
  const round = (value: number) => Math.round(1_000 * value) / 1_000;
  const slow = [...sums]
    .filter(([, { times }]) => times.length > 0)
    .map(([test, { times }]) => ({
      test_id: idOf(test),
      executions: times.length,
      average_ms: Math.round(times.reduce((a, b) => a + b, 0) / times.length),
      longest_ms: Math.max(...times),
    }));
  const flaky = [...sums]
    .filter(([, { judged, signs }]) => signs > 0 && judged > 0)
    .map(([test, { judged, signs }]) => ({
      ...{ test_id: idOf(test), executions: judged, signs, score: round(signs / judged) },
    }));
  return { slow: byTest(slow), flaky: byTest(flaky) };
};

/** Folds events into the live tables. */
const fold = (kit: ProjectionKit, projection: Projection, events: readonly RecordedEvent[]) =>
  kit.db.transaction().execute(async (db) => {
    const schema = schemaOf(projection, 1);
    await sql`select set_config('search_path', ${`${schema}, public`}, true)`.execute(db);
    await projection.foldBatch?.({ db: db as unknown as Kysely<unknown>, schema }, events);
  });

describe("daily sums of tests", () => {
  let kit: ProjectionKit;
  beforeAll(async () => {
    kit = await startProjectionKit();
    await prepareProjections(kit.db, projections);
  });
  afterAll(() => kit.stop());

  it("rank the slowest and flakiest tests like individual results", async () => {
    const queries = dashboardQueries(kit.db);
    await fc.assert(
      fc.asyncProperty(
        fc.array(result, { maxLength: 60 }),
        fc.integer({ min: 1, max: 90 }),
        fc.option(fc.nat(PROJECTS.length - 2)),
        async (results, days, project) => {
          const organizationId = newId();
          const tests = Array.from({ length: TESTS }, () => newId());
          const events = results.map((told, index) => eventOf(told, index, organizationId, tests));
          // Two batches, so that existing sums are increased.
          const half = events.length >> 1;
          for (const batch of [events.slice(0, half), events.slice(half)]) {
            for (const projection of [resultImportsProjection, dashboardProjection]) {
              await fold(kit, projection, batch);
            }
          }
          const since = LAST_DAY - days + 1;
          const told = await queries.slowAndFlaky({
            organizationId,
            projectId: project === null ? null : (PROJECTS[project] ?? null),
            since: dayOf(since).slice(0, 10),
            at: dayOf(LAST_DAY),
          });
          const expected = naive(results, tests, since, project);
          expect(byTest(told.slow)).toMatchObject(expected.slow);
          expect(byTest(told.flaky)).toMatchObject(expected.flaky);
          const ranks = told.slow.map(({ average_ms }) => average_ms);
          expect(ranks).toEqual([...ranks].sort((a, b) => b - a));
          const scores = told.flaky.map(({ score }) => score);
          expect(scores).toEqual([...scores].sort((a, b) => b - a));
        },
      ),
      { numRuns: 25 },
    );
  });
});
