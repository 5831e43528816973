import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { inProcessBus } from "../../../src/platform/bus/inProcess.ts";
import type { Bus } from "../../../src/platform/bus/port.ts";
import { type Database, openDatabase } from "../../../src/platform/database/database.ts";
import { migrate } from "../../../src/platform/database/migrate.ts";
import { newId } from "../../../src/platform/ids.ts";
import { createLogger } from "../../../src/platform/logger.ts";
import { createPositions, type Positions } from "../../../src/projections/kernel/positions.ts";
import { runEventsProjection } from "../../../src/projections/runs/watchedEvents.ts";
import { saveReactorCheckpoint } from "../../../src/stores/kernel/reactorCheckpoints.ts";
import { startPublisher } from "../../../src/workers/runs/publisher.ts";
import { eventually } from "../../support/client.ts";
import { createTestDatabase, type TestDatabase } from "../../support/postgres.ts";

describe("publisher of run events", () => {
  let holder: TestDatabase;
  let database: Database;
  let bus: Bus;
  let positions: Positions;
  let heard: { subject: string; sequence: number }[];

  beforeEach(async () => {
    holder = await createTestDatabase();
    database = openDatabase(holder.url);
    await migrate(database.db);
    await runEventsProjection.create(database.db);
    bus = inProcessBus();
    positions = createPositions();
    heard = [];
    const subscription = bus.subscribe("run.*.events");
    void (async () => {
      for await (const { subject, payload } of subscription)
        heard.push({ subject, sequence: JSON.parse(payload).sequence });
    })();
  });
  afterEach(async () => {
    await bus.close();
    await database.close();
    await holder.drop();
  });

  const start = () =>
    startPublisher({
      db: database.db,
      bus,
      positions,
      logger: createLogger({ level: "silent" }),
      holder: newId(),
    });
  /** Without a checkpoint, existing events are history. Waits until the publisher has determined its start. */
  const beginWithNothing = () => saveReactorCheckpoint(database.db, "publisher", 0n);
  const commit = async (runId: string, sequence: number, position: number): Promise<void> => {
    await database.db
      .insertInto("run_events")
      .values({
        run_id: runId,
        sequence,
        name: "step_started",
        data: "{}",
        at: "2025-01-01T00:00:00.000Z",
        position,
      })
      .execute();
    positions.advance("run_events", BigInt(position));
  };
  const sequencesOf = (runId: string) =>
    heard.filter(({ subject }) => subject === `run.${runId}.events`).map((one) => one.sequence);

  test("publishes each committed event once and in order to its run's subject", async () => {
    const [one, other] = [newId(), newId()];
    await beginWithNothing();
    const publisher = start();
    for (let n = 1; n <= 20; n += 1) {
      await commit(one, n, n * 10);
      await commit(other, n, n * 10 + 5);
    }
    await eventually(
      async () => heard.length,
      (count) => count >= 40,
    );
    expect(sequencesOf(one)).toEqual(Array.from({ length: 20 }, (_, n) => n + 1));
    expect(sequencesOf(other)).toEqual(sequencesOf(one));
    await publisher.stop();
  });

  test("resumes after the last published event", async () => {
    const run = newId();
    await beginWithNothing();
    const first = start();
    await commit(run, 1, 1);
    await eventually(
      async () => heard.length,
      (count) => count === 1,
    );
    await first.stop();
    await commit(run, 2, 2);
    await commit(run, 3, 3);
    const second = start();
    await eventually(
      async () => heard.length,
      (count) => count >= 3,
    );
    expect(sequencesOf(run)).toEqual([1, 2, 3]);
    await second.stop();
  });

  test("hands over to another publisher without publishing twice", async () => {
    const run = newId();
    await beginWithNothing();
    const publishers = [start(), start()];
    await commit(run, 1, 1);
    await eventually(
      async () => heard.length,
      (count) => count >= 1,
    );
    await publishers[0]?.stop();
    await commit(run, 2, 2);
    await eventually(
      async () => heard.length,
      (count) => count >= 2,
    );
    await publishers[1]?.stop();
    expect(sequencesOf(run)).toEqual([1, 2]);
  });
});
