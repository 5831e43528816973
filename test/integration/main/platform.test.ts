import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startPlatform } from "../../../src/main/platform.ts";
import { createStops } from "../../../src/main/stops.ts";
import { loadConfig } from "../../../src/platform/config.ts";
import { openDatabase } from "../../../src/platform/database/database.ts";
import { createLogger } from "../../../src/platform/logger.ts";
import { type NatsServer, startNatsServer } from "../../support/natsServer.ts";
import { createTestDatabase } from "../../support/postgres.ts";

let nats: NatsServer;
let dataDir: string;
beforeAll(async () => {
  [nats, dataDir] = await Promise.all([
    startNatsServer(),
    mkdtemp(path.join(tmpdir(), "runledger-platform-")),
  ]);
});
afterAll(async () => {
  await nats.stop();
  await rm(dataDir, { recursive: true, force: true });
});

test("stops the bus after a failed migration so that the process can exit", async () => {
  const foreign = await createTestDatabase();
  const database = openDatabase(foreign.url, { max: 1 });
  // A foreign server under our name.
  await sql`create table migrations (id int)`.execute(database.db);
  await database.close();
  const logger = createLogger({ level: "silent" });
  const stops = createStops(logger);
  const toStop: string[] = [];
  const noted = {
    ...stops,
    add: (name: string, stop: () => Promise<unknown> | undefined) => {
      toStop.push(name);
      stops.add(name, stop);
    },
  };
  const config = loadConfig({
    DATA_DIR: dataDir,
    DATABASE_URL: foreign.url,
    EVENTSTORE_URL: "esdb://127.0.0.1:1?tls=false",
    NATS_URL: nats.url,
  });
  await expect(startPlatform(config, logger, noted)).rejects.toThrow("Migration");
  expect(toStop).toContain("bus");
  await stops.all();
  await foreign.drop();
});
