import { afterEach, describe, expect, test } from "vitest";
import { startEmbeddedEventStore } from "../../../src/eventstore/server.ts";
import { connectEventLog } from "../../../src/platform/eventLog/client.ts";
import type { EventLog } from "../../../src/platform/eventLog/port.ts";
import { createTestDatabase } from "../../support/postgres.ts";
import { newEvent } from "./support.ts";

const cleanUp: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step();
});

const start = async (databaseUrl: string): Promise<{ log: EventLog; stop(): Promise<void> }> => {
  const server = await startEmbeddedEventStore({ databaseUrl });
  const log = connectEventLog(server.url);
  const stop = async (): Promise<void> => {
    await log.close();
    await server.stop();
  };
  return { log, stop };
};

/** Appends `count` events, many at a time. */
const fill = async (log: EventLog, stream: string, count: number): Promise<void> => {
  for (let n = 0; n < count; n += 500) {
    await log.append(
      stream,
      Array.from({ length: 500 }, (_, i) => newEvent(n + i)),
      "any",
    );
  }
};

describe("a history longer than the in-memory tail", () => {
  test("is read from the database after a restart and continues live", async () => {
    const database = await createTestDatabase();
    cleanUp.push(() => database.drop());
    const first = await start(database.url);
    await fill(first.log, "long-1", 3_000);
    await first.stop();
    const { log, stop } = await start(database.url);
    cleanUp.push(stop);
    const writing = (async () => {
      for (let i = 0; i < 300; i += 1) await log.append(`live-${i % 7}`, [newEvent(i)], "any");
    })();
    const positions: bigint[] = [];
    for await (const event of log.subscribeAll({ after: null })) {
      positions.push(event.position);
      if (positions.length === 3_300) break;
    }
    await writing;
    expect(positions).toEqual(positions.map((_, i) => BigInt(i + 1)));
  });

  test("waits for a subscriber that stops reading", async () => {
    const database = await createTestDatabase();
    cleanUp.push(() => database.drop());
    const { log, stop } = await start(database.url);
    cleanUp.push(stop);
    await fill(log, "first-1", 500);
    const positions: bigint[] = [];
    for await (const event of log.subscribeAll({ after: null })) {
      positions.push(event.position);
      // More than memory holds, written while this subscriber takes nothing.
      if (positions.length === 100) await fill(log, "flood-1", 12_000);
      if (positions.length === 12_500) break;
    }
    expect(positions).toEqual(positions.map((_, i) => BigInt(i + 1)));
  });
});
