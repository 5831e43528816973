import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type Database,
  openDatabase,
  prepared,
} from "../../../../src/platform/database/database.ts";
import { migrate } from "../../../../src/platform/database/migrate.ts";
import { migrations } from "../../../../src/platform/database/migrations/index.ts";
import { listen } from "../../../../src/platform/database/notifications.ts";
import { createTestDatabase, type TestDatabase } from "../../../support/postgres.ts";

let target: TestDatabase;
let database: Database;

beforeAll(async () => {
  target = await createTestDatabase();
  database = openDatabase(target.url);
});

afterAll(async () => {
  await database?.close();
  await target?.drop();
});

describe("values", () => {
  it("parse positions as bigint, times as ISO strings, and JSON", async () => {
    const { rows } = await sql<Record<string, unknown>>`
      SELECT 9007199254740993::int8 AS position,
             timestamptz '2026-03-01 10:11:12.3456+02' AS at,
             date '2026-03-01' AS day,
             '{"a":[1,null]}'::jsonb AS data,
             NULL::timestamptz AS missing`.execute(database.db);
    expect(rows).toEqual([
      {
        position: 9007199254740993n,
        at: "2026-03-01T08:11:12.345Z",
        day: "2026-03-01",
        data: { a: [1, null] },
        missing: null,
      },
    ]);
  });

  it("accept bigint and ISO strings as parameters", async () => {
    const { rows } = await sql<Record<string, unknown>>`
      SELECT ${2n ** 62n}::int8 AS position, ${"2026-03-01T10:11:12.345Z"}::timestamptz AS at`.execute(
      database.db,
    );
    expect(rows).toEqual([{ position: 2n ** 62n, at: "2026-03-01T10:11:12.345Z" }]);
  });
});

describe("prepared statements", () => {
  it("are reused by name, also after an error", async () => {
    const one = openDatabase(target.url, { max: 1 });
    const half = (of: number) =>
      sql<{ half: number }>`${prepared} SELECT 100 / ${of}::int4 AS half`.execute(one.db);
    try {
      await expect(half(0)).rejects.toThrow("division by zero");
      await expect(
        one.db.transaction().execute(async (trx) => {
          await sql`SELECT 1`.execute(trx);
          await sql`${prepared} SELECT ${1}::int4 / 0`.execute(trx);
        }),
      ).rejects.toThrow("division by zero");
      expect((await half(2)).rows).toEqual([{ half: 50 }]);
      expect((await half(4)).rows).toEqual([{ half: 25 }]);
      const { rows } = await sql`SELECT 1 FROM pg_prepared_statements
        WHERE statement LIKE '%SELECT 100 / %'`.execute(one.db);
      expect(rows).toHaveLength(1);
    } finally {
      await one.close();
    }
  });
});

describe("connections", () => {
  it("recover after the server ends them, idle or in a transaction", async () => {
    await sql`SELECT 1`.execute(database.db);
    const held = await database.pool.connect();
    await held.query("BEGIN");
    await withOther(async (other) => {
      await sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE datname = current_database() AND pid <> pg_backend_pid()`.execute(other.db);
      // It is only asked to go, and may be a moment about it.
      const left = () =>
        sql`SELECT 1 FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid()`.execute(other.db);
      await expect.poll(async () => (await left()).rows).toEqual([]);
    });
    await expect(held.query("SELECT 1")).rejects.toThrow();
    held.release(true);
    const { rows } = await sql<{ one: number }>`SELECT 1 AS one`.execute(database.db);
    expect(rows).toEqual([{ one: 1 }]);
  });
});

describe("migrations", () => {
  it("of a stalled process release their locks to others", async () => {
    await sql`CREATE TABLE leaders (name text PRIMARY KEY, position int)`.execute(database.db);
    await sql`INSERT INTO leaders VALUES ('projector', 1)`.execute(database.db);
    let wake: () => void = () => undefined;
    let isLocked: () => void = () => undefined;
    const locked = new Promise<void>((resolve) => {
      isLocked = resolve;
    });
    const standing = database.db.transaction().execute(async (trx) => {
      await sql`UPDATE leaders SET position = 2`.execute(trx);
      isLocked();
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
      await sql`UPDATE leaders SET position = 3`.execute(trx);
    });
    const failure = standing.then(
      () => null,
      (error: unknown) => error,
    );
    await locked;
    await sql`UPDATE leaders SET position = position + 10`.execute(database.db);
    wake();
    expect(await failure).toBeInstanceOf(Error);
    const { rows } = await sql<{ position: number }>`SELECT position FROM leaders`.execute(
      database.db,
    );
    expect(rows).toEqual([{ position: 11 }]);
  });

  it("are each applied once by eight concurrent processes", async () => {
    const all = Array.from({ length: 8 }, () => openDatabase(target.url, { max: 2 }));
    const applied = (await Promise.all(all.map(({ patient }) => migrate(patient)))).flat();
    await Promise.all(all.map((each) => each.close()));
    expect([...applied].sort()).toEqual(Object.keys(migrations).sort());
    expect(await migrate(database.db)).toEqual([]);
  });
});

describe("notifications", () => {
  it("resume after the connection of the listener is cut", async () => {
    const heard: string[] = [];
    let connections = 0;
    const listener = listen(target.url, "some-channel", (payload) => heard.push(payload), {
      onConnected: () => {
        connections += 1;
      },
    });
    await listener.ready;
    await sql`SELECT pg_notify('some-channel', 'first')`.execute(database.db);
    await expect.poll(() => heard).toEqual(["first"]);
    await sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
              WHERE application_name = 'runledger listen some-channel'`.execute(database.db);
    await expect.poll(() => connections).toBe(2);
    await sql`SELECT pg_notify('some-channel', 'second')`.execute(database.db);
    await expect.poll(() => heard).toEqual(["first", "second"]);
    await listener.close();
  });

  it("end a listener that cannot connect", async () => {
    const listener = listen("postgres://nobody@127.0.0.1:1/none", "c", () => undefined);
    await listener.close();
    await expect(listener.ready).resolves.toBeUndefined();
  });
});

const withOther = async (use: (other: Database) => Promise<void>): Promise<void> => {
  const other = openDatabase(target.url, { max: 1 });
  await use(other);
  await other.close();
};
