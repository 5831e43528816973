import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type DemoSite, serveDemoSite } from "../../src/cli/operator/demo/site.ts";
import { type RunningService, startService } from "../../src/main.ts";
import { loadConfig } from "../../src/platform/config.ts";
import {
  type EmbeddedEventStore,
  startEmbeddedEventStore,
} from "../../src/platform/embedded/eventstore/server.ts";
import { createLogger } from "../../src/platform/logger.ts";
import { type Account, call, eventually, makeKey, signUp } from "../support/client.ts";
import { type NatsServer, startNatsServer } from "../support/natsServer.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres.ts";
import { watch } from "../support/watcher.ts";

/** The service as docker-compose.yml starts it: api, background and executors apart, over one log, one database, one NATS. */
describe("the service in its roles", () => {
  let folder: string;
  let database: TestDatabase;
  let eventstore: EmbeddedEventStore;
  let nats: NatsServer;
  let site: DemoSite;
  let running: RunningService[] = [];
  let url: string;
  let ann: Account;
  let key: string;

  const startRole = async (roles: string): Promise<RunningService> => {
    const config = loadConfig({
      ROLES: roles,
      PORT: "0",
      DATA_DIR: path.join(folder, roles.replaceAll(",", "-")),
      BLOB_STORE: `file://${folder}/blobs`,
      MASTER_KEY: masterKey,
      DATABASE_URL: database.url,
      EVENTSTORE_URL: eventstore.url,
      NATS_URL: nats.url,
      EXECUTION_NETWORK: "open",
      EXECUTOR_CONCURRENCY: "1",
      LOG_LEVEL: "error",
    });
    const service = await startService(config, createLogger({ level: config.logLevel }));
    running.push(service);
    return service;
  };
  const masterKey = randomBytes(32).toString("hex");

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "runledger-roles-"));
    [database, nats, site] = await Promise.all([
      createTestDatabase(),
      startNatsServer(),
      serveDemoSite(),
    ]);
    eventstore = await startEmbeddedEventStore({ databaseUrl: database.url });
    // All at once, on an empty database, as containers start.
    const [api] = await Promise.all(
      ["api", "projections,dispatcher", "executor", "executor"].map(startRole),
    );
    url = api?.url ?? "";
    ann = await signUp(url);
    key = (await makeKey(url, ann)).key;
  });

  afterAll(async () => {
    await Promise.all(running.map((service) => service.stop()));
    running = [];
    await eventstore?.stop();
    await Promise.all([nats?.stop(), site?.close(), database?.drop()]);
    await rm(folder, { recursive: true, force: true });
  });

  const runTest = async (text: string) => {
    const test = await call(url, "POST", "/api/v1/tests", {
      bearer: ann.accessToken,
      body: { name: "Todos", text },
    });
    expect(test.status).toBe(201);
    const queued = await call(url, "POST", "/api/v1/cli/cloud-runs", {
      bearer: key,
      body: { test_ids: [test.body.id], base_url: site.url },
    });
    expect(queued.status).toBe(202);
    return queued.body as { run_ids: string[]; executions: { id: string }[] };
  };
  const ended = (runId: string) =>
    eventually(
      async () => (await call(url, "GET", `/api/v1/cli/cloud-runs/${runId}`, { bearer: key })).body,
      (run) => run.finished_at !== null,
      60_000,
    );

  it("given a test, when a key queues it at the api, then an executor apart runs it, a watcher sees it live, and its screenshots are served", async () => {
    const { run_ids, executions } = await runTest('Go to /todo\nI should see "todos"');
    const runId = run_ids[0] ?? "";
    const watcher = await watch(url, { cookie: ann.cookie });
    watcher.say({ type: "subscribe", run_id: runId, after: 0 });
    await watcher.until((message) => message.name === "run_finished");
    watcher.drop();
    const events = watcher.events(runId);
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 1));
    expect((await ended(runId)).status).toBe("passed");
    const execution = await call(url, "GET", `/api/v1/executions/${executions[0]?.id}`, {
      bearer: key,
    });
    const shot = await call(url, "GET", execution.body.browsers[0].steps[0].screenshot_url, {
      bearer: key,
    });
    expect([shot.status, shot.headers.get("content-type")]).toEqual([200, "image/jpeg"]);
  });

  it("given NATS lost everything, when a test is queued meanwhile, then its run ends all the same", async () => {
    await nats.kill();
    const queueing = runTest('Go to /todo\nI should see "todos"');
    await nats.start({ empty: true });
    const { run_ids } = await queueing;
    expect((await ended(run_ids[0] ?? "")).status).toBe("passed");
  });
});
