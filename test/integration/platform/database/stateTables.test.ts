import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { movePositions } from "../../../../src/main/backup/tableRows.ts";
import { type Database, openDatabase } from "../../../../src/platform/database/database.ts";
import { migrate } from "../../../../src/platform/database/migrate.ts";
import {
  backedUpTables,
  positionColumns,
  rebuiltTables,
} from "../../../../src/stores/kernel/stateTables.ts";
import { createTestDatabase, type TestDatabase } from "../../../support/postgres.ts";

/** The tables in a backup. A new table belongs in one of the two lists of stateTables.ts. */
describe("state tables", () => {
  let test: TestDatabase;
  let database: Database;

  beforeAll(async () => {
    test = await createTestDatabase();
    database = openDatabase(test.url);
    await migrate(database.patient);
  });
  afterAll(async () => {
    await database.close();
    await test.drop();
  });

  it("are each either backed up or recreated", async () => {
    const { rows } = await database.pool.query<{ name: string }>(
      "select tablename as name from pg_tables where schemaname = 'public' order by 1",
    );
    const listed = [...backedUpTables, ...rebuiltTables].sort();
    expect(listed).toEqual(rows.map(({ name }) => name));
  });

  it("are restored after the tables that they reference", async () => {
    const { rows } = await database.pool.query<{ child: string; parent: string }>(
      `select conrelid::regclass::text as child, confrelid::regclass::text as parent
       from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace`,
    );
    expect(rows.length).toBeGreaterThan(2);
    for (const { child, parent } of rows) {
      expect([child, backedUpTables.indexOf(parent) < backedUpTables.indexOf(child)]).toEqual([
        child,
        true,
      ]);
    }
  });

  it("with a log position are known and translated to another log", async () => {
    const { rows } = await database.pool.query<{ table: string; column: string }>(
      `select table_name as table, column_name as column from information_schema.columns
       where table_schema = 'public' and column_name like '%position%' and data_type = 'bigint'
       and table_name = any($1)`,
      [backedUpTables],
    );
    const named = ({ table, column }: { table: string; column: string }) => `${table}.${column}`;
    expect(rows.map(named).sort()).toEqual(positionColumns.map(named).sort());

    const { pool } = database;
    for (const position of [1, 2, 3, 7]) {
      await pool.query(
        `insert into parked_events (consumer, position, event_id, type, error)
         values ('reactor:one', $1, gen_random_uuid(), 'Happened', 'refused')`,
        [position],
      );
    }
    await pool.query(
      "insert into reactor_checkpoints (name, position) values ('one', 7), ('event-index', 7), ('new', null)",
    );
    const client = await pool.connect();
    await movePositions(client, (position) => position + 1n);
    client.release();
    const parked = await pool.query("select position::text from parked_events order by 1");
    expect(parked.rows.map(({ position }) => position)).toEqual(["2", "3", "4", "8"]);
    const checkpoints = await pool.query(
      "select name, position::text from reactor_checkpoints order by 1",
    );
    expect(checkpoints.rows).toEqual([
      { name: "new", position: null },
      { name: "one", position: "8" },
    ]);
  });
});
