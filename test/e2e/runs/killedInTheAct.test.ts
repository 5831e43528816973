import { randomBytes, randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type EmbeddedEventStore,
  startEmbeddedEventStore,
} from "../../../src/eventstore/server.ts";
import { connectEventLog } from "../../../src/platform/eventLog/client.ts";
import type { EventLog, RecordedEvent } from "../../../src/platform/eventLog/port.ts";
import {
  type Account,
  call,
  eventually,
  makeKey,
  type Reply,
  signUp,
} from "../../support/client.ts";
import { type NatsServer, startNatsServer } from "../../support/natsServer.ts";
import { steps } from "../../support/organization/catalogue.ts";
import { createTestDatabase, type TestDatabase } from "../../support/postgres.ts";
import { type ServiceProcess, startServiceProcess } from "../../support/serviceProcess.ts";

/** While the test holds this lock, no answer is written down: processes stand between their append and their answer. */
const HOLD = 4_711;
/** Selects the locks of this database, because other suites use the same server. */
const WAITS_FOR_HOLD = `locktype = 'advisory' and not granted and objid = ${HOLD}
  and database = (select oid from pg_database where datname = current_database())`;

describe("a process killed between append and response", () => {
  let folder: string;
  let database: TestDatabase;
  let eventstore: EmbeddedEventStore;
  let nats: NatsServer;
  let log: EventLog;
  let admin: pg.Client;
  let survivor: ServiceProcess;
  let victim: ServiceProcess;
  let account: Account;
  let bearer: string;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "runledger-killed-"));
    [database, nats] = await Promise.all([createTestDatabase(), startNatsServer()]);
    eventstore = await startEmbeddedEventStore({ databaseUrl: database.url });
    log = connectEventLog(eventstore.url);
    const masterKey = randomBytes(32).toString("hex");
    const start = (name: string, roles: string) =>
      startServiceProcess(path.join(folder, name), {
        ROLES: roles,
        BLOB_STORE: `file://${folder}/blobs`,
        MASTER_KEY: masterKey,
        DATABASE_URL: database.url,
        EVENTSTORE_URL: eventstore.url,
        NATS_URL: nats.url,
      });
    survivor = await start("survivor", "api,projections");
    victim = await start("victim", "api");
    account = await signUp(survivor.url);
    bearer = (await makeKey(survivor.url, account)).key;
    admin = new pg.Client({ connectionString: database.url });
    await admin.connect();
    await admin.query(`
      create function hold_answer() returns trigger language plpgsql as $$
      begin
        if new.answer_sealed is not null then perform pg_advisory_xact_lock_shared(${HOLD}); end if;
        return new;
      end $$;
      create trigger hold_answer before update on idempotency_keys
        for each row execute function hold_answer()`);
  });

  afterAll(async () => {
    await Promise.all([survivor?.end("SIGTERM"), victim?.end("SIGKILL")]);
    await log?.close();
    await admin?.end();
    await eventstore?.stop();
    await Promise.all([nats?.stop(), database?.drop()]);
    await rm(folder, { recursive: true, force: true });
  });

  const ask = (at: ServiceProcess, method: string, where: string, body?: unknown, key?: string) =>
    call(at.url, method, `/api/v1${where}`, {
      bearer,
      body,
      headers: key ? { "idempotency-key": key } : {},
    });
  const eventsOf = async (type: string, holds: (data: never) => boolean) => {
    const found: RecordedEvent[] = [];
    for await (const event of log.readAll({ after: null })) {
      if (event.type === type && holds(event.data as never)) found.push(event);
    }
    return found;
  };
  const held = async (): Promise<number> => {
    const { rows } = await admin.query(
      `select count(*)::int as n from pg_locks where ${WAITS_FOR_HOLD}`,
    );
    return rows[0].n;
  };

  it("has executed the request once, and a repeat at any process returns the same ids", async () => {
    const post = async (where: string, body: unknown) =>
      (await ask(survivor, "POST", where, body)).body.id as string;
    const project = await post("/projects", { name: "Shop" });
    const doomed = await post("/projects", { name: "Doomed" });
    const changed = await post("/tests", { name: "changed", project_id: project, steps });
    const queued = await post("/tests", { name: "queued", steps });
    const other = { steps: [{ action: "click", target: "button" }] };
    const requests = [
      ["POST", "/tests", { name: "born", project_id: project, steps }],
      ["POST", "/projects", { name: "Born too" }],
      ["POST", "/cli/cloud-runs", { test_ids: [queued] }],
      ["PUT", `/cli/tests/${changed}/steps`, other],
      ["PUT", `/projects/${project}`, { name: "Renamed" }],
      ["DELETE", `/projects/${doomed}`, undefined],
    ] as const;
    const keys = requests.map(() => randomUUID());
    const askAll = (at: ServiceProcess) =>
      Promise.all(
        requests.map(([method, where, body], n) => ask(at, method, where, body, keys[n])),
      );

    await admin.query(`select pg_advisory_lock(${HOLD})`);
    const cut = askAll(victim).then(
      () => "answered",
      () => "cut",
    );
    await eventually(held, (n) => n === requests.length);
    for (const reply of await askAll(survivor)) {
      expect([reply.status, reply.headers.get("retry-after")]).toEqual([409, "1"]);
    }
    await victim.end("SIGKILL");
    expect(await cut).toBe("cut");
    // The database would execute the pending statement once the lock is free, without a client.
    await admin.query(`
      select pg_terminate_backend(pid) from pg_locks where ${WAITS_FOR_HOLD}`);
    await eventually(held, (n) => n === 0);
    await admin.query(`select pg_advisory_unlock(${HOLD})`);
    // Later changes by others do not appear in the responses.
    await ask(survivor, "PUT", `/tests/${changed}`, { name: "changed since" });

    const settled = (replies: readonly Reply[]) => replies.every(({ status }) => status !== 409);
    const replies = await eventually(() => askAll(survivor), settled);
    expect(replies.map(({ status }) => status)).toEqual([201, 201, 202, 200, 200, 204]);
    const [born, bornToo, run, stepsChanged, renamed] = replies.map(({ body }) => body);

    const [testCreated, ...moreTests] = await eventsOf(
      "TestCreated",
      ({ name }: { name: string }) => name === "born",
    );
    expect([testCreated?.data, moreTests]).toMatchObject([
      { testId: born.id, steps: [{ id: born.steps[0].id }] },
      [],
    ]);
    const [projectCreated, ...moreProjects] = await eventsOf(
      "ProjectCreated",
      ({ name }: { name: string }) => name === "Born too",
    );
    expect([projectCreated?.data, moreProjects]).toMatchObject([{ projectId: bornToo.id }, []]);
    expect(bornToo.created_at).toBe(projectCreated?.metadata.occurred_at);
    const runs = await eventsOf("RunQueued", () => true);
    expect(runs.map(({ data }) => data)).toMatchObject([
      { runId: run.run_ids[0], executions: [{ executionId: run.executions[0].id }] },
    ]);
    expect((await eventsOf("RunsReserved", () => true)).length).toBe(1);
    const { body: usage } = await ask(survivor, "GET", "/usage");
    expect(usage).toMatchObject({ used: 0, reserved: 1 });
    expect((await eventsOf("TestStepsReplaced", () => true)).length).toBe(1);
    expect(stepsChanged).toMatchObject({ name: "changed", version: 2 });
    expect(renamed).toMatchObject({ name: "Renamed", version: 2 });
    expect((await eventsOf("ProjectDeleted", () => true)).length).toBe(1);

    const again = await askAll(survivor);
    expect(again.map(({ status, body }) => [status, body])).toEqual(
      replies.map(({ status, body }) => [status, body]),
    );
  });
});
