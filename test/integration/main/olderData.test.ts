import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { projections } from "../../../src/main/core/projections.ts";
import { startService } from "../../../src/main.ts";
import { loadConfig, type Role } from "../../../src/platform/config.ts";
import { openDatabase } from "../../../src/platform/database/database.ts";
import { createLogger } from "../../../src/platform/logger.ts";
import { verifyProjection } from "../../../src/projections/kernel/verify.ts";
import { call, eventually, makeKey, signUp } from "../../support/client.ts";
import { createTestDatabase, type TestDatabase } from "../../support/postgres.ts";

/** The columns of each table of a read model, sorted, by `name@version`. */
type Shapes = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

const FILE = path.resolve(import.meta.dirname, "../../fixtures/readModels.json");

/** The data folder of an older release, opened by the current one. */
describe("data of an earlier release", () => {
  let database: TestDatabase;
  let dataDir: string;
  beforeAll(async () => {
    database = await createTestDatabase();
    dataDir = await mkdtemp(path.join(tmpdir(), "runledger-older-"));
  });
  afterAll(async () => {
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  });

  const start = async () => {
    const settings = {
      PORT: "0",
      DATA_DIR: dataDir,
      DATABASE_URL: database.url,
      RATE_LIMIT: "off",
    };
    const roles: Role[] = ["api", "projections", "dispatcher"];
    return startService({ ...loadConfig(settings), roles }, createLogger({ level: "error" }));
  };
  const asked = async <Row extends Record<string, unknown>>(text: string): Promise<Row[]> => {
    const { pool, close } = openDatabase(database.url, { max: 1 });
    try {
      return (await pool.query<Row>(text)).rows;
    } finally {
      await close();
    }
  };
  /** The schema of a read model's version of today. */
  const schemaOf = (name: string): string =>
    `${name}_v${projections.find((one) => one.name === name)?.version}`;
  /** Each table of a read model, which is another one when it was made anew. */
  const tables = async (): Promise<ReadonlyMap<string, number>> => {
    const rows = await asked<{ name: string; oid: number }>(
      `select nspname || '.' || relname as name, c.oid from pg_class c
       join pg_namespace n on n.oid = relnamespace where relkind = 'r' and nspname ~ '_v[0-9]+(_b[0-9]+)?$'`,
    );
    return new Map(rows.map(({ name, oid }) => [name, oid]));
  };

  it("is migrated, an outdated read model is rebuilt, others continue, and all match the log", async () => {
    const older = await start();
    const ann = await signUp(older.url ?? "");
    const { key } = await makeKey(older.url ?? "", ann);
    const create = (url: string | null, name: string) =>
      call(url ?? "", "POST", "/api/v1/tests", {
        bearer: key,
        body: { name, text: "Go to /", tags: ["old"] },
      });
    const first = await create(older.url, "First");
    expect(first.status).toBe(201);
    await older.stop();

    // As the release before left it: without the newest migration, and with an older version of one read model.
    await asked(
      "drop table audit_tree, audit_tree_edges, audit_tree_tiles, audit_anchors, audit_verifications",
    );
    await asked("delete from migrations where name = '096-audit-tree'");
    await asked(`alter schema ${schemaOf("tags")} rename to tags_v0`);
    await asked("update projection_checkpoints set version = 0 where name = 'tags'");
    await asked("update tags_v0.tags set name = 'as the older version had it'");
    // A rebuild from the beginning would repair this.
    const marked = await asked(
      `update ${schemaOf("organizations")}.organizations set name = 'not folded again' returning id`,
    );
    expect(marked.length).toBeGreaterThan(0);
    const before = await tables();

    const today = await start();
    await eventually(
      () =>
        asked<{ name: string }>("select name from projection_checkpoints where state <> 'shown'"),
      (rows) => rows.length === 0,
    );
    const versions = await asked<{ name: string; version: number; build: number }>(
      "select name, version, build from projection_checkpoints order by name",
    );
    expect(versions).toEqual(
      projections
        .map(({ name, version }) => ({ name, version, build: 1 }))
        .sort((a, b) => (a.name < b.name ? -1 : 1)),
    );
    const after = await tables();
    const isTags = (name: string) => name.startsWith("tags_v");
    const others = (all: ReadonlyMap<string, number>) =>
      [...all].filter(([name]) => !isTags(name)).sort();
    expect(others(after)).toEqual(others(before));
    const anew = ["tags", "test_tags"].map((table) => `${schemaOf("tags")}.${table}`);
    expect([...after.keys()].filter(isTags).sort()).toEqual(anew);
    expect(await asked("select to_regclass('pending_reports') is not null as there")).toEqual([
      { there: true },
    ]);
    expect(await asked("select distinct name from organizations")).toEqual([
      { name: "not folded again" },
    ]);
    expect(await asked("select name from tags")).toEqual([{ name: "old" }]);

    // Both the old and new data work.
    const second = await create(today.url, "Second");
    expect(second.status).toBe(201);
    const listed = await eventually(
      () => call(today.url ?? "", "GET", "/api/v1/tests?tag=old", { bearer: key }),
      ({ body }) => body.items.length === 2,
    );
    expect(listed.status).toBe(200);
    const { log } = today.platform;
    const never = new AbortController().signal;
    const differing = [];
    for (const projection of projections) {
      const { patient: db } = today.platform.database;
      const { outcome } = await verifyProjection({ log, db }, projection, never);
      if (outcome !== "equal") differing.push(projection.name);
    }
    // The mark alone.
    expect(differing).toEqual(["organizations"]);
    await today.stop();
  });

  it("fails if the tables of a read model change without a new version", async () => {
    const rows = await asked<{ schema: string; table: string; columns: string[] }>(
      `select table_schema as schema, table_name as table,
         array_agg(column_name || ' ' || udt_name || case is_nullable when 'YES' then ' null' else '' end order by column_name) as columns
       from information_schema.columns where table_schema ~ '_v[0-9]+$' group by 1, 2 order by 1, 2`,
    );
    const shapes: Record<string, Record<string, readonly string[]>> = {};
    for (const { name, version } of [...projections].sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const schema = `${name.replaceAll("-", "_")}_v${version}`;
      shapes[`${name}@${version}`] = Object.fromEntries(
        rows.filter((row) => row.schema === schema).map(({ table, columns }) => [table, columns]),
      );
    }
    const known: Shapes = JSON.parse(await readFile(FILE, "utf8"));
    for (const [name, shape] of Object.entries(shapes)) {
      const advice = known[name]
        ? `${name} is not what it was in this version: raise the version`
        : `add ${name} to test/fixtures/readModels.json: ${JSON.stringify(shape)}`;
      expect(shape, advice).toEqual(known[name]);
    }
  });
});
