import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { startEmbeddedPostgres } from "../../../src/embeddedPostgres/server.ts";
import { startEmbeddedEventStore } from "../../../src/eventstore/server.ts";
import { connectEventLog } from "../../../src/platform/eventLog/client.ts";
import { appendSurely, collect, newEvent } from "./support.ts";

test("continues after SIGKILL of the embedded Postgres without losing acknowledged events", async () => {
  const dataDir = await mkdtemp(path.join(tmpdir(), "runledger-log-"));
  const postgres = await startEmbeddedPostgres({ dataDir });
  const server = await startEmbeddedEventStore({ databaseUrl: postgres.url });
  const log = connectEventLog(server.url);
  try {
    const acknowledged: string[] = [];
    let writing = true;
    const writers = Array.from({ length: 8 }, async (_, w) => {
      for (let n = 0; writing; n += 1) {
        const event = newEvent({ w, n });
        await appendSurely(log, `writer-${w}`, event, n === 0 ? "no_stream" : BigInt(n - 1));
        acknowledged.push(event.id);
      }
    });
    const settings = JSON.parse(await readFile(path.join(dataDir, "postgres.json"), "utf8")) as {
      folder: string;
    };
    for (let round = 0; round < 2; round += 1) {
      const size = acknowledged.length;
      await expect.poll(() => acknowledged.length, { timeout: 60_000 }).toBeGreaterThan(size + 50);
      const pidFile = await readFile(
        path.resolve(dataDir, settings.folder, "postmaster.pid"),
        "utf8",
      );
      process.kill(Number(pidFile.split("\n")[0]), "SIGKILL");
      const atKill = acknowledged.length;
      await expect
        .poll(() => acknowledged.length, { timeout: 60_000 })
        .toBeGreaterThan(atKill + 50);
    }
    writing = false;
    await Promise.all(writers);
    const all = await collect(log.readAll({ after: null }));
    expect(all.map((e) => e.position)).toEqual(all.map((_, i) => BigInt(i + 1)));
    expect(new Set(all.map((e) => e.id))).toEqual(new Set(acknowledged));
    expect(all).toHaveLength(acknowledged.length);
  } finally {
    await log.close();
    await server.stop();
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}, 180_000);
