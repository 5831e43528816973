import { EventStoreDBClient, jsonEvent } from "@eventstore/db-client";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startEmbeddedEventStore } from "../../../src/eventstore/server.ts";
import { startEventStoreThread } from "../../../src/eventstore/thread/start.ts";
import { disposeClient } from "../../../src/platform/eventLog/dispose.ts";
import { startWorkerThread } from "../../../src/platform/workerThread.ts";
import { createTestDatabase, type TestDatabase } from "../../support/postgres.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const start = (options: { lockTimeoutMs?: number } = {}) => {
  const failures: Error[] = [];
  const said: string[] = [];
  const say = (_fields: object, message: string) => said.push(message);
  const starting = startEventStoreThread({
    startThread: startWorkerThread,
    ...options,
    databaseUrl: database.url,
    logger: { info: say, warn: say },
    onFailure: (error) => failures.push(error),
  });
  return { starting, failures, said };
};

const append = async (url: string, type: string): Promise<bigint> => {
  const client = EventStoreDBClient.connectionString(url);
  try {
    return (await client.appendToStream("s", jsonEvent({ type, data: {} }))).nextExpectedRevision;
  } finally {
    await disposeClient(client);
  }
};

test("keeps its events over a restart of its thread, and reports no failure on a stop", async () => {
  const first = start();
  const log = await first.starting;
  expect(await append(log.url, "A")).toBe(0n);
  await log.stop();
  const second = start();
  const again = await second.starting;
  expect(await append(again.url, "B")).toBe(1n);
  await again.stop();
  expect([...first.failures, ...second.failures]).toEqual([]);
});

test("refuses to start with the reason if another process writes the log, and ends its thread", async () => {
  const other = await startEmbeddedEventStore({ databaseUrl: database.url });
  const { starting, failures } = start({ lockTimeoutMs: 100 });
  await expect(starting).rejects.toThrow("Another process is writing this event log");
  await other.stop();
  expect(failures).toEqual([]);
  const third = start();
  await (await third.starting).stop();
});

test("forwards database errors of the thread and continues", async () => {
  const { starting, said, failures } = start();
  const log = await starting;
  const other = new pg.Client({ connectionString: database.url });
  await other.connect();
  await other.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'runledger event log' AND datname = current_database()",
  );
  await other.end();
  await expect.poll(() => said).toContain("The event log has its database back");
  expect(await append(log.url, "C")).toBeGreaterThan(0n);
  expect(failures).toEqual([]);
  await log.stop();
});
