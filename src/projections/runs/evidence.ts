import { type Kysely, sql } from "kysely";
import type { PlanCode } from "../../domain/billing/catalog.ts";
import type { ExecutionEvent } from "../../domain/runs/executions/events.ts";
import { executionDecider } from "../../domain/runs/executions/execution.ts";
import type { Database } from "../../platform/database/database.ts";
import { type AnyRecorded, defineBatchProjection, type Target } from "../kernel/projection.ts";
import { insertRows, type Rows, recordset } from "../kernel/rows.ts";
import type { ExecutionTables } from "./executions/tables.ts";

export type EvidenceTables = {
  /** Files that tests left besides their pictures, and why there is none of one that was to be. */
  artifacts: {
    execution_id: string;
    delivery: number;
    attempt: number;
    browser: string;
    name: string;
    content_type: string;
    bytes: number;
    blob_key: string | null;
    absent: string | null;
    kept_at: string;
  };
  /** Pictures of steps that were taken and could not be kept. */
  lost_screenshots: {
    execution_id: string;
    delivery: number;
    attempt: number;
    browser: string;
    number: number;
    /** For a person. */
    reason: string;
  };
  /** Executions that have left anything: pictures, or files. */
  execution_evidence: {
    execution_id: string;
    organization_id: string;
    /** When the execution ended; null until then, and again once its evidence is deleted. */
    waits_since: string | null;
    /** When its evidence expired; null until then, and again once it is deleted. */
    begun_at: string | null;
    deleted_at: string | null;
    /** By which plan's days it went. */
    plan: PlanCode | null;
    days: number | null;
  };
};

const types = [
  "EvidenceKept",
  "ScreenshotTaken",
  "ScreenshotLost",
  "ExecutionFinished",
  "ExecutionCancelled",
  "EvidenceExpired",
  "EvidenceDeleted",
] as const;

type OfEvidence = Extract<ExecutionEvent, { type: (typeof types)[number] }>;
type Kept = Extract<OfEvidence, { type: "EvidenceKept" }>;
type Lost = Extract<OfEvidence, { type: "ScreenshotLost" }>;

export const evidenceProjection = defineBatchProjection<EvidenceTables, OfEvidence>({
  name: "evidence",
  version: 3,
  tables: ["artifacts", "lost_screenshots", "execution_evidence"],
  create: async (db) => {
    await db.schema
      .createTable("artifacts")
      .addColumn("execution_id", "uuid", (c) => c.notNull())
      .addColumn("delivery", "integer", (c) => c.notNull())
      .addColumn("attempt", "integer", (c) => c.notNull())
      .addColumn("browser", "text", (c) => c.notNull())
      .addColumn("name", "text", (c) => c.notNull())
      .addColumn("content_type", "text", (c) => c.notNull())
      .addColumn("bytes", "integer", (c) => c.notNull())
      .addColumn("blob_key", "text")
      .addColumn("absent", "text")
      .addColumn("kept_at", "timestamptz", (c) => c.notNull())
      .addPrimaryKeyConstraint("artifacts_pkey", [
        "execution_id",
        "delivery",
        "attempt",
        "browser",
        "name",
      ])
      .execute();
    await db.schema
      .createTable("lost_screenshots")
      .addColumn("execution_id", "uuid", (c) => c.notNull())
      .addColumn("delivery", "integer", (c) => c.notNull())
      .addColumn("attempt", "integer", (c) => c.notNull())
      .addColumn("browser", "text", (c) => c.notNull())
      .addColumn("number", "integer", (c) => c.notNull())
      .addColumn("reason", "text", (c) => c.notNull())
      .addPrimaryKeyConstraint("lost_screenshots_pkey", [
        "execution_id",
        "delivery",
        "attempt",
        "browser",
        "number",
      ])
      .execute();
    await db.schema
      .createTable("execution_evidence")
      .addColumn("execution_id", "uuid", (c) => c.primaryKey())
      .addColumn("organization_id", "uuid", (c) => c.notNull())
      .addColumn("waits_since", "timestamptz")
      .addColumn("begun_at", "timestamptz")
      .addColumn("deleted_at", "timestamptz")
      .addColumn("plan", "text")
      .addColumn("days", "integer")
      .execute();
    await db.schema
      .createIndex("execution_evidence_by_organization")
      .on("execution_evidence")
      .columns(["organization_id", "waits_since", "execution_id"])
      .execute();
    await db.schema
      .createIndex("execution_evidence_begun")
      .on("execution_evidence")
      .columns(["begun_at", "execution_id"])
      .execute();
  },
  codecs: [executionDecider.codec],
  types,
  fold: async (into, events) => {
    const kept = events.filter((event) => event.type === "EvidenceKept");
    await insertRows(into, "artifacts", kept.map(rowOf), "ignore");
    const lost = events.filter((event) => event.type === "ScreenshotLost");
    await insertRows(into, "lost_screenshots", lost.map(lostRowOf), "ignore");
    await insertRows(into, "execution_evidence", leftBy(events), "ignore");
    await change(into, "waits_since", events.flatMap(endingOf));
    await change(into, "begun_at", events.flatMap(expiryOf));
    await dropDeleted(into, events.flatMap(deletionOf));
  },
});

type Event = AnyRecorded<OfEvidence>;

const executionOf = ({ stream }: Pick<Event, "stream">): string =>
  stream.slice(stream.indexOf("-") + 1);

/** A row for each execution that has left something, once. */
const leftBy = (events: readonly Event[]): Rows => {
  const rows = new Map<string, EvidenceTables["execution_evidence"]>();
  for (const event of events) {
    const leaves =
      event.type === "ScreenshotTaken" ||
      (event.type === "EvidenceKept" && event.data.key !== null);
    const execution_id = executionOf(event);
    if (!leaves || rows.has(execution_id)) continue;
    const organization_id = event.metadata.organization_id ?? "";
    const nothing = { waits_since: null, begun_at: null, deleted_at: null, plan: null, days: null };
    rows.set(execution_id, { execution_id, organization_id, ...nothing });
  }
  return [...rows.values()];
};

const endingOf = (event: Event) =>
  event.type === "ExecutionFinished" || event.type === "ExecutionCancelled"
    ? [{ execution_id: executionOf(event), waits_since: event.metadata.occurred_at }]
    : [];

const expiryOf = (event: Event) =>
  event.type === "EvidenceExpired"
    ? [{ execution_id: executionOf(event), begun_at: event.metadata.occurred_at }]
    : [];

const deletionOf = (event: Event) => {
  if (event.type !== "EvidenceDeleted") return [];
  const { at, plan, days } = event.data;
  return [{ execution_id: executionOf(event), deleted_at: at, plan, days }];
};

const change = async (
  into: Target,
  column: "waits_since" | "begun_at",
  rows: Rows,
): Promise<void> => {
  if (rows.length === 0) return;
  await sql`
    update ${sql.id(into.schema, "execution_evidence")} as e set ${sql.id(column)} = c.${sql.id(column)}
    from ${recordset(into, "execution_evidence", rows)} as c
    where e.execution_id = c.execution_id`.execute(into.db);
};

/** Deleted evidence has no pending work and no blobs. */
const dropDeleted = async (into: Target, rows: Rows): Promise<void> => {
  if (rows.length === 0) return;
  const deleted = recordset(into, "execution_evidence", rows);
  await sql`
    update ${sql.id(into.schema, "execution_evidence")} as e
    set waits_since = null, begun_at = null, deleted_at = c.deleted_at, plan = c.plan, days = c.days
    from ${deleted} as c where e.execution_id = c.execution_id`.execute(into.db);
  await sql`
    update ${sql.id(into.schema, "artifacts")} as a set blob_key = null
    from ${deleted} as c where a.execution_id = c.execution_id`.execute(into.db);
};

const rowOf = ({ stream, data, metadata }: AnyRecorded<Kept>): EvidenceTables["artifacts"] => ({
  execution_id: executionOf({ stream }),
  delivery: data.delivery,
  attempt: data.attempt,
  browser: data.browser,
  name: data.name,
  content_type: data.contentType,
  bytes: data.bytes,
  blob_key: data.key,
  absent: data.absent,
  kept_at: metadata.occurred_at,
});

const lostRowOf = ({ stream, data }: AnyRecorded<Lost>): LostScreenshot => ({
  execution_id: executionOf({ stream }),
  delivery: data.delivery,
  attempt: data.attempt,
  browser: data.browser,
  number: data.number,
  reason: data.reason,
});

/** A picture of a step that could not be kept. */
export type LostScreenshot = EvidenceTables["lost_screenshots"];

/** A file of an execution's last delivery. */
export type Artifact = EvidenceTables["artifacts"];

/** The deletion of the evidence of an execution: its time and the retention days of the plan. */
export type EvidenceDeletion = {
  readonly at: string;
  readonly plan: PlanCode;
  readonly days: number;
};

export type EvidenceQueries = ReturnType<typeof evidenceQueries>;

/** Queries of evidence. The caller authorises access when it looks up the execution. */
export const evidenceQueries = (database: Database["db"]) => {
  const db: Kysely<EvidenceTables & ExecutionTables> = database;
  return {
    /** The files of an execution, of every attempt in every browser; of its last delivery alone. */
    artifactsOf: async (executionId: string): Promise<Artifact[]> => {
      const { rows } = await sql<Artifact>`
        select a.* from artifacts as a join executions as e on e.id = a.execution_id
        where a.execution_id = ${executionId} and a.delivery = e.delivery
        order by a.attempt, a.browser, a.name`.execute(db);
      return rows;
    },

    /** The pictures of an execution's last delivery that could not be kept, and why. */
    lostScreenshotsOf: async (executionId: string): Promise<LostScreenshot[]> => {
      const { rows } = await sql<LostScreenshot>`
        select l.* from lost_screenshots as l join executions as e on e.id = l.execution_id
        where l.execution_id = ${executionId} and l.delivery = e.delivery
        order by l.attempt, l.browser, l.number`.execute(db);
      return rows;
    },

    /** The executions among these whose pictures and files are deleted. */
    deletionsOf: async (
      executionIds: readonly string[],
    ): Promise<ReadonlyMap<string, EvidenceDeletion>> => {
      if (executionIds.length === 0) return new Map();
      const rows = await db
        .selectFrom("execution_evidence")
        .select(["execution_id", "deleted_at", "plan", "days"])
        .where("execution_id", "in", executionIds)
        .where("deleted_at", "is not", null)
        .execute();
      return new Map(
        rows.map(({ execution_id, deleted_at: at, plan, days }) => [
          execution_id,
          { at: at ?? "", plan: plan ?? "free", days: days ?? 0 },
        ]),
      );
    },
  };
};
