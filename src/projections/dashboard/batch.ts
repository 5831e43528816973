import { type Kysely, sql } from "kysely";
import { firstDayOf, numberOfDay, SPANS } from "../../domain/dashboard/spans.ts";
import {
  type Ended,
  neverRun,
  reviseStanding,
  type Standing,
  standingAfter,
} from "../../domain/dashboard/standing.ts";
import { countsAs, type Verdict } from "../../domain/runs/verdict.ts";
import type { Target } from "../kernel/projection.ts";
import { insertRows, recordset } from "../kernel/rows.ts";
import type { DashboardTables } from "./tables.ts";

type Execution = DashboardTables["dashboard_executions"];
type Day = DashboardTables["dashboard_days"];
type TestSpan = Omit<DashboardTables["dashboard_test_spans"], "total_ms"> & { total_ms: number };
type Place = DashboardTables["dashboard_places"];

/** An execution that ended, or whose verdict changed. */
export type Ending = Omit<Ended, "runId" | "testVersion"> & {
  readonly durationMs: number | null;
  /** The execution had ended before with another verdict. */
  readonly isRevision: boolean;
};

/** The planned executions and endings of a batch of events, in log order. */
export type DashboardBatch = {
  readonly planned: Map<string, Execution>;
  readonly endings: Ending[];
};

export const newBatch = (): DashboardBatch => ({ planned: new Map(), endings: [] });

/** The rows that a batch changes. */
type Changes = {
  readonly standings: Map<string, Standing>;
  readonly executions: Map<string, Execution>;
  readonly days: Map<string, Day>;
  readonly testSpans: Map<string, TestSpan>;
  readonly places: Map<string, Place>;
};

/** Writes a batch. Reads the known executions and standings once, and writes each table in one statement. */
export const writeBatch = async (into: Target, batch: DashboardBatch): Promise<void> => {
  const db = into.db as Kysely<DashboardTables>;
  const executions = await loadExecutions(db, batch);
  const ended = batch.endings.flatMap((ending) => {
    const execution = executions.get(ending.executionId);
    return execution ? [{ ending, execution }] : [];
  });
  const changes: Changes = {
    standings: await loadStandings(
      db,
      ended.map(({ execution }) => execution),
    ),
    executions: new Map(),
    days: new Map(),
    testSpans: new Map(),
    places: new Map(),
  };
  for (const { ending, execution } of ended) {
    if (ending.isRevision ? execution.day === null : execution.day !== null) continue;
    endExecution(changes, execution, ending);
    if (!batch.planned.has(execution.id)) changes.executions.set(execution.id, execution);
  }
  await writeRows(into, batch, changes);
};

/** The executions of the batch's endings, including those planned in the batch. */
const loadExecutions = async (
  db: Kysely<DashboardTables>,
  { planned, endings }: DashboardBatch,
): Promise<Map<string, Execution>> => {
  const known = new Map(planned);
  const missing = [...new Set(endings.map(({ executionId }) => executionId))].filter(
    (id) => !known.has(id),
  );
  if (missing.length === 0) return known;
  const rows = await db
    .selectFrom("dashboard_executions")
    .selectAll()
    .where(sql<boolean>`id = any(${missing}::uuid[])`)
    .execute();
  for (const row of rows) known.set(row.id, row);
  return known;
};

/** The standings of the executions' tests, by test and place. */
const loadStandings = async (
  db: Kysely<DashboardTables>,
  executions: readonly Execution[],
): Promise<Map<string, Standing>> => {
  const tests = [...new Set(executions.map(({ test_id }) => test_id))];
  const standings = new Map<string, Standing>();
  if (tests.length === 0) return standings;
  const rows = await db
    .selectFrom("dashboard_places")
    .selectAll()
    .where(sql<boolean>`test_id = any(${tests}::uuid[])`)
    .execute();
  for (const row of rows) standings.set(`${row.test_id} ${row.place}`, standingOf(row));
  return standings;
};

const endExecution = (changes: Changes, execution: Execution, ending: Ending): void => {
  const { standings, places, days, testSpans } = changes;
  const day = execution.day ?? ending.at.slice(0, 10);
  const key = `${execution.test_id} ${execution.place}`;
  const before = standings.get(key) ?? neverRun;
  const ended: Ended = { ...ending, runId: execution.run_id, testVersion: execution.test_version };
  const after = ending.isRevision
    ? { standing: reviseStanding(before, ended), sign: false }
    : standingAfter(before, ended);
  standings.set(key, after.standing);
  if (after.standing.last) places.set(key, placeRow(execution, after.standing));
  const counted = dayOf(days, execution, day);
  const { status, quarantined } = execution;
  if (status !== null) counted[countsAs(status as Verdict, quarantined)] -= 1;
  counted[countsAs(ending.status, quarantined)] += 1;
  if (!ending.isRevision) {
    for (const span of testSpansOf(testSpans, execution, day)) sum(span, ending, after.sign);
  }
  execution.status = ending.status;
  execution.day = day;
  execution.duration_ms = ending.durationMs ?? execution.duration_ms;
};

const writeRows = async (
  into: Target,
  { planned }: DashboardBatch,
  { executions, days, testSpans, places }: Changes,
): Promise<void> => {
  await insertRows(into, "dashboard_executions", [...planned.values()], "refuse");
  await insertRows(into, "dashboard_executions", [...executions.values()], {
    key: ["id"],
    set: ["status", "day", "duration_ms"],
  });
  await addUp(into, "dashboard_days", ["organization_id", "day", "project"], DAY_SUMS, [
    ...days.values(),
  ]);
  await addUp(
    into,
    "dashboard_test_spans",
    ["organization_id", "span", "first_day", "test_id", "project"],
    ["judged", "signs", "timed", "total_ms"],
    [...testSpans.values()],
    ["longest_ms"],
  );
  await insertRows(into, "dashboard_places", [...places.values()], {
    key: ["test_id", "place"],
    set: PLACE_COLUMNS,
  });
};

const DAY_SUMS = ["passed", "flaky", "failed", "errored", "cancelled", "quarantined"] as const;

const dayOf = (
  days: Map<string, Day>,
  { organization_id, project }: Execution,
  day: string,
): Day => {
  const key = `${organization_id} ${day} ${project}`;
  const known = days.get(key);
  if (known) return known;
  const none = { passed: 0, flaky: 0, failed: 0, errored: 0, cancelled: 0, quarantined: 0 };
  const made = { organization_id, project, day, ...none };
  days.set(key, made);
  return made;
};

/** The spans of a test that contain a day. */
const testSpansOf = (
  spans: Map<string, TestSpan>,
  { organization_id, project, test_id }: Execution,
  day: string,
): TestSpan[] =>
  SPANS.map((span) => {
    const first_day = firstDayOf(span, numberOfDay(day));
    const key = `${span} ${first_day} ${test_id} ${project}`;
    const known = spans.get(key);
    if (known) return known;
    const none = { judged: 0, signs: 0, timed: 0, total_ms: 0, longest_ms: 0 };
    const made = { organization_id, span, first_day, test_id, project, ...none };
    spans.set(key, made);
    return made;
  });

const sum = (span: TestSpan, { status, durationMs }: Ending, sign: boolean): void => {
  if (status === "cancelled") return;
  if (status !== "errored") span.judged += 1;
  if (sign) span.signs += 1;
  if (durationMs === null) return;
  span.timed += 1;
  span.total_ms += durationMs;
  span.longest_ms = Math.max(span.longest_ms, durationMs);
};

const PLACE_COLUMNS = [
  "project",
  "last_execution_id",
  "last_status",
  "last_at",
  "judged_status",
  "judged_version",
  "failing_since",
  "failing_run_id",
  "failing_execution_id",
  "failing_event_id",
];

const placeRow = (
  { test_id, place, organization_id, project }: Execution,
  { last, judged, failingSince }: Standing,
): Place => ({
  ...{ test_id, place, organization_id, project },
  last_execution_id: last?.executionId ?? "",
  last_status: last?.status ?? "",
  last_at: last?.at ?? "",
  judged_status: judged?.status ?? null,
  judged_version: judged?.testVersion ?? null,
  failing_since: failingSince?.at ?? null,
  failing_run_id: failingSince?.runId ?? null,
  failing_execution_id: failingSince?.executionId ?? null,
  failing_event_id: failingSince?.eventId ?? null,
});

const standingOf = (row: Place): Standing => ({
  last: {
    executionId: row.last_execution_id,
    status: row.last_status as Verdict,
    at: row.last_at,
  },
  judged:
    row.judged_status === null
      ? null
      : { status: row.judged_status as Verdict, testVersion: row.judged_version ?? 0 },
  failingSince:
    row.failing_since === null
      ? null
      : {
          at: row.failing_since,
          runId: row.failing_run_id ?? "",
          executionId: row.failing_execution_id ?? "",
          eventId: row.failing_event_id ?? "",
        },
});

/** Upserts rows: adds the `sums` columns, and keeps the larger value of the `largest` columns. */
const addUp = async (
  into: Target,
  table: string,
  key: readonly string[],
  sums: readonly string[],
  rows: readonly Readonly<Record<string, unknown>>[],
  largest: readonly string[] = [],
): Promise<void> => {
  if (rows.length === 0) return;
  const set = [
    ...sums.map(
      (name) => sql`${sql.id(name)} = ${sql.id("t", name)} + ${sql.id("excluded", name)}`,
    ),
    ...largest.map(
      (name) => sql`${sql.id(name)} = greatest(${sql.id("t", name)}, ${sql.id("excluded", name)})`,
    ),
  ];
  await sql`
    insert into ${sql.id(into.schema, table)} as t
    select * from ${recordset(into, table, rows)}
    on conflict (${sql.join(key.map((name) => sql.id(name)))})
    do update set ${sql.join(set)}`.execute(into.db);
};
