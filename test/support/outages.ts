import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "vitest";
import { type DemoSite, serveDemoSite } from "../../src/cli/operator/demo/site.ts";
import { connectEventLog } from "../../src/platform/eventLog/client.ts";
import type { EventLog } from "../../src/platform/eventLog/port.ts";
import { type Account, type CallOptions, callOnce, makeKey, type Reply, signUp } from "./client.ts";
import {
  type Fault,
  type PartApart,
  startDatabaseApart,
  startLogApart,
  startNatsApart,
} from "./partsApart.ts";
import { type ServiceProcess, startServiceProcess } from "./serviceProcess.ts";
import { watch } from "./watcher.ts";

export type PartName = "event_log" | "database" | "bus" | "blob_store";

/** Maximum time until a caller is told of an outage: 5 s by contract, plus a second for a loaded machine. */
export const ANSWER_MS = 6_000;
/** Maximum time until everything works again. */
const RECOVERY_MS = 25_000;

/** How an error detail begins for each part. */
export const titles: Readonly<Record<PartName, RegExp>> = {
  event_log: /^The event log /,
  database: /^The database /,
  bus: /^The message bus /,
  blob_store: /^The store of screenshots /,
};

/** A response with its duration in milliseconds. */
export type Timed = Reply & { readonly ms: number };

/**
 * Prepares the service as a separate process, with event log, database and NATS behind faulty proxies and a folder of
 * screenshots, so that a test can cause an outage of each part.
 */
export const startOutages = async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "runledger-outage-"));
  const blobFolder = path.join(folder, "blobs");
  const [eventLog, database, bus, site] = await Promise.all([
    startLogApart(),
    startDatabaseApart(),
    startNatsApart(),
    serveDemoSite(),
  ]);
  const direct = connectEventLog(eventLog.directUrl);
  const environment = {
    EVENTSTORE_URL: eventLog.url,
    DATABASE_URL: database.url,
    NATS_URL: bus.url,
    BLOB_STORE: `file://${blobFolder}`,
    EXECUTION_NETWORK: "open",
  };
  const startService = (said: string[] = []): Promise<ServiceProcess> =>
    startServiceProcess(folder, environment, said);
  const parts: Readonly<Record<"event_log" | "database" | "bus", PartApart>> = {
    event_log: eventLog,
    database,
    bus,
  };
  return {
    folder,
    blobFolder,
    site,
    direct,
    parts,
    startService,
    fail: async (part: PartName, fault: Fault): Promise<void> => {
      if (part !== "blob_store") return parts[part].fail(fault);
      await rename(blobFolder, `${blobFolder}.away`);
      // Without a folder, or with a file in its place.
      if (fault !== "refused") await writeFile(blobFolder, "");
    },
    mend: async (part: PartName): Promise<void> => {
      if (part !== "blob_store") return parts[part].mend();
      await rm(blobFolder, { force: true });
      await rename(`${blobFolder}.away`, blobFolder);
    },
    stop: async (): Promise<void> => {
      await direct.close();
      await Promise.all([eventLog.stop(), database.stop(), bus.stop(), site.close()]);
      await rm(folder, { recursive: true, force: true });
    },
  };
};

export type Outages = Awaited<ReturnType<typeof startOutages>>;

export type Customer = Awaited<ReturnType<typeof createCustomer>>;

/**
 * Measures the longest response time, in milliseconds, of a request that needs no part. Limits on other responses are
 * extended by it, since it is caused by the load of the machine.
 */
export const watchLateness = (url: string) => {
  let worst = 0;
  let isOver = false;
  const asking = (async () => {
    while (!isOver) {
      const since = performance.now();
      await callOnce(url, "GET", "/api/v1/health/live").catch(() => undefined);
      worst = Math.max(worst, performance.now() - since);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  })();
  return {
    soFar: () => worst,
    stop: async (): Promise<void> => {
      isOver = true;
      await asking;
    },
  };
};

/** Signs up a customer with a key, tests and a run with a screenshot, and records its successful requests. */
export const createCustomer = async (url: string, site: DemoSite) => {
  const ann: Account = await signUp(url);
  const { key } = await makeKey(url, ann);
  const createdTests: string[] = [];
  const queuedRuns: string[] = [];

  const timed = async (method: string, path: string, options: CallOptions = {}): Promise<Timed> => {
    const startedAt = performance.now();
    const reply = await callOnce(url, method, path, options);
    return { ...reply, ms: performance.now() - startedAt };
  };
  const createTest = async (text = 'Go to /todo\nI should see "todos"'): Promise<Timed> => {
    const reply = await timed("POST", "/api/v1/tests", {
      bearer: ann.accessToken,
      body: { name: "A test", text },
    });
    if (reply.status === 201) createdTests.push(reply.body.id);
    return reply;
  };
  const queueRun = async (testId: string): Promise<Timed> => {
    const reply = await timed("POST", "/api/v1/cli/cloud-runs", {
      bearer: key,
      body: { test_ids: [testId], base_url: site.url },
    });
    if (reply.status === 202) queuedRuns.push(reply.body.run_ids[0]);
    return reply;
  };
  const runOf = (id: string) => timed("GET", `/api/v1/cli/cloud-runs/${id}`, { bearer: key });

  /** Waits through 503 responses until a run has ended, and returns it. */
  const endOf = async (runId: string, patienceMs = 60_000) => {
    const deadline = performance.now() + patienceMs;
    for (;;) {
      const { status, body } = await runOf(runId);
      if (status === 200 && body.finished_at !== null) return body;
      if (performance.now() > deadline)
        throw new Error(`The run does not end: ${status} ${JSON.stringify(body)}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };

  const quick = (await createTest()).body.id as string;
  const slow = (await createTest("Go to /todo\nWait 1 s\nWait 1 s\nWait 1 s\nWait 1 s")).body
    .id as string;
  const first = (await queueRun(quick)).body;
  expect((await endOf(first.run_ids[0])).status).toBe("passed");
  const shot = `/api/v1/tests/${first.executions[0].id}/screenshots/chromium/1`;

  return {
    url,
    ann,
    quick,
    slow,
    timed,
    createTest,
    queueRun,
    endOf,
    /** Sends one request for each combination of required parts. */
    askEverything: async () => {
      const [live, plans, parse, list, write, dispatch, picture, ready] = await Promise.all([
        timed("GET", "/api/v1/health/live"),
        timed("GET", "/api/v1/catalog/plans"),
        timed("POST", "/api/v1/tests/parse", { bearer: key, body: { text: "Go to /todo" } }),
        timed("GET", "/api/v1/cli/tests", { bearer: key }),
        createTest(),
        queueRun(quick),
        timed("GET", shot, { bearer: key }),
        timed("GET", "/api/v1/health/ready"),
      ]);
      return { live, plans, parse, list, write, dispatch, picture, ready };
    },
    /** Watches a run over the WebSocket until its end and returns its events. */
    watchToTheEnd: async (runId: string) => {
      const watcher = await watch(url, { cookie: ann.cookie });
      watcher.say({ type: "subscribe", run_id: runId, after: 0 });
      // The subscription must exist before the outage, which refuses new ones.
      await watcher.until((message) => message.type === "event" && message.run_id === runId);
      return {
        end: async () => {
          await watcher.until((message) => message.name === "run_finished");
          watcher.drop();
          return watcher.events(runId);
        },
      };
    },
    /** Waits until the service is ready, a write can be read and a run passes. Returns the times in milliseconds. */
    recovers: async (): Promise<{ ready: number; written: number; ran: number }> => {
      const since = performance.now();
      const deadline = since + RECOVERY_MS;
      const until = async <T>(what: string, ask: () => Promise<T | null>): Promise<[T, number]> => {
        for (;;) {
          const answer = await ask();
          if (answer !== null) return [answer, Math.round(performance.now() - since)];
          if (performance.now() > deadline) throw new Error(`No recovery in time: ${what}`);
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
      };
      const [, ready] = await until("not ready", async () =>
        (await timed("GET", "/api/v1/health/ready")).status === 200 ? true : null,
      );
      const [testId] = await until("no write", async () => {
        const reply = await createTest();
        return reply.status === 201 ? (reply.body.id as string) : null;
      });
      const [, written] = await until("not to be read", async () =>
        (await timed("GET", `/api/v1/tests/${testId}`, { bearer: key })).status === 200
          ? true
          : null,
      );
      const [run] = await until("no dispatch", async () => {
        const reply = await queueRun(testId);
        return reply.status === 202 ? (reply.body.run_ids[0] as string) : null;
      });
      const ended = await endOf(run, RECOVERY_MS);
      expect(ended.status).toBe("passed");
      return { ready, written, ran: Math.round(performance.now() - since) };
    },
    /** Expects every acknowledged write in the log, and every accepted run to pass. */
    expectNothingLost: async (log: EventLog): Promise<void> => {
      for (const id of createdTests) expect(await hasEvents(log, `test-${id}`)).toBe(true);
      for (const id of queuedRuns) expect(await hasEvents(log, `run-${id}`)).toBe(true);
      for (const id of queuedRuns) expect((await endOf(id)).status).toBe("passed");
      createdTests.length = 0;
      queuedRuns.length = 0;
    },
  };
};

const hasEvents = async (log: EventLog, stream: string): Promise<boolean> => {
  let found = false;
  for await (const _event of log.readStream(stream)) found = true;
  return found;
};
