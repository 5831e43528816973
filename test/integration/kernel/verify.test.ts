import { setTimeout as delay } from "node:timers/promises";
import fc from "fast-check";
import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { newId } from "../../../src/platform/ids.ts";
import { type Verification, verifyProjection } from "../../../src/projections/kernel/verify.ts";
import { countersProjection } from "../../support/countersProjection.ts";
import { type ProjectionKit, startProjectionKit } from "../../support/projectionKit.ts";

const never = new AbortController().signal;

describe("verifying a projection", () => {
  let kit: ProjectionKit;

  beforeAll(async () => {
    kit = await startProjectionKit();
  });
  afterEach(() => kit.stopProjectors());
  afterAll(() => kit.stop());

  const startOne = async (name: string) => {
    const projection = countersProjection(name, { table: name });
    const { positions } = await kit.start([projection]);
    const operations = kit.operations([projection]);
    return {
      count: async (id: string, what: string) => {
        const position = await kit.count(id, what);
        expect(await positions.waitFor([name], position, 60_000)).toBe(true);
        return position;
      },
      rows: sql.id(`${name}_v1`, name),
      verify: async (): Promise<Extract<Verification, { tables: unknown }>> => {
        const id = await operations.requestVerification(name);
        const found = await operations.waitForVerification(id ?? "", never);
        if (!found || found.outcome === "not_shown") throw new Error("It was not compared");
        return found;
      },
    };
  };

  it("reports equal rows with counts while events arrive, and leaves nothing behind", async () => {
    const one = await startOne("equal");
    await one.count(newId(), "a");
    const writing = new AbortController();
    const write = async () => {
      // The later tests read this log too: it stays short.
      while (!writing.signal.aborted) {
        await kit.countMany(newId(), ["x", "y"]);
        await delay(20);
      }
    };
    const written = write();
    for (let n = 0; n < 3; n += 1) {
      const found = await one.verify();
      expect(found).toMatchObject({ outcome: "equal", refused: 0, first: null });
      expect(found.tables[0]?.rows).toBe(found.tables[0]?.expected);
      expect(found.tables[0]?.rows).toBeGreaterThan(0);
    }
    writing.abort();
    await written;
    const { rows } = await kit.database.pool.query(
      "select nspname from pg_namespace where nspname like 'equal_v1_b%'",
    );
    expect(rows).toEqual([]);
  });

  it("names the event that a row missed", async () => {
    const one = await startOne("missed");
    const id = newId();
    await one.count(id, "a");
    const position = await one.count(id, "b");
    await one.count(id, "poison c");
    await sql`update ${one.rows} set total = 1 where id = ${`counter-${id}`}`.execute(kit.db);
    const found = await one.verify();
    expect(found).toMatchObject({
      outcome: "differs",
      refused: 1,
      tables: [{ table: "missed", differing: 1 }],
      first: {
        table: "missed",
        key: { id: `counter-${id}` },
        kind: "changed",
        column: "total",
        live: { value: 1 },
        expected: { value: 2 },
        event: { type: "Counted", stream: `counter-${id}`, position: String(position) },
      },
    });
  });

  it("names an altered text column without its content", async () => {
    const one = await startOne("altered");
    const id = newId();
    const position = await one.count(id, "a");
    await one.count(id, "b");
    await sql`update ${one.rows} set note = 'hunter2' where id = ${`counter-${id}`}`.execute(
      kit.db,
    );
    const { first } = await one.verify();
    expect(first).toMatchObject({ column: "note", event: { position: String(position) } });
    expect(first?.live?.digest).toMatch(/^[0-9a-f]{16}$/);
    expect(first?.live?.digest).not.toBe(first?.expected?.digest);
    expect(JSON.stringify(first)).not.toContain("hunter2");
  });

  it("names the last event of a missing row", async () => {
    const one = await startOne("gone");
    const id = newId();
    const position = await one.count(id, "a");
    await sql`delete from ${one.rows} where id = ${`counter-${id}`}`.execute(kit.db);
    const { first } = await one.verify();
    expect(first).toMatchObject({
      kind: "missing",
      key: { id: `counter-${id}` },
      live: null,
      event: { position: String(position) },
    });
  });

  it("completes if the log has no event for longer than a transaction may idle", async () => {
    const projection = countersProjection("patient", { table: "patient" });
    const { positions } = await kit.start([projection]);
    const position = await kit.count(newId(), "a");
    expect(await positions.waitFor(["patient"], position, 60_000)).toBe(true);
    const log = {
      ...kit.log,
      readAll: async function* (asked: Parameters<typeof kit.log.readAll>[0]) {
        await delay(3_500);
        yield* kit.log.readAll(asked);
      },
    };
    expect((await verifyProjection({ log, db: kit.db }, projection, never)).outcome).toBe("equal");
  });

  it("finds any one altered, removed or added row", async () => {
    const projection = countersProjection("any", { table: "any" });
    await kit.start([projection]);
    await kit.settled([projection]);
    const ids = Array.from({ length: 8 }, () => newId());
    for (const id of ids) await kit.countMany(id, ["a", "b"]);
    await kit.stopProjectors();
    await kit.operations([projection]).requestRebuild("any");
    const { positions } = await kit.start([projection]);
    await kit.settled([projection]);
    await positions.waitFor(["any"], (await kit.log.head()) ?? -1n, 60_000);
    await kit.stopProjectors();
    const rows = sql.id("any_v1_b2", "any");
    const verify = async () => {
      const found = await verifyProjection(kit, projection, never);
      if (found.outcome === "not_shown") throw new Error("It was not compared");
      return found;
    };
    expect((await verify()).outcome).toBe("equal");
    const damage = fc.record({
      id: fc.constantFrom(...ids),
      what: fc.constantFrom("total", "note", "removed", "put in"),
      by: fc.integer({ min: 1, max: 1_000 }),
    });
    const damaging = async ({ id, what, by }: { id: string; what: string; by: number }) => {
      const key = `counter-${id}`;
      const before = await sql<{ total: number; note: string }>`
        select * from ${rows} where id = ${key}`.execute(kit.db);
      const [row] = before.rows;
      if (what === "total")
        await sql`update ${rows} set total = total + ${by} where id = ${key}`.execute(kit.db);
      if (what === "note")
        await sql`update ${rows} set note = note || ${String(by)} where id = ${key}`.execute(
          kit.db,
        );
      if (what === "removed") await sql`delete from ${rows} where id = ${key}`.execute(kit.db);
      const added = `counter-${by}`;
      if (what === "put in")
        await sql`insert into ${rows} values (${added}, 1, 'v1')`.execute(kit.db);
      const { first, tables } = await verify();
      await sql`delete from ${rows} where id in (${key}, ${added})`.execute(kit.db);
      await sql`insert into ${rows} values (${key}, ${row?.total}, ${row?.note})`.execute(kit.db);
      expect(tables[0]?.differing).toBe(1);
      expect(first?.key).toEqual({ id: what === "put in" ? added : key });
      expect(first?.kind).toBe(
        what === "put in" ? "extra" : what === "removed" ? "missing" : "changed",
      );
    };
    await fc.assert(fc.asyncProperty(damage, damaging), { numRuns: 12 });
    expect((await verify()).outcome).toBe("equal");
  }, 180_000);

  it("reports a row without an event", async () => {
    const one = await startOne("invented");
    await one.count(newId(), "a");
    await sql`insert into ${one.rows} values ('counter-of-nobody', 1, 'v1')`.execute(kit.db);
    const { first } = await one.verify();
    expect(first).toMatchObject({
      kind: "extra",
      key: { id: "counter-of-nobody" },
      expected: null,
      event: null,
    });
  });
});
