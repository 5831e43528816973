import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { createCommandLoop } from "../../../src/commands/kernel/commandLoop.ts";
import type { Decider } from "../../../src/domain/kernel/decider.ts";
import { defineCodec, type EventOf } from "../../../src/domain/kernel/events.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import { newId } from "../../../src/platform/ids.ts";
import { createLogger } from "../../../src/platform/logger.ts";
import { defineProjection } from "../../../src/projections/kernel/projection.ts";
import { startReactor } from "../../../src/workers/kernel/reactor.ts";
import { eventually } from "../../support/client.ts";
import { systemContext } from "../../support/counter.ts";
import { countersProjection } from "../../support/countersProjection.ts";
import { type ProjectionKit, startProjectionKit } from "../../support/projectionKit.ts";

/** The counter of a later release: the counted field has another name, and entries have weights. */
const later = { Counted: z.object({ label: z.string(), total: z.int(), weight: z.int() }) };
type Later = EventOf<typeof later>;
type Weighed = { readonly weight: number; readonly labels: readonly string[] };

const codec = defineCodec(later, {
  schemaVersion: 2,
  upcast: (_type, data, storedVersion) => {
    if (storedVersion !== 1) throw new Error(`There never was a version ${storedVersion}`);
    const { name, total } = data as { name: string; total: number };
    return { label: name, total, weight: 1 };
  },
});
const laterDecider: Decider<Weighed, { readonly label: string; readonly weight: number }, Later> = {
  category: "counter",
  initial: { weight: 0, labels: [] },
  codec,
  evolve: ({ weight, labels }, { data }) => ({
    weight: weight + data.weight,
    labels: [...labels, data.label],
  }),
  decide: ({ label, weight }, { labels }) =>
    labels.includes(label)
      ? []
      : [{ type: "Counted", data: { label, weight, total: labels.length + 1 } }],
};
const laterCounters = defineProjection<{ weighed: { id: string; weight: number } }, Later>({
  name: "weighed",
  version: 2,
  tables: ["weighed"],
  codecs: [codec],
  create: (db) =>
    db.schema
      .createTable("weighed")
      .addColumn("id", "text", (column) => column.primaryKey())
      .addColumn("weight", "integer", (column) => column.notNull())
      .execute(),
  on: {
    Counted: async (db, { stream: id, data: { weight } }) => {
      await db
        .insertInto("weighed")
        .values({ id, weight })
        .onConflict((conflict) =>
          conflict
            .column("id")
            .doUpdateSet((eb) => ({ weight: eb("weighed.weight", "+", weight) })),
        )
        .execute();
    },
  },
});

/** Events of two schema versions in one log, and processes of two releases that read it. */
describe("events of an earlier version", () => {
  let kit: ProjectionKit;
  beforeAll(async () => {
    kit = await startProjectionKit();
  });
  afterAll(() => kit.stop());

  it("are upcast for commands, read models and reactors, and remain unchanged in the log", async () => {
    const id = newId();
    const seen: unknown[] = [];
    const older = countersProjection("weighed", { table: "weighed", version: 1 });
    await kit.start([older]);
    await kit.settled([older]);
    for (const name of ["a", "b"]) await kit.count(id, name);
    await kit.stopProjectors();

    // A new process has only the log and the tables.
    const loop = createCommandLoop({ log: kit.log, clock: systemClock });
    expect((await loop.load(laterDecider, id)).state).toEqual({ weight: 2, labels: ["a", "b"] });
    const again = { label: "b", weight: 9 };
    expect((await loop.execute(laterDecider, id, again, systemContext())).events).toEqual([]);
    const { state } = await loop.execute(
      laterDecider,
      id,
      { label: "c", weight: 5 },
      systemContext(),
    );
    expect(state).toEqual({ weight: 7, labels: ["a", "b", "c"] });

    const stored = [];
    for await (const { data, metadata } of kit.log.readStream(`counter-${id}`)) {
      stored.push([
        metadata.schema_version,
        Object.keys(data as object)
          .sort()
          .join(),
      ]);
    }
    expect(stored).toEqual([
      [1, "name,total"],
      [1, "name,total"],
      [2, "label,total,weight"],
    ]);

    // Its read model of version 1 had two rows' worth; version 2 is folded anew beside it, and not from them.
    await kit.start([laterCounters]);
    await kit.settled([laterCounters]);
    const row = () =>
      kit.db.selectFrom("weighed").selectAll().where("id", "=", `counter-${id}`).executeTakeFirst();
    await eventually(row, (found) => found?.weight === 7);
    expect(await row()).toEqual({ id: `counter-${id}`, weight: 7 });

    const reactor = startReactor<Later>({
      ...{ name: "weigher", log: kit.log, db: kit.db, holder: newId() },
      ...{ logger: createLogger({ level: "silent" }), codecs: [codec] },
      on: {
        Counted: async ({ data }) => {
          seen.push(data);
        },
      },
    });
    await eventually(
      async () => seen.length,
      (count) => count === 3,
    );
    await reactor.stop();
    expect(seen).toEqual([
      { label: "a", total: 1, weight: 1 },
      { label: "b", total: 2, weight: 1 },
      { label: "c", total: 3, weight: 5 },
    ]);
  });
});
