import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { stablePort } from "../../../src/embeddedPostgres/stablePort.ts";
import { connectEventLog } from "../../../src/platform/eventLog/client.ts";
import { createTestDatabase, type TestDatabase } from "../../support/postgres.ts";
import { startWire } from "../../support/wire.ts";
import { appendSurely, collect, newEvent } from "./support.ts";

/** The time after which the server closes a connection without calls. */
const IDLE_MS = "1000";

let database: TestDatabase;
let server: ChildProcess;
let port: number;

const start = async (): Promise<void> => {
  const program = path.join(import.meta.dirname, "serverProcess.ts");
  server = spawn(
    process.execPath,
    ["--import", "tsx", program, database.url, String(port), IDLE_MS],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  if (server.stdout) await once(server.stdout, "data");
};
const kill = async (): Promise<void> => {
  const gone = once(server, "exit");
  server.kill("SIGKILL");
  await gone;
};

beforeAll(async () => {
  [database, port] = await Promise.all([createTestDatabase(), stablePort()]);
  await start();
});
afterAll(async () => {
  await kill();
  await database.drop();
});

test("keeps no extra connections after repeated server kills under load, and none after a close", async () => {
  const wire = await startWire(port);
  const log = connectEventLog(`esdb://127.0.0.1:${wire.port}?tls=false`);
  await appendSurely(log, "first", newEvent(0), "any");
  await collect(log.readStream("first"));
  const before = wire.open();
  for (let round = 0; round < 2; round += 1) {
    await kill();
    // Each failed call has the client give up a connection.
    for (let call = 0; call < 8; call += 1) {
      await log.append("lost", [newEvent(call)], "any").catch(() => undefined);
      await collect(log.readStream("first")).catch(() => undefined);
    }
    await start();
    await expect
      .poll(() => collect(log.readStream("first")).catch(() => []), { timeout: 60_000 })
      .toHaveLength(1);
    await appendSurely(log, `round-${round}`, newEvent(round), "any");
  }
  // Clients in back-off reconnect after one or two seconds and are released after another.
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  await expect.poll(() => wire.open(), { timeout: 60_000 }).toBeLessThanOrEqual(before);
  await log.close();
  await expect.poll(() => wire.open(), { timeout: 60_000 }).toBe(0);
  await wire.stop();
});
