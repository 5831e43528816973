import { type RunEvent, runDecider, type Totals } from "../domain/runs/run.ts";
import { defineProjection } from "./kernel/projection.ts";

export type RunTables = {
  runs: Totals & {
    id: string;
    organization_id: string;
    project_id: string | null;
    status: "queued" | "running" | "passed" | "failed" | "errored";
    /** Who asked for it: the actor of the event. A person's name is joined when read. */
    actor_type: string;
    actor_id: string;
    actor_name: string | null;
    target: string;
    browsers: unknown;
    base_url: string | null;
    grammar_version: number;
    quota_period: string;
    queued_at: string;
    started_at: string | null;
    finished_at: string | null;
    updated_at: string;
    version: number;
  };
};

export const runsProjection = defineProjection<RunTables, RunEvent>({
  name: "runs",
  version: 1,
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
      .addColumn("passed", "integer", (c) => c.notNull())
      .addColumn("failed", "integer", (c) => c.notNull())
      .addColumn("flaky", "integer", (c) => c.notNull())
      .addColumn("errored", "integer", (c) => c.notNull())
      .addColumn("cancelled", "integer", (c) => c.notNull())
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
  on: {
    RunQueued: async (db, { data, metadata, revision }) => {
      await db
        .insertInto("runs")
        .values({
          id: data.runId,
          organization_id: metadata.organization_id ?? "",
          project_id: data.projectId,
          status: "queued",
          actor_type: metadata.actor.type,
          actor_id: metadata.actor.id,
          actor_name: metadata.actor.name ?? null,
          target: data.target,
          browsers: JSON.stringify(data.browsers),
          base_url: data.baseUrl,
          grammar_version: data.grammarVersion,
          quota_period: data.quotaPeriod,
          passed: 0,
          failed: 0,
          flaky: 0,
          errored: 0,
          cancelled: 0,
          queued_at: metadata.occurred_at,
          started_at: null,
          finished_at: null,
          updated_at: metadata.occurred_at,
          version: Number(revision) + 1,
        })
        .execute();
    },
    RunStarted: async (db, { data, metadata, revision }) => {
      await db
        .updateTable("runs")
        .set({
          status: "running",
          started_at: metadata.occurred_at,
          updated_at: metadata.occurred_at,
          version: Number(revision) + 1,
        })
        .where("id", "=", data.runId)
        .execute();
    },
    RunExecutionFinished: async (db, { data, metadata, revision }) => {
      await db
        .updateTable("runs")
        .set((eb) => ({
          [data.status]: eb(data.status, "+", 1),
          updated_at: metadata.occurred_at,
          version: Number(revision) + 1,
        }))
        .where("id", "=", data.runId)
        .execute();
    },
    RunFinished: async (db, { data, metadata, revision }) => {
      await db
        .updateTable("runs")
        .set({
          ...data.totals,
          status: data.status,
          finished_at: metadata.occurred_at,
          updated_at: metadata.occurred_at,
          version: Number(revision) + 1,
        })
        .where("id", "=", data.runId)
        .execute();
    },
  },
});
