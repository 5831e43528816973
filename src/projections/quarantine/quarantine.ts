import { type Kysely, sql } from "kysely";
import { type QuarantineEvent, quarantineDecider } from "../../domain/quarantine/quarantine.ts";
import { defineProjection } from "../kernel/projection.ts";

export type QuarantineTables = {
  quarantines: {
    test_id: string;
    organization_id: string;
    until: string;
    reason: string;
    /** The time and the author of the quarantine. */
    started_at: string;
    started_by: unknown;
  };
};

/** Quarantined tests. An expired quarantine remains as a row: queries compare `until` with the current time. */
export const quarantineProjection = defineProjection<QuarantineTables, QuarantineEvent>({
  name: "quarantine",
  version: 1,
  tables: ["quarantines"],
  create: async (db) => {
    await db.schema
      .createTable("quarantines")
      .addColumn("test_id", "uuid", (c) => c.primaryKey())
      .addColumn("organization_id", "uuid", (c) => c.notNull())
      .addColumn("until", "timestamptz", (c) => c.notNull())
      .addColumn("reason", "text", (c) => c.notNull())
      .addColumn("started_at", "timestamptz", (c) => c.notNull())
      .addColumn("started_by", "jsonb", (c) => c.notNull())
      .execute();
  },
  codecs: [quarantineDecider.codec],
  on: {
    QuarantineStarted: async (db, { data, metadata }) => {
      const said = {
        until: data.until,
        reason: data.reason,
        started_at: metadata.occurred_at,
        started_by: JSON.stringify(metadata.actor),
      };
      await db
        .insertInto("quarantines")
        .values({
          test_id: data.testId,
          organization_id: metadata.organization_id ?? "",
          ...said,
        })
        .onConflict((conflict) => conflict.column("test_id").doUpdateSet(said))
        .execute();
    },
    QuarantineEnded: async (db, { data }) => {
      await db.deleteFrom("quarantines").where("test_id", "=", data.testId).execute();
    },
  },
});

export type QuarantineRow = QuarantineTables["quarantines"];

export type QuarantineQueries = ReturnType<typeof quarantineQueries>;

/** Queries on quarantines. */
export const quarantineQueries = (db: Kysely<QuarantineTables>) => ({
  /** The active quarantine of a test at an instant (ISO 8601), null if there is none. */
  findQuarantine: async (testId: string, at: string): Promise<QuarantineRow | null> => {
    const row = await db
      .selectFrom("quarantines")
      .selectAll()
      .where("test_id", "=", testId)
      .where("until", ">", at)
      .executeTakeFirst();
    return row ?? null;
  },

  /** The end times of the active quarantines of these tests at an instant (ISO 8601). */
  quarantinedUntil: async (
    testIds: readonly string[],
    at: string,
  ): Promise<ReadonlyMap<string, string>> => {
    if (testIds.length === 0) return new Map();
    const rows = await db
      .selectFrom("quarantines")
      .select(["test_id", "until"])
      .where(sql<boolean>`test_id = any(${[...testIds]}::uuid[])`)
      .where("until", ">", at)
      .execute();
    return new Map(rows.map(({ test_id, until }) => [test_id, until]));
  },
});
