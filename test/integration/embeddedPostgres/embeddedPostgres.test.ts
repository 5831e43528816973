import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from "../../../src/embeddedPostgres/server.ts";
import { openDatabase } from "../../../src/platform/database/database.ts";

const PATIENTLY = { timeout: 60_000 };
const HOLDER = path.resolve("test/support/postgresHolder.ts");

let dataDir: string;
let holders: ChildProcess[] = [];
let running: EmbeddedPostgres | null = null;

beforeEach(async () => {
  dataDir = path.join(await mkdtemp(path.join(tmpdir(), "runledger-pg-")), "data");
  await chmod(path.dirname(dataDir), 0o755);
});

afterEach(async () => {
  for (const holder of holders) holder.kill("SIGKILL");
  // A start takes over the server of a killed process, so that the stop ends it.
  if (holders.length > 0) running ??= await startEmbeddedPostgres({ dataDir });
  holders = [];
  await running?.stop();
  running = null;
  await rm(path.dirname(dataDir), { recursive: true, force: true });
});

const start = async (): Promise<EmbeddedPostgres> => {
  running = await startEmbeddedPostgres({ dataDir });
  return running;
};

const hold = async (): Promise<{ url: string; kill(): Promise<void> }> => {
  const child = spawn(process.execPath, ["--import", "tsx", HOLDER, dataDir], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  holders.push(child);
  const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  const { url } = JSON.parse(line) as { url: string };
  return {
    url,
    kill: async () => {
      const exited = once(child, "exit");
      child.kill("SIGKILL");
      await exited;
    },
  };
};

const postmasterPid = async (): Promise<number> =>
  Number((await readFile(path.join(dataDir, "postgres", "postmaster.pid"), "utf8")).split("\n")[0]);

/** Inserts 1, 2, 3 … each committed by itself, trying again what fails; `stop` gives the last that was confirmed. */
const keepWriting = async (
  url: string,
): Promise<{ confirmed(): number; stop(): Promise<number> }> => {
  const { db, close } = openDatabase(url, { max: 1 });
  await sql`CREATE TABLE numbers (n int PRIMARY KEY)`.execute(db);
  let confirmed = 0;
  let stopped = false;
  const writing = (async () => {
    while (!stopped) {
      await sql`INSERT INTO numbers VALUES (${confirmed + 1}) ON CONFLICT DO NOTHING`
        .execute(db)
        .then(
          () => {
            confirmed += 1;
          },
          () => undefined,
        );
    }
  })();
  return {
    confirmed: () => confirmed,
    stop: async () => {
      stopped = true;
      await writing;
      await close();
      return confirmed;
    },
  };
};

const readNumbers = async (url: string): Promise<number> => {
  const { db, close } = openDatabase(url, { max: 1 });
  const { rows } = await sql<{ n: number }>`SELECT n FROM numbers ORDER BY n`.execute(db);
  await close();
  expect(rows.map(({ n }) => n)).toEqual(Array.from(rows, (_, index) => index + 1));
  return rows.length;
};

describe("the embedded PostgreSQL", () => {
  it("keeps data and address over a restart", async () => {
    const first = await start();
    const { db, close } = openDatabase(first.url);
    await sql`CREATE TABLE kept AS SELECT 42 AS answer`.execute(db);
    await close();
    await first.stop();
    const second = await start();
    expect(second.url).toBe(first.url);
    const again = openDatabase(second.url);
    const { rows } = await sql`SELECT answer FROM kept`.execute(again.db);
    await again.close();
    expect(rows).toEqual([{ answer: 42 }]);
  });

  it("uses a port outside of the ephemeral range", async () => {
    const { port } = new URL((await start()).url);
    expect(Number(port)).toBeGreaterThan(1_024);
    expect(Number(port)).toBeLessThan(32_768);
  });

  it("keeps all confirmed writes after SIGKILL of its process, with one postmaster", async () => {
    const holder = await hold();
    const left = await postmasterPid();
    const writer = await keepWriting(holder.url);
    await expect.poll(writer.confirmed, PATIENTLY).toBeGreaterThan(50);
    await holder.kill();
    const { url } = await start();
    const atStart = writer.confirmed();
    await expect.poll(writer.confirmed, PATIENTLY).toBeGreaterThan(atStart);
    const confirmed = await writer.stop();
    expect(await readNumbers(url)).toBeGreaterThanOrEqual(confirmed);
    expect(await postmasterPid()).not.toBe(left);
    expect(() => process.kill(left, 0)).toThrow();
  });

  it("ends with a killed owner, without another start", async () => {
    const holder = await hold();
    const postmaster = await postmasterPid();
    await holder.kill();
    const isAlive = () => {
      try {
        return process.kill(postmaster, 0);
      } catch {
        return false;
      }
    };
    await expect.poll(isAlive, { timeout: 10_000 }).toBe(false);
  });

  it("restarts at the same address with all confirmed writes after SIGKILL of the postmaster", async () => {
    const { url } = await start();
    const victim = await postmasterPid();
    const writer = await keepWriting(url);
    await expect.poll(writer.confirmed, PATIENTLY).toBeGreaterThan(50);
    process.kill(victim, "SIGKILL");
    await expect.poll(() => postmasterPid().catch(() => victim), PATIENTLY).not.toBe(victim);
    const atRestart = writer.confirmed();
    await expect.poll(writer.confirmed, PATIENTLY).toBeGreaterThan(atRestart);
    const confirmed = await writer.stop();
    expect(await readNumbers(url)).toBeGreaterThanOrEqual(confirmed);
    expect(await postmasterPid()).not.toBe(victim);
  });

  it("answers a waiting query of an idle pool after two SIGKILLs of the postmaster", async () => {
    const { url } = await start();
    const { db, close } = openDatabase(url, { max: 1 });
    for (let round = 0; round < 2; round += 1) {
      const victim = await postmasterPid();
      process.kill(victim, "SIGKILL");
      await expect
        .poll(
          () =>
            sql<{ one: number }>`SELECT 1 AS one`.execute(db).then(
              ({ rows }) => rows,
              () => null,
            ),
          PATIENTLY,
        )
        .toEqual([{ one: 1 }]);
      await expect.poll(() => postmasterPid().catch(() => victim), PATIENTLY).not.toBe(victim);
    }
    await close();
  });

  it("refuses a folder in use without affecting its owner", async () => {
    const holder = await hold();
    await expect(startEmbeddedPostgres({ dataDir })).rejects.toThrow(
      /is in use by process \d+\. Stop that process first, or set DATA_DIR/,
    );
    const { db, close } = openDatabase(holder.url);
    await expect(sql`SELECT 1`.execute(db)).resolves.toBeDefined();
    await close();
    await holder.kill();
  });

  it("starts with what a kill during the first start left behind", async () => {
    await mkdir(path.join(dataDir, "postgres.new", "base"), { recursive: true });
    await writeFile(path.join(dataDir, "postgres.new", "PG_VERSION"), "18\n");
    const { url } = await start();
    const { db, close } = openDatabase(url);
    await expect(sql`SELECT 1`.execute(db)).resolves.toBeDefined();
    await close();
  });

  it("starts beside an unrelated process with the number in the pid file, which it does not kill", async () => {
    const first = await start();
    await first.stop();
    const bystander = spawn(process.execPath, ["-e", "setInterval(() => {}, 1e6)"], {
      stdio: "ignore",
    });
    holders.push(bystander);
    const file = path.join(dataDir, "postgres", "postmaster.pid");
    await writeFile(file, `${bystander.pid}\n${dataDir}/postgres\n1\n5432\n\n\n`);
    await start();
    expect(await postmasterPid()).not.toBe(bystander.pid);
    expect(bystander.exitCode ?? bystander.signalCode).toBeNull();
  });

  it("finds the data in a moved folder", async () => {
    const first = await start();
    const { db, close } = openDatabase(first.url);
    await sql`CREATE TABLE kept AS SELECT 42 AS answer`.execute(db);
    await close();
    await first.stop();
    await rename(dataDir, `${dataDir}-moved`);
    dataDir = `${dataDir}-moved`;
    const again = openDatabase((await start()).url);
    const { rows } = await sql`SELECT answer FROM kept`.execute(again.db);
    await again.close();
    expect(rows).toEqual([{ answer: 42 }]);
  });

  it("reports a missing database or missing settings and recreates nothing", async () => {
    await (await start()).stop();
    running = null;
    const [folder, settings] = [
      path.join(dataDir, "postgres"),
      path.join(dataDir, "postgres.json"),
    ];
    await rename(folder, `${folder}.away`);
    await expect(startEmbeddedPostgres({ dataDir })).rejects.toThrow("is not at");
    await rename(`${folder}.away`, folder);
    await rename(settings, `${settings}.away`);
    await expect(startEmbeddedPostgres({ dataDir })).rejects.toThrow("postgres.json is missing");
    await rename(`${settings}.away`, settings);
    await start();
  });

  it("starts in a folder that the server's account cannot enter", async () => {
    await chmod(path.dirname(dataDir), 0o700);
    const folders: string[] = [];
    // The second start uses the same path after the folder was removed: files that the first one left elsewhere must not be used.
    for (const _ of ["first", "again"]) {
      const { url, stop } = await start();
      const { db, close } = openDatabase(url);
      await expect(sql`SELECT 1`.execute(db)).resolves.toBeDefined();
      await close();
      const text = await readFile(path.join(dataDir, "postgres.json"), "utf8");
      const settings: { folder: string } = JSON.parse(text);
      folders.push(path.resolve(dataDir, settings.folder));
      await stop();
      running = null;
      await rm(dataDir, { recursive: true, force: true });
    }
    const elsewhere = folders.filter((folder) => !folder.startsWith(dataDir));
    expect(elsewhere).toHaveLength(process.getuid?.() === 0 ? 2 : 0);
    for (const folder of elsewhere) await rm(path.dirname(folder), { recursive: true });
  });
});
