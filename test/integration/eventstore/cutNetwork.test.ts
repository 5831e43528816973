import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type EmbeddedEventStore,
  startEmbeddedEventStore,
} from "../../../src/eventstore/server.ts";
import { connectEventLog } from "../../../src/platform/eventLog/client.ts";
import type { EventLog } from "../../../src/platform/eventLog/port.ts";
import { createTestDatabase, type TestDatabase } from "../../support/postgres.ts";
import { startWire, type Wire } from "../../support/wire.ts";
import { appendSurely, collect, newEvent } from "./support.ts";

let database: TestDatabase;
let wire: Wire;
let server: EmbeddedEventStore;
let log: EventLog;

beforeAll(async () => {
  database = await createTestDatabase();
  const url = new URL(database.url);
  wire = await startWire(Number(url.port));
  url.port = String(wire.port);
  server = await startEmbeddedEventStore({ databaseUrl: url.href });
  log = connectEventLog(server.url, { appendTimeoutMs: 1_000 });
});
afterAll(async () => {
  await log.close();
  await server.stop();
  await wire.stop();
  await database.drop();
});

test("reads and appends again, without duplicates, after database connections were silently cut", async () => {
  await appendSurely(log, "a-1", newEvent(0), "no_stream");
  await collect(log.readStream("a-1"));
  await wire.set("swallowed");
  const lost = newEvent(1);
  await expect(log.append("a-1", [lost], 0n)).rejects.toThrow("unknown");
  await wire.set(null);
  // The connections of before say nothing for ever: writer and readers must find that out themselves.
  await expect
    .poll(
      () =>
        log.append("a-1", [lost], 0n).then(
          () => "written",
          () => "not yet",
        ),
      {
        timeout: 50_000,
        interval: 250,
      },
    )
    .toBe("written");
  await expect
    .poll(
      () =>
        collect(log.readStream("a-1")).then(
          (events) => events.map(({ data }) => data),
          () => [],
        ),
      {
        timeout: 30_000,
        interval: 250,
      },
    )
    .toEqual([0, 1]);
});
