import { type Kysely, sql } from "kysely";
import { type ExecutionEvent, executionDecider } from "../domain/runs/execution.ts";
import type { Database } from "../platform/database/database.ts";
import type { ExecutionTables } from "./executionTables.ts";
import { type AnyRecorded, defineBatchProjection } from "./kernel/projection.ts";
import { insertRows } from "./kernel/rows.ts";

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
};

type Kept = Extract<ExecutionEvent, { type: "EvidenceKept" }>;

export const evidenceProjection = defineBatchProjection<EvidenceTables, Kept>({
  name: "evidence",
  version: 1,
  tables: ["artifacts"],
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
  },
  codecs: [executionDecider.codec],
  types: ["EvidenceKept"],
  fold: async (into, events) => {
    await insertRows(into, "artifacts", events.map(rowOf), "ignore");
  },
});

const rowOf = ({ stream, data, metadata }: AnyRecorded<Kept>): EvidenceTables["artifacts"] => ({
  execution_id: stream.slice(stream.indexOf("-") + 1),
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

/** A file of an execution's last delivery. */
export type Artifact = EvidenceTables["artifacts"];

export type EvidenceQueries = ReturnType<typeof evidenceQueries>;

/** What executions left. Who may see it is decided where the execution is looked up. */
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
  };
};
