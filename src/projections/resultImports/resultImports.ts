import type { Kysely } from "kysely";
import type { RunEvent } from "../../domain/runs/events.ts";
import { runDecider } from "../../domain/runs/run.ts";
import { type AnyRecorded, defineBatchProjection } from "../kernel/projection.ts";
import { insertRows } from "../kernel/rows.ts";

export type ResultImportTables = {
  /** Tests that are known from reports of others alone. */
  imported_tests: {
    id: string;
    organization_id: string;
    /** Ours, that the report was sent for. */
    project_id: string | null;
    suite: string;
    class_name: string;
    name: string;
    /** The project of their tool, where it is no browser. */
    tool_project: string | null;
    created_at: string;
    updated_at: string;
    last_run_id: string;
  };
};

type Folded = Extract<RunEvent, { type: "ResultsImported" }>;

/** The tests that others' reports name, each once. */
export const resultImportsProjection = defineBatchProjection<ResultImportTables, Folded>({
  name: "result-imports",
  version: 1,
  tables: ["imported_tests"],
  create: async (db) => {
    await db.schema
      .createTable("imported_tests")
      .addColumn("id", "uuid", (c) => c.primaryKey())
      .addColumn("organization_id", "uuid", (c) => c.notNull())
      .addColumn("project_id", "uuid")
      .addColumn("suite", "text", (c) => c.notNull())
      .addColumn("class_name", "text", (c) => c.notNull())
      .addColumn("name", "text", (c) => c.notNull())
      .addColumn("tool_project", "text")
      .addColumn("created_at", "timestamptz", (c) => c.notNull())
      .addColumn("updated_at", "timestamptz", (c) => c.notNull())
      .addColumn("last_run_id", "uuid", (c) => c.notNull())
      .execute();
  },
  codecs: [runDecider.codec],
  // The last report that names a test says when it was last seen.
  ordersTheLog: true,
  types: ["ResultsImported"],
  fold: async (into, events) => {
    const tests = new Map<string, ResultImportTables["imported_tests"]>();
    for (const event of events) {
      for (const row of testsIn(event)) {
        tests.set(row.id, { ...row, created_at: tests.get(row.id)?.created_at ?? row.created_at });
      }
    }
    await insertRows(into, "imported_tests", [...tests.values()], {
      key: ["id"],
      set: ["updated_at", "last_run_id"],
    });
  },
});

const testsIn = ({
  data,
  metadata,
}: AnyRecorded<Folded>): readonly ResultImportTables["imported_tests"][] =>
  data.results.map(({ testId, suite, className, name, project }) => ({
    id: testId,
    organization_id: metadata.organization_id ?? "",
    project_id: data.projectId,
    suite,
    class_name: className,
    name,
    tool_project: project ?? null,
    created_at: metadata.occurred_at,
    updated_at: metadata.occurred_at,
    last_run_id: data.runId,
  }));

export type ImportedTest = ResultImportTables["imported_tests"];

export type ResultImportQueries = ReturnType<typeof resultImportQueries>;

/** Tests of others as read models have them. Whose they are comes with them. */
export const resultImportQueries = (db: Kysely<ResultImportTables>) => ({
  /** A test that is known from reports alone, whosever it is; null when there is none of that id. */
  findImportedTest: async (id: string): Promise<ImportedTest | null> => {
    const row = await db
      .selectFrom("imported_tests")
      .selectAll()
      .where("id", "=", id)
      .executeTakeFirst();
    return row ?? null;
  },

  /** The ids among these that are tests of an organisation known only from reports. */
  importedAmong: async (organizationId: string, ids: readonly string[]): Promise<string[]> => {
    if (ids.length === 0) return [];
    const rows = await db
      .selectFrom("imported_tests")
      .select("id")
      .where("organization_id", "=", organizationId)
      .where("id", "in", ids)
      .execute();
    return rows.map(({ id }) => id);
  },
});
