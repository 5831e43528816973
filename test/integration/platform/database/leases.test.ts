import { type KyselyPlugin, sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Database, openDatabase } from "../../../../src/platform/database/database.ts";
import { migrate } from "../../../../src/platform/database/migrate.ts";
import { newId } from "../../../../src/platform/ids.ts";
import { runWhileLeader } from "../../../../src/platform/leases.ts";
import { createLogger } from "../../../../src/platform/logger.ts";
import { sleep } from "../../../../src/platform/sleep.ts";
import { eventually } from "../../../support/client.ts";
import { createTestDatabase, type TestDatabase } from "../../../support/postgres.ts";

const LONG_MS = 60_000;
const holder = newId();

describe("leases of a process", () => {
  let testDatabase: TestDatabase;
  let database: Database;
  beforeAll(async () => {
    testDatabase = await createTestDatabase();
    database = openDatabase(testDatabase.url);
    await migrate(database.db);
  });
  afterAll(async () => {
    await database.close();
    await testDatabase.drop();
  });

  const expiries = async (): Promise<ReadonlyMap<string, number>> => {
    const { rows } = await sql<{ name: string; at: number }>`
      select name, extract(epoch from expires_at)::double precision as at from leaderships
      where holder = ${holder}`.execute(database.db);
    return new Map(rows.map(({ name, at }) => [name, at]));
  };

  it("are renewed in one statement, and losing one stops only its holder", async () => {
    let statements = 0;
    const counter: KyselyPlugin = {
      transformQuery: ({ node }) => {
        statements += 1;
        return node;
      },
      transformResult: async ({ result }) => result,
    };
    const db = database.db.withPlugin(counter);
    const names = ["a", "b", "c", "d", "e"];
    const over = new Set<string>();
    const logger = createLogger({ level: "silent" });
    const leaders = names.map((name) =>
      runWhileLeader({
        ...{ name, db, holder, logger },
        work: async (signal) => {
          await sleep(LONG_MS, signal);
          over.add(name);
        },
      }),
    );
    const begun = await eventually(expiries, ({ size }) => size === names.length);
    const [taken, since] = [statements, performance.now()];
    const later = (than: ReadonlyMap<string, number>) =>
      eventually(expiries, (now) =>
        names.every((name) => (now.get(name) ?? 0) > (than.get(name) ?? 0)),
      );
    const once = await later(begun);
    await later(once);
    // Each was taken by itself; each renewal, once a second, is one statement for all.
    const seconds = Math.ceil((performance.now() - since) / 1_000);
    expect(statements - taken).toBeLessThanOrEqual(seconds + 1);
    expect([...over]).toEqual([]);

    await sql`update leaderships set holder = ${newId()}, expires_at = now() + interval '1 hour'
      where name = 'c'`.execute(database.db);
    await eventually(
      async () => over.size,
      (size) => size > 0,
    );
    expect([...over]).toEqual(["c"]);
    await Promise.all(leaders.map(({ stop }) => stop()));
    expect([...over].sort()).toEqual(names);
    expect((await expiries()).size).toBe(0);
  });
});
