import { sql } from "kysely";
import { assertNever } from "../../domain/kernel/errors.ts";
import type { RunEvent } from "../../domain/runs/events.ts";
import { runDecider } from "../../domain/runs/run.ts";
import { type AllTotals, allTotals, countsAs } from "../../domain/runs/verdict.ts";
import { type AnyRecorded, defineBatchProjection, type Target } from "../kernel/projection.ts";
import { insertRows, recordset } from "../kernel/rows.ts";

export type RunTables = {
  runs: AllTotals & {
    id: string;
    organization_id: string;
    project_id: string | null;
    status: "queued" | "running" | "passed" | "failed" | "errored" | "cancelled";
    /**
     * The requester: the actor of the event, joined with the person's name when read. `import`: the run was imported.
     */
    actor_type: string;
    actor_id: string;
    actor_name: string | null;
    target: string;
    browsers: unknown;
    base_url: string | null;
    grammar_version: number;
    quota_period: string;
    rerun_of: string | null;
    test_set_id: string | null;
    queued_at: string;
    started_at: string | null;
    finished_at: string | null;
    updated_at: string;
    version: number;
  };
};

const types = [
  "RunQueued",
  "RunImported",
  "RunStarted",
  "RunExecutionFinished",
  "RunFinished",
  "RunCancelled",
  "RunVerdictChanged",
] as const;
type Folded = Extract<RunEvent, { type: (typeof types)[number] }>;

export const runsProjection = defineBatchProjection<RunTables, Folded>({
  name: "runs",
  version: 3,
  tables: ["runs"],
  create: async (db) => {
    await db.schema
      .createTable("runs")
      .addColumn("id", "uuid", (c) => c.primaryKey())
      .addColumn("organization_id", "uuid", (c) => c.notNull())
      .addColumn("project_id", "uuid")
      .addColumn("status", "text", (c) => c.notNull())
      .addColumn("actor_type", "text", (c) => c.notNull())
      .addColumn("actor_id", "text", (c) => c.notNull())
      .addColumn("actor_name", "text")
      .addColumn("target", "text", (c) => c.notNull())
      .addColumn("browsers", "jsonb", (c) => c.notNull())
      .addColumn("base_url", "text")
      .addColumn("grammar_version", "integer", (c) => c.notNull())
      .addColumn("quota_period", "text", (c) => c.notNull())
      .addColumn("rerun_of", "uuid")
      .addColumn("test_set_id", "uuid")
      .addColumn("passed", "integer", (c) => c.notNull())
      .addColumn("failed", "integer", (c) => c.notNull())
      .addColumn("flaky", "integer", (c) => c.notNull())
      .addColumn("errored", "integer", (c) => c.notNull())
      .addColumn("cancelled", "integer", (c) => c.notNull())
      .addColumn("quarantined", "integer", (c) => c.notNull())
      .addColumn("queued_at", "timestamptz", (c) => c.notNull())
      .addColumn("started_at", "timestamptz")
      .addColumn("finished_at", "timestamptz")
      .addColumn("updated_at", "timestamptz", (c) => c.notNull())
      .addColumn("version", "integer", (c) => c.notNull())
      .execute();
    await db.schema
      .createIndex("runs_by_organization")
      .on("runs")
      .columns(["organization_id", "id"])
      .execute();
  },
  codecs: [runDecider.codec],
  types,
  fold: async (into, events) => {
    const inserts: RunRow[] = [];
    const inserted = new Map<string, RunRow>();
    const changes = new Map<string, Change>();
    for (const event of events) {
      if (event.type === "RunQueued" || event.type === "RunImported") {
        const row = event.type === "RunQueued" ? queuedRow(event) : importedRow(event);
        inserts.push(row);
        inserted.set(row.id, row);
        continue;
      }
      const { runId } = event.data;
      const earlier = inserted.get(runId) ?? changes.get(runId) ?? { id: runId, ...none };
      const changed = { ...earlier, ...changeOf(event, earlier) };
      const row = inserted.get(runId);
      if (row) Object.assign(row, changed);
      else changes.set(runId, changed);
    }
    await updateRuns(into, [...changes.values()]);
    await insertRows(into, "runs", inserts, "refuse");
  },
});

type RunRow = RunTables["runs"];
type Event = AnyRecorded<Folded>;

/** The changes to a run: totals are added while it runs and set once it has finished. */
type Change = AllTotals &
  Pick<RunRow, "id"> &
  Partial<Pick<RunRow, "status" | "started_at" | "finished_at" | "updated_at" | "version">>;

const none: AllTotals = {
  passed: 0,
  failed: 0,
  flaky: 0,
  errored: 0,
  cancelled: 0,
  quarantined: 0,
};

const queuedRow = ({
  data,
  metadata,
  revision,
}: Extract<Event, { type: "RunQueued" }>): RunRow => ({
  id: data.runId,
  organization_id: metadata.organization_id ?? "",
  project_id: data.projectId,
  status: "queued",
  actor_type: metadata.actor.type,
  actor_id: metadata.actor.id,
  actor_name: metadata.actor.name ?? null,
  target: data.target,
  browsers: data.browsers,
  base_url: data.baseUrl,
  grammar_version: data.grammarVersion,
  quota_period: data.quotaPeriod,
  rerun_of: data.rerunOf ?? null,
  test_set_id: data.testSetId ?? null,
  ...none,
  queued_at: metadata.occurred_at,
  started_at: null,
  finished_at: null,
  updated_at: metadata.occurred_at,
  version: Number(revision) + 1,
});

/** A run of others is over as it comes. Runs of the same project have a trend with each other. */
const importedRow = ({
  data,
  metadata,
  revision,
}: Extract<Event, { type: "RunImported" }>): RunRow => ({
  id: data.runId,
  organization_id: metadata.organization_id ?? "",
  project_id: data.projectId,
  status: data.status,
  actor_type: IMPORT,
  actor_id: data.format,
  actor_name: null,
  target: IMPORT,
  browsers: [],
  base_url: null,
  grammar_version: 0,
  quota_period: "",
  rerun_of: null,
  test_set_id: null,
  ...allTotals(data.totals),
  queued_at: data.startedAt,
  started_at: data.startedAt,
  finished_at: data.finishedAt,
  updated_at: metadata.occurred_at,
  version: Number(revision) + 1,
});

const IMPORT = "import";

const changeOf = (
  event: Exclude<Event, { type: "RunQueued" | "RunImported" }>,
  totals: AllTotals,
): Partial<Change> => {
  const at = event.metadata.occurred_at;
  const touched = { updated_at: at, version: Number(event.revision) + 1 };
  switch (event.type) {
    case "RunStarted":
      return { ...touched, status: "running", started_at: at };
    case "RunExecutionFinished": {
      const as = countsAs(event.data.status, event.data.quarantined ?? false);
      return { ...touched, [as]: totals[as] + 1 };
    }
    case "RunFinished":
      return {
        ...touched,
        ...allTotals(event.data.totals),
        status: event.data.status,
        finished_at: at,
      };
    case "RunCancelled":
      return { ...touched, ...allTotals(event.data.totals), status: "cancelled", finished_at: at };
    case "RunVerdictChanged": {
      const { before, outcome, status, quarantined = false } = event.data;
      const from = countsAs(before, quarantined);
      const to = countsAs(outcome, quarantined);
      const counts = from === to ? {} : { [from]: totals[from] - 1, [to]: totals[to] + 1 };
      return { ...touched, ...counts, ...(status === null ? {} : { status }) };
    }
    default:
      return assertNever(event);
  }
};

const updateRuns = async (into: Target, changes: readonly Change[]): Promise<void> => {
  if (changes.length === 0) return;
  const totals = Object.keys(none).map(
    (name) =>
      sql`${sql.id(name)} = c.${sql.id(name)} + case when c.finished_at is null then r.${sql.id(name)} else 0 end`,
  );
  await sql`
    update ${sql.id(into.schema, "runs")} as r set
      ${sql.join(totals)},
      status = coalesce(c.status, r.status),
      started_at = coalesce(c.started_at, r.started_at),
      finished_at = coalesce(c.finished_at, r.finished_at),
      updated_at = c.updated_at,
      version = c.version
    from ${recordset(into, "runs", changes)} as c
    where r.id = c.id`.execute(into.db);
};
