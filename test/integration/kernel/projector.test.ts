import pino from "pino";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { createCommandLoop } from "../../../src/commands/kernel/commandLoop.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import { type Database, openDatabase } from "../../../src/platform/database/database.ts";
import { migrate } from "../../../src/platform/database/migrate.ts";
import { newId } from "../../../src/platform/ids.ts";
import { applyBatch, FencedOffError } from "../../../src/projections/kernel/applyBatch.ts";
import { createPositions } from "../../../src/projections/kernel/positions.ts";
import { defineProjection, type Projection } from "../../../src/projections/kernel/projection.ts";
import { type Projector, startProjector } from "../../../src/projections/kernel/projector.ts";
import { prepareProjections } from "../../../src/projections/kernel/schemas.ts";
import { eventually } from "../../support/client.ts";
import { type Counted, counterDecider, systemContext } from "../../support/counter.ts";
import { startTestLog, type TestLog } from "../../support/log.ts";

type CounterTables = { counters: { id: string; total: number; note: string } };

const countersProjection = (name: string, version = 1, note = "v1"): Projection =>
  defineProjection<CounterTables, Counted>({
    name,
    version,
    tables: ["counters"],
    codecs: [counterDecider.codec],
    create: (db) =>
      db.schema
        .createTable("counters")
        .addColumn("id", "text", (column) => column.primaryKey())
        .addColumn("total", "integer", (column) => column.notNull())
        .addColumn("note", "text", (column) => column.notNull())
        .execute(),
    on: {
      Counted: async (db, event) => {
        if (event.data.name === "poison") throw new Error("this one cannot be folded");
        await db
          .insertInto("counters")
          .values({ id: event.stream, total: 1, note })
          .onConflict((conflict) =>
            conflict.column("id").doUpdateSet((eb) => ({ total: eb("counters.total", "+", 1) })),
          )
          .execute();
      },
    },
  });

describe("projector", () => {
  let started: TestLog;
  let database: Database;
  const running: Projector[] = [];
  const logger = pino({ level: "silent" });

  beforeAll(async () => {
    started = await startTestLog();
    database = openDatabase(started.databaseUrl);
    await migrate(database.db);
  });
  afterEach(async () => {
    for (const projector of running.splice(0)) await projector.stop();
    await database.db.schema.dropView("counters").ifExists().execute();
  });
  afterAll(async () => {
    await database.close();
    await started.stop();
  });

  const start = async (projections: readonly Projection[]) => {
    await prepareProjections(database.db, projections);
    const positions = createPositions();
    const projector = startProjector({
      log: started.log,
      db: database.db,
      projections,
      positions,
      logger,
      holder: newId(),
    });
    running.push(projector);
    return { projector, positions };
  };
  const count = async (id: string, name: string) => {
    const loop = createCommandLoop({ log: started.log, clock: systemClock });
    const done = await loop.execute(counterDecider, id, { name, limit: 99 }, systemContext());
    return done.position ?? -1n;
  };
  const totalOf = async (id: string) => {
    const row = await database.db
      .selectFrom("counters")
      .select(["total", "note"])
      .where("id", "=", `counter-${id}`)
      .executeTakeFirst();
    return row ? { total: Number(row.total), note: row.note } : null;
  };

  it("applies events from before and after its start once, up to its checkpoint", async () => {
    const id = newId();
    await count(id, "a");
    const { positions } = await start([countersProjection("first")]);
    const position = await count(id, "b");
    expect(await positions.waitFor(["first"], position, 60_000)).toBe(true);
    expect(await totalOf(id)).toEqual({ total: 2, note: "v1" });
    const row = await database.db
      .selectFrom("projection_checkpoints")
      .select("position")
      .where("name", "=", "first")
      .executeTakeFirstOrThrow();
    expect(row.position).toBe(position);
  });

  it("resumes after its checkpoint", async () => {
    const id = newId();
    const first = await start([countersProjection("resumed")]);
    await first.positions.waitFor(["resumed"], await count(id, "a"), 60_000);
    await first.projector.stop();
    const position = await count(id, "b");
    const second = await start([countersProjection("resumed")]);
    expect(await second.positions.waitFor(["resumed"], position, 60_000)).toBe(true);
    expect(await totalOf(id)).toEqual({ total: 2, note: "v1" });
  });

  it("parks a rejected event with its error and continues", async () => {
    const id = newId();
    const { positions } = await start([countersProjection("careful")]);
    await count(id, "a");
    await count(id, "poison");
    const position = await count(id, "b");
    expect(await positions.waitFor(["careful"], position, 60_000)).toBe(true);
    expect((await totalOf(id))?.total).toBe(2);
    const parked = await database.db
      .selectFrom("parked_events")
      .selectAll()
      .where("consumer", "=", "careful@1")
      .execute();
    expect(parked).toMatchObject([{ type: "Counted", error: "this one cannot be folded" }]);
  });

  it("has one leader, and another process takes over when it stops", async () => {
    const id = newId();
    const projections = [countersProjection("led")];
    const one = await start(projections);
    await one.positions.waitFor(["led"], await count(id, "a"), 60_000);
    const other = await start(projections);
    await one.positions.waitFor(["led"], await count(id, "b"), 60_000);
    await one.projector.stop();
    expect(await other.positions.waitFor(["led"], await count(id, "c"), 60_000)).toBe(true);
    expect((await totalOf(id))?.total).toBe(3);
  });

  it("rolls back a batch of a former leader", async () => {
    const id = newId();
    const projection = countersProjection("fenced");
    const { positions, projector } = await start([projection]);
    await positions.waitFor(["fenced"], await count(id, "a"), 60_000);
    await projector.stop();
    const stale = [{ projection, build: 1, position: null }];
    const events = [];
    for await (const event of started.log.readStream(`counter-${id}`)) events.push(event);
    const batch = { events, upTo: events.at(-1)?.position ?? -1n };
    await expect(applyBatch(database.db, stale, batch)).rejects.toBeInstanceOf(FencedOffError);
    expect((await totalOf(id))?.total).toBe(1);
  });

  it("shows the old version until the new one has caught up", async () => {
    const id = newId();
    const first = await start([countersProjection("grown", 1, "old")]);
    await first.positions.waitFor(["grown"], await count(id, "a"), 60_000);
    await first.projector.stop();
    await prepareProjections(database.db, [countersProjection("grown", 2, "new")]);
    expect((await totalOf(id))?.note).toBe("old");
    await start([countersProjection("grown", 2, "new")]);
    const shown = await eventually(
      () => totalOf(id),
      (row) => row?.note === "new",
    );
    expect(shown).toEqual({ total: 1, note: "new" });
  });

  it("shows a new version at the next start if its leader died after it had caught up", async () => {
    const id = newId();
    const first = await start([countersProjection("late", 1, "old")]);
    await first.positions.waitFor(["late"], await count(id, "a"), 60_000);
    await first.projector.stop();
    const next = countersProjection("late", 2, "new");
    await prepareProjections(database.db, [next]);
    const events = [];
    for await (const event of started.log.readAll({ after: null })) events.push(event);
    const batch = { events, upTo: events.at(-1)?.position ?? -1n };
    await applyBatch(database.db, [{ projection: next, build: 1, position: null }], batch);
    expect((await totalOf(id))?.note).toBe("old");
    await start([next]);
    const shown = await eventually(
      () => totalOf(id),
      (row) => row?.note === "new",
    );
    expect(shown).toEqual({ total: 1, note: "new" });
  });
});
