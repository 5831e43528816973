import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { BACKWARDS, END, EventStoreDBClient, jsonEvent } from "@eventstore/db-client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startEmbeddedPostgres } from "../../../src/embeddedPostgres/server.ts";
import { startEmbeddedEventStore } from "../../../src/eventstore/server.ts";
import { projections } from "../../../src/main/core/projections.ts";
import { startService } from "../../../src/main.ts";
import { loadConfig } from "../../../src/platform/config.ts";
import { openDatabase } from "../../../src/platform/database/database.ts";
import { compareLogs } from "../../../src/platform/eventLog/copyLog.ts";
import { openRawLog, type RawEvent } from "../../../src/platform/eventLog/rawLog.ts";
import { eventually } from "../../support/client.ts";
import { program } from "../../support/program.ts";
import { authorityFile, startRefusingLog } from "../../support/securedParts.ts";
import { runledger, runledgerHere } from "./kit.ts";

const EVENTS = 1_500;

/** `runledger migrate`: moves the embedded log of a data folder into a log of `runledger eventstore`. */
describe("runledger migrate", () => {
  let folder: string;
  let to: string;
  let server: ReturnType<typeof spawn>;
  let target: EventStoreDBClient;
  let kept: RawEvent[];

  const from = () => path.join(folder, "from");
  const environment = () => ({ DATA_DIR: from(), MASTER_KEY: "42".repeat(32) });
  const migrate = () => runledger(["migrate", "--to", to, "--json"], environment());
  const headOf = async (client: EventStoreDBClient): Promise<bigint> => {
    let head = 0n;
    const last = client.readAll({ direction: BACKWARDS, fromPosition: END, maxCount: 1 });
    for await (const { event } of last) head = event?.position.commit ?? head;
    return head;
  };
  const typesFrom = async (client: EventStoreDBClient, after: bigint): Promise<string[]> => {
    const types: string[] = [];
    for await (const { event } of client.readAll({
      direction: BACKWARDS,
      fromPosition: END,
      maxCount: 20,
    })) {
      if (event && event.position.commit > after) types.push(event.type);
    }
    return types;
  };
  const source = async function* () {
    yield* kept;
  };

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "runledger-migrate-"));
    server = spawn(
      process.execPath,
      [...program, "eventstore", "--data", path.join(folder, "to"), "--port", "0"],
      { stdio: ["ignore", "pipe", "inherit"] },
    );
    let said = "";
    server.stdout?.on("data", (chunk: Buffer) => {
      said += chunk.toString();
    });
    const postgres = await startEmbeddedPostgres({ dataDir: from(), durable: false });
    const log = await startEmbeddedEventStore({ databaseUrl: postgres.url });
    const client = EventStoreDBClient.connectionString(log.url);
    // Round-robin, so that consecutive events are in different streams.
    for (let n = 0; n < EVENTS; n += 50) {
      await Promise.all(
        Array.from({ length: 50 }, (_, at) =>
          client.appendToStream(`run-${at % 20}`, jsonEvent({ type: "Happened", data: { n, at } })),
        ),
      );
    }
    await client.setStreamMetadata("run-1", { maxCount: 5 } as never);
    await client.deleteStream("run-2");
    await client.tombstoneStream("run-3");
    await client.appendToStream("run-2", jsonEvent({ type: "Happened", data: "again" }));
    await client.dispose();
    const raw = openRawLog(log.url);
    kept = [];
    for await (const event of raw.readAll({ after: null })) kept.push(event);
    await raw.close();
    await log.stop();
    await postgres.stop();
    to = await eventually(
      async () => /^esdb:\S+$/m.exec(said)?.[0] ?? "",
      (url) => url !== "",
      60_000,
    );
    target = EventStoreDBClient.connectionString(to);
  });
  afterAll(async () => {
    await target?.dispose();
    const ended = once(server, "exit");
    server.kill("SIGTERM");
    await ended;
    await rm(folder, { recursive: true, force: true });
  });

  it("refuses an unusable address without printing its password", async () => {
    for (const [address, said, code] of [
      ["http://me:open-sesame@host", "--to should be a connection string such as esdb:", 2],
      ["esdb://me:open-sesame@host?tlsVerifyCert=false", "without tlsVerifyCert=false", 2],
      ["esdb://me:open-sesame@host?tlsCAFile=/none", "esdb://host: it names a certificate file", 3],
    ] as const) {
      const ended = await runledgerHere(["migrate", "--to", address], environment());
      expect(ended.stderr).toContain(said);
      expect(ended.stdout + ended.stderr).not.toMatch(/open-sesame|\bat .*:\d+:\d+/);
      expect(ended.code).toBe(code);
    }
  });

  it.each([
    [
      "refuses the user",
      (ca: string) => `tls=true&tlsCAFile=${ca}`,
      "the user, password or token is wrong",
    ],
    ["wants TLS", () => "tls=false", "it closes the connection at once"],
    ["is not trusted", () => "tls=true", "its certificate is signed by an unknown authority"],
  ])("reports a server that %s without printing the password", async (_case, query, said) => {
    const refusing = await startRefusingLog();
    const address = `esdb://127.0.0.1:${refusing.port}`;
    const asked = address.replace("//", "//me:open-sesame@");
    const ended = await runledgerHere(
      ["migrate", "--to", `${asked}?${query(encodeURIComponent(authorityFile))}`],
      environment(),
    );
    await refusing.stop();
    expect(ended.stderr).toContain(`No event log can be reached at ${address}: ${said}`);
    expect(ended.stdout + ended.stderr).not.toMatch(/open-sesame|\bat .*:\d+:\d+/);
    expect(ended.code).toBe(3);
  });

  it("resumes a killed copy without losing or duplicating events", async () => {
    const child = spawn(process.execPath, [...program, "migrate", "--to", to], {
      env: { ...process.env, ...environment() },
      stdio: "ignore",
    });
    const exited = once(child, "exit");
    // Polls without a pause, because a fast machine copies the rest in less than a second.
    const underWay = () => headOf(target).then((head) => head > 100n);
    await expect.poll(underWay, { interval: 1, timeout: 60_000 }).toBe(true);
    child.kill("SIGKILL");
    await exited;
    const half = await headOf(target);
    expect(half).toBeLessThan(BigInt(kept.length));

    const ended = await migrate();
    expect(ended.stderr).toBe("");
    expect(ended.records).toEqual([{ events: kept.length, finished: true, differing: [] }]);
    const raw = openRawLog(to);
    expect(await compareLogs(source, raw)).toBe(kept.length);
    await raw.close();
    const read = [];
    for await (const { event } of target.readStream("run-1")) read.push(event?.id);
    expect(read).toHaveLength(5);
  });

  it("rebuilds the read models up to the end of the target", async () => {
    const postgres = await startEmbeddedPostgres({ dataDir: from(), durable: false });
    const database = openDatabase(postgres.url);
    const { rows } = await database.pool.query(
      "select count(*)::int as shown, min(position) as position from projection_checkpoints where state = 'shown'",
    );
    await database.close();
    await postgres.stop();
    const [{ shown, position }] = rows;
    // Read models ignore the events of the server itself.
    const unread = await typesFrom(target, BigInt(position));
    expect([shown, unread.filter((type) => !type.startsWith("$"))]).toEqual([
      projections.length,
      [],
    ]);
  });

  it("lets a service start only with the target after a move", async () => {
    const settings = { ...environment(), PORT: "0", LOG_LEVEL: "silent" };
    await expect(startService(loadConfig(settings))).rejects.toThrow(
      /The event log of this database was moved to esdb:.*Set EVENTSTORE_URL to it/,
    );
    const service = await startService(loadConfig({ ...settings, EVENTSTORE_URL: to }));
    const isReady = async () => (await fetch(`${service.url}/api/v1/health/ready`)).status;
    await expect.poll(isReady).toBe(200);
    await service.stop();
  });
});
