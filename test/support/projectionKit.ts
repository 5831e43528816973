import pino from "pino";
import { createCommandLoop } from "../../src/commands/kernel/commandLoop.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { openDatabase } from "../../src/platform/database/database.ts";
import { migrate } from "../../src/platform/database/migrate.ts";
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
  const running: Projector[] = [];
  const loop = createCommandLoop({ log: started.log, clock: systemClock });
  const { db, patient } = database;

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
        log: started.log,
        db,
        patient,
        projections,
        positions,
        logger: pino({ level: "silent" }),
        holder: newId(),
      });
      running.push(projector);
      return { projector, positions };
    },

    /** Resolves when the projections are active: a new one is built before it joins the others. */
    settled: async (projections: readonly Projection[]): Promise<void> => {
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
    },

    /** Counts a name and returns the position. */
    count: async (id: string, name: string): Promise<bigint> => {
      const done = await loop.execute(counterDecider, id, { name, limit: 9_999 }, systemContext());
      return done.position ?? -1n;
    },

    /** Appends many names to a counter at once, without the command loop. */
    countMany: async (id: string, names: readonly string[]): Promise<bigint> => {
      const { position } = await started.log.append(
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
    },

    totalOf: async (id: string, table = "counters"): Promise<number | null> => {
      const row = await db
        .selectFrom(table)
        .select("total")
        .where("id", "=", `counter-${id}`)
        .executeTakeFirst();
      return row ? Number(row.total) : null;
    },

    operations: (projections: readonly Projection[]) => projectionOperations({ db, projections }),

    stopProjectors: async (): Promise<void> => {
      for (const projector of running.splice(0)) await projector.stop();
    },
    stop: async (): Promise<void> => {
      for (const projector of running.splice(0)) await projector.stop();
      await database.close();
      await started.stop();
    },
  };
};
