import pino from "pino";
import { type CommandLoop, createCommandLoop } from "../../src/commands/kernel/commandLoop.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { type Database, openDatabase } from "../../src/platform/database/database.ts";
import { migrate } from "../../src/platform/database/migrate.ts";
import type { EventLog } from "../../src/platform/eventLog/port.ts";
import { newId } from "../../src/platform/ids.ts";
import { projectionOperations } from "../../src/projections/kernel/operations.ts";
import { createPositions, type Positions } from "../../src/projections/kernel/positions.ts";
import type { Projection } from "../../src/projections/kernel/projection.ts";
import { type Projector, startProjector } from "../../src/projections/kernel/projector.ts";
import { prepareProjections } from "../../src/projections/kernel/schemas.ts";
import { eventually } from "./client.ts";
import { counterDecider, systemContext } from "./counter.ts";
import { startTestLog } from "./log.ts";

export type ProjectionKit = Awaited<ReturnType<typeof startProjectionKit>>;

/** Starts projectors on a log and a database of their own. */
export const startProjectionKit = async () => {
  const started = await startTestLog();
  const database = openDatabase(started.databaseUrl);
  await migrate(database.patient);
  const { log } = started;
  const { db, patient } = database;
  const running: Projector[] = [];
  const loop = createCommandLoop({ log, clock: systemClock });
  const stopProjectors = async (): Promise<void> => {
    for (const projector of running.splice(0)) await projector.stop();
  };
  return {
    ...started,
    database,
    db,
    start: async (
      projections: readonly Projection[],
      positions: Positions = createPositions(),
    ): Promise<{ projector: Projector; positions: Positions }> => {
      await prepareProjections(patient, projections);
      const projector = startProjector({
        ...{ log, db, patient, projections, positions },
        logger: pino({ level: "silent" }),
        holder: newId(),
      });
      running.push(projector);
      return { projector, positions };
    },
    settled: settled.bind(null, db),
    count: count.bind(null, loop),
    countMany: countMany.bind(null, log),
    totalOf: totalOf.bind(null, db),
    operations: (projections: readonly Projection[]) => projectionOperations({ db, projections }),
    stopProjectors,
    stop: async (): Promise<void> => {
      await stopProjectors();
      await database.close();
      await started.stop();
    },
  };
};

/** Resolves when the projections are active: a new one is built before it joins the others. */
const settled = async (db: Database["db"], projections: readonly Projection[]): Promise<void> => {
  const names = projections.map(({ name }) => name);
  await eventually(
    () =>
      db
        .selectFrom("projection_checkpoints")
        .select("name")
        .where("state", "=", "building")
        .where("name", "in", names)
        .execute(),
    (building) => building.length === 0,
  );
};

/** Counts a name and returns the position. */
const count = async (loop: CommandLoop, id: string, name: string): Promise<bigint> => {
  const done = await loop.execute(counterDecider, id, { name, limit: 9_999 }, systemContext());
  return done.position ?? -1n;
};

/** Appends many names to a counter at once, without the command loop. */
const countMany = async (log: EventLog, id: string, names: readonly string[]): Promise<bigint> => {
  const { position } = await log.append(
    `counter-${id}`,
    names.map((name, index) => ({
      id: newId(),
      type: "Counted",
      data: { name, total: index + 1 },
      metadata: {
        $correlationId: newId(),
        $causationId: newId(),
        actor: { type: "system", id: "test" },
        organization_id: null,
        occurred_at: new Date().toISOString(),
        recorded_at: new Date().toISOString(),
        schema_version: 1,
      },
    })),
    "any",
  );
  return position;
};

const totalOf = async (
  db: Database["db"],
  id: string,
  table = "counters",
): Promise<number | null> => {
  const row = await db
    .selectFrom(table)
    .select("total")
    .where("id", "=", `counter-${id}`)
    .executeTakeFirst();
  return row ? Number(row.total) : null;
};
