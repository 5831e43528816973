import { mkdirSync } from "node:fs";
import { mkdtemp, readdir, rm, truncate } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { compareCheckpoints, keyOf, signedCheckpoint } from "../../../src/cli/audit/checkpoints.ts";
import { makeBackup } from "../../../src/main/backup/backup.ts";
import { eventsOfBackup } from "../../../src/main/backup/eventLines.ts";
import { readManifest } from "../../../src/main/backup/manifest.ts";
import { restoreBackup } from "../../../src/main/backup/restore.ts";
import { lockForRestore } from "../../../src/main/backup/tableRows.ts";
import { type RunningService, startService } from "../../../src/main.ts";
import { loadConfig } from "../../../src/platform/config.ts";
import { openDatabase } from "../../../src/platform/database/database.ts";
import { createLogger } from "../../../src/platform/logger.ts";
import { type Account, call, eventually, makeKey, signUp } from "../../support/client.ts";
import { createTestDatabase, type TestDatabase } from "../../support/postgres.ts";
import { startTestS3, type TestS3 } from "../../support/s3Server.ts";

const KEY = "42".repeat(32);

/** Backs up a service under load and restores it elsewhere, with a bucket instead of a folder. */
describe("backup and restore", () => {
  let folder: string;
  let site: Server;
  let bucket: TestS3;
  let first: TestDatabase;
  let second: TestDatabase;
  let service: RunningService | null = null;
  let ann: Account;
  let key: string;
  let runId: string;
  let report: string;
  let written = 0;
  let held: { checkpoint: string; key: string; size: number };
  const logger = createLogger({ level: "silent" });
  const onProgress = () => undefined;

  const environment = (database: TestDatabase, name: string) => ({
    ...{ PORT: "0", DATA_DIR: path.join(folder, name), DATABASE_URL: database.url },
    ...{ RATE_LIMIT: "off", LOG_LEVEL: "fatal", MASTER_KEY: KEY },
  });
  const at = (name: string) => path.join(folder, name);
  const here = () => loadConfig(environment(first, "first"));
  const elsewhere = (over: Record<string, string> = {}) =>
    loadConfig({ ...environment(second, "second"), ...bucket.environment, ...over });
  const restoring = (options: { replace?: boolean; onProgress?: (said: string) => void } = {}) =>
    restoreBackup(elsewhere(), logger, {
      ...{ folder: at("backup"), replace: false, onProgress },
      ...options,
    });
  const asAnn = (method: string, path: string, body?: unknown) =>
    call(service?.url ?? "", method, `/api/v1${path}`, { bearer: ann.accessToken, body });
  const readCheckpoint = async (): Promise<typeof held> =>
    (await asAnn("GET", "/audit/log/checkpoint")).body;
  const htmlOf = async () => String((await asAnn("GET", `/reports/runs/${runId}/html`)).body);

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "runledger-backup-"));
    [first, second, bucket] = await Promise.all([
      createTestDatabase(),
      createTestDatabase(),
      startTestS3(),
    ]);
    site = createServer((_request, response) => {
      response.setHeader("content-type", "text/html").end("<title>Shop</title><h1>Open</h1>");
    });
    await new Promise<void>((resolve) => {
      site.listen(0, "127.0.0.1", resolve);
    });
    service = await startService(here(), logger);
    ann = await signUp(service.url ?? "");
    key = (await makeKey(service.url ?? "", ann)).key;
    const text = 'Go to /\nI should see "Open"';
    const test = (await asAnn("POST", "/tests", { name: "Opening", text })).body.id;
    const base_url = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
    runId = (await asAnn("POST", "/runner/runs", { test_ids: [test], base_url })).body.run_ids[0];
    await eventually(
      async () => (await asAnn("GET", `/runs/${runId}`)).body,
      ({ status }) => status === "passed",
      90_000,
    );
    report = await htmlOf();
    let writing = true;
    const writer = (async () => {
      while (writing) {
        const { status } = await asAnn("POST", "/tests", { name: `${written}`, text });
        expect(status).toBe(201);
        await signUp(service?.url ?? "");
        written += 1;
      }
    })();
    await eventually(
      async () => written,
      (count) => count > 3,
    );
    await makeBackup(here(), logger, { folder: at("backup"), onProgress });
    writing = false;
    await writer;
    // Covers events that the backup lacks.
    await signUp(service.url ?? "");
    const { log } = await readManifest(at("backup"));
    held = await eventually(readCheckpoint, ({ size }) => size > log.events);
    await service.stop();
    service = null;
  });
  afterAll(async () => {
    await service?.stop();
    site?.close();
    await bucket?.stop();
    await Promise.all([first?.drop(), second?.drop()]);
    await rm(folder, { recursive: true, force: true });
  });

  it("is consistent while the service writes", async () => {
    const manifest = await readManifest(at("backup"));
    const types = new Map<string, number>();
    let last = 0n;
    for await (const { type, position } of eventsOfBackup(at("backup"), manifest)) {
      types.set(type, 1 + (types.get(type) ?? 0));
      last = position;
    }
    expect(manifest.log.position).toBe(String(last));
    const { rows = {} } = manifest;
    // The row of a person precedes the event: at most one sign-up has no event yet.
    const without = (rows.persons ?? 0) - (types.get("UserRegistered") ?? 0);
    expect([0, 1]).toContain(without);
    expect(rows.persons).toBeGreaterThan(1);
    expect(written).toBeGreaterThan(3);
    await expect(makeBackup(here(), logger, { folder: at("backup"), onProgress })).rejects.toThrow(
      "already exists",
    );
    expect(await readdir(at("backup"))).not.toContain("lock.json");
    const taken = at("taken");
    const take = () => mkdirSync(path.join(taken, "by somebody"), { recursive: true });
    await expect(makeBackup(here(), logger, { folder: taken, onProgress: take })).rejects.toThrow(
      /taken cannot be created: ENOTEMPTY/,
    );
    const nowhere = { folder: path.join(at("nowhere"), "backup"), onProgress };
    await expect(makeBackup(here(), logger, nowhere)).rejects.toThrow("cannot be created: ENOENT");
    const other = loadConfig({ ...environment(first, "first"), MASTER_KEY: "43".repeat(32) });
    await expect(makeBackup(other, logger, { folder: at("other"), onProgress })).rejects.toThrow(
      "MASTER_KEY does not match",
    );
    expect((await readdir(folder)).filter((name) => name.includes("partial"))).toEqual([]);
  });

  it("refuses a missing or different MASTER_KEY before the first write", async () => {
    const options = { folder: at("backup"), replace: false, onProgress };
    for (const [over, said] of [
      [{ MASTER_KEY: "43".repeat(32) }, "MASTER_KEY does not match"],
      [{ MASTER_KEY: "" }, "Set MASTER_KEY, or copy the master.key"],
    ] as const) {
      await expect(restoreBackup(elsewhere(over), logger, options)).rejects.toThrow(said);
    }
    await expect(readdir(at("second"))).rejects.toThrow("ENOENT");
  });

  it("refuses a second restore into the same database", async () => {
    const database = openDatabase(second.url);
    const unlock = await lockForRestore(database.pool);
    await expect(restoring({ replace: true })).rejects.toThrow("Another restore is running");
    await unlock?.();
    await database.close();
  });

  it("prevents a service start after an interrupted restore, which can be repeated", async () => {
    const cut = restoring({
      onProgress: (message) => {
        if (message === "state") throw new Error("killed");
      },
    });
    await expect(cut).rejects.toThrow("killed");
    await expect(startService(elsewhere(), logger)).rejects.toThrow(
      "A restore into this database has not finished",
    );
    const manifest = await readManifest(at("backup"));
    const restored = await restoring();
    expect(restored).toMatchObject({
      events: manifest.log.events,
      blobs: manifest.blobs.count,
      differing: [],
    });
    expect(restored.blobs).toBeGreaterThan(0);
    // The tables are analysed, so that lists are fast at once.
    const database = openDatabase(second.url, { max: 1 });
    const { rows } = await database.pool.query(
      "select reltuples > 0 as planned_for from pg_class where relname = 'tests' and relkind = 'r'",
    );
    expect(rows).toEqual([{ planned_for: true }]);
    await database.close();
  });

  it("restores accounts, keys and reports with their screenshots", async () => {
    service = await startService(elsewhere(), logger);
    const url = service.url ?? "";
    const { email, password } = ann;
    const signedIn = await call(url, "POST", "/api/v1/auth/login", { body: { email, password } });
    expect(signedIn.status).toBe(200);
    ann = { ...ann, accessToken: signedIn.body.access_token };
    expect((await call(url, "GET", "/api/v1/tests", { bearer: key })).status).toBe(200);
    const newer = await eventually(readCheckpoint, ({ checkpoint }) =>
      /^restored /m.test(checkpoint),
    );
    const verifier = await keyOf(held.key);
    const [before, after] = [held, newer].map(({ checkpoint }) =>
      signedCheckpoint(checkpoint, verifier),
    );
    if (typeof before !== "object" || typeof after !== "object") throw new Error("not signed");
    const { id: backup } = await readManifest(at("backup"));
    const succession = compareCheckpoints(before, after, []);
    expect(succession).toMatchObject({ outcome: "restored", backup });
    const pictures = (html: string) => html.match(/data:image\/[a-z]+;base64,[A-Za-z0-9+/=]+/g);
    expect(pictures(report)?.length).toBeGreaterThan(0);
    expect(pictures(await htmlOf())).toEqual(pictures(report));
    const ready = async () => (await fetch(`${url}/api/v1/health/ready`)).json();
    await bucket.away();
    await expect
      .poll(ready)
      .toMatchObject({ detail: "Not ready: blob_store (cannot be reached)." });
    await bucket.back();
    await expect.poll(ready).toMatchObject({ parts: { blob_store: { status: "ready" } } });
    const made = await asAnn("POST", "/tests", { name: "after", text: "Go to /" });
    expect(made.status).toBe(201);
    await expect(restoring({ replace: true })).rejects.toThrow("A service is running");
    await service.stop();
    service = null;
  });

  it("refuses a target with data unless replace is set", async () => {
    await expect(restoring()).rejects.toThrow(/The target is not empty: it has \d+ events/);
    const { events } = await readManifest(at("backup")).then(({ log }) => log);
    expect(await restoring({ replace: true })).toMatchObject({ events, differing: [] });
  });

  it("names a truncated part and restores nothing", async () => {
    const [part] = (await readManifest(at("backup"))).parts.filter(({ kind }) => kind === "log");
    await truncate(path.join(at("backup"), part?.file ?? ""), 10);
    await expect(restoring({ replace: true })).rejects.toThrow(`${part?.file} is truncated`);
  });
});
