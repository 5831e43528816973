import { expect } from "vitest";
import type { DemoSite } from "../../src/cli/operator/demo/site.ts";
import type { EventLog } from "../../src/platform/eventLog/port.ts";
import {
  type Account,
  type CallOptions,
  callOnce,
  eventually,
  makeKey,
  type Reply,
  signUp,
} from "./client.ts";
import { watch } from "./watcher.ts";

/** Maximum time until everything works again. */
const RECOVERY_MS = 25_000;

/** A response with its duration in milliseconds. */
export type Timed = Reply & { readonly ms: number };

/** A customer and its successful requests. */
type Records = {
  readonly url: string;
  readonly site: DemoSite;
  readonly ann: Account;
  readonly key: string;
  readonly createdTests: string[];
  readonly queuedRuns: string[];
};

export type Customer = Awaited<ReturnType<typeof createCustomer>>;

/** Signs up a customer with a key, tests and a run with a screenshot, and records its successful requests. */
export const createCustomer = async (url: string, site: DemoSite) => {
  const ann = await signUp(url);
  const { key } = await makeKey(url, ann);
  const records: Records = { url, site, ann, key, createdTests: [], queuedRuns: [] };
  const quick = (await createTest(records)).body.id as string;
  const slow = (await createTest(records, "Go to /todo\nWait 1 s\nWait 1 s\nWait 1 s\nWait 1 s"))
    .body.id as string;
  const first = (await queueRun(records, quick)).body;
  expect((await endOf(records, first.run_ids[0])).status).toBe("passed");
  const shot = `/api/v1/tests/${first.executions[0].id}/screenshots/chromium/1`;
  return {
    ...{ url, ann, quick, slow },
    timed: timed.bind(null, url),
    createTest: createTest.bind(null, records),
    queueRun: queueRun.bind(null, records),
    endOf: endOf.bind(null, records),
    askEverything: () => askEverything(records, quick, shot),
    watchToTheEnd: watchToTheEnd.bind(null, records),
    recovers: recovers.bind(null, records),
    expectNothingLost: expectNothingLost.bind(null, records),
  };
};

const timed = async (
  url: string,
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<Timed> => {
  const startedAt = performance.now();
  const reply = await callOnce(url, method, path, options);
  return { ...reply, ms: performance.now() - startedAt };
};

const createTest = async (
  { url, ann, createdTests }: Records,
  text = 'Go to /todo\nI should see "todos"',
): Promise<Timed> => {
  const reply = await timed(url, "POST", "/api/v1/tests", {
    bearer: ann.accessToken,
    body: { name: "A test", text },
  });
  if (reply.status === 201) createdTests.push(reply.body.id);
  return reply;
};

const queueRun = async (
  { url, site, key, queuedRuns }: Records,
  testId: string,
): Promise<Timed> => {
  const reply = await timed(url, "POST", "/api/v1/cli/cloud-runs", {
    bearer: key,
    body: { test_ids: [testId], base_url: site.url },
  });
  if (reply.status === 202) queuedRuns.push(reply.body.run_ids[0]);
  return reply;
};

/** Waits through 503 responses until a run has ended, and returns it. */
const endOf = async ({ url, key }: Records, runId: string, patienceMs = 60_000) => {
  const path = `/api/v1/cli/cloud-runs/${runId}`;
  const { body } = await eventually(
    () => timed(url, "GET", path, { bearer: key }),
    ({ status, body }) => status === 200 && body.finished_at !== null,
    patienceMs,
  );
  return body;
};

/** Sends one request for each combination of required parts. */
const askEverything = async (records: Records, testId: string, shot: string) => {
  const { url, key } = records;
  const [live, plans, parse, list, write, dispatch, picture, ready] = await Promise.all([
    timed(url, "GET", "/api/v1/health/live"),
    timed(url, "GET", "/api/v1/catalog/plans"),
    timed(url, "POST", "/api/v1/tests/parse", { bearer: key, body: { text: "Go to /todo" } }),
    timed(url, "GET", "/api/v1/cli/tests", { bearer: key }),
    createTest(records),
    queueRun(records, testId),
    timed(url, "GET", shot, { bearer: key }),
    timed(url, "GET", "/api/v1/health/ready"),
  ]);
  return { live, plans, parse, list, write, dispatch, picture, ready };
};

/** Watches a run over the WebSocket until its end and returns its events. */
const watchToTheEnd = async ({ url, ann }: Records, runId: string) => {
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
};

/** Waits until the service is ready, a write can be read and a run passes. Returns the times in milliseconds. */
const recovers = async (
  records: Records,
): Promise<{ ready: number; written: number; ran: number }> => {
  const { url, key } = records;
  const since = performance.now();
  const elapsed = (): number => Math.round(performance.now() - since);
  const until = (status: number, ask: () => Promise<Timed>): Promise<Timed> =>
    eventually(ask, (reply) => reply.status === status, RECOVERY_MS - elapsed());
  await until(200, () => timed(url, "GET", "/api/v1/health/ready"));
  const ready = elapsed();
  const testId = (await until(201, () => createTest(records))).body.id as string;
  await until(200, () => timed(url, "GET", `/api/v1/tests/${testId}`, { bearer: key }));
  const written = elapsed();
  const run = (await until(202, () => queueRun(records, testId))).body.run_ids[0] as string;
  expect((await endOf(records, run, RECOVERY_MS)).status).toBe("passed");
  return { ready, written, ran: elapsed() };
};

/** Expects every acknowledged write in the log, and every accepted run to pass. */
const expectNothingLost = async (records: Records, log: EventLog): Promise<void> => {
  const { createdTests, queuedRuns } = records;
  for (const id of createdTests) expect(await hasEvents(log, `test-${id}`)).toBe(true);
  for (const id of queuedRuns) expect(await hasEvents(log, `run-${id}`)).toBe(true);
  for (const id of queuedRuns) expect((await endOf(records, id)).status).toBe("passed");
  createdTests.length = 0;
  queuedRuns.length = 0;
};

const hasEvents = async (log: EventLog, stream: string): Promise<boolean> => {
  let found = false;
  for await (const _event of log.readStream(stream)) found = true;
  return found;
};
