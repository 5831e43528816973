import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import {
  type Account,
  type CallOptions,
  call,
  callOnce,
  eventually,
  makeKey,
  type Reply,
  signUp,
} from "../support/client.ts";
import { signedByProviderA } from "../support/providers.ts";
import type { World } from "./world.ts";

/** The number of runs in progress during the faults. */
export const RUNS_AT_ONCE = 20;
const TESTS = 6;
const TEST_EVERY_MS = 700;
const AGAIN_MS = 100;
/** Longer than any response takes, in milliseconds. */
const SILENT_MS = 15_000;
const STEPS = ["Go to /todo", "Wait 1 s", 'I should see "todos"'];

/** A customer and its acknowledged requests. */
export type Customer = {
  readonly account: Account;
  readonly key: string;
  readonly testId: string;
  readonly steps: number;
  readonly runs: string[];
  readonly tests: string[];
  readonly plans: { organizationId: string; changeId: string }[];
};

/** Signs up a customer whose plan allows 20 concurrent tests, with a test and a contact that is notified of every run. */
export const createCustomer = async ({ url, smtp }: World): Promise<Customer> => {
  const account = await signUp(url);
  const as = async (method: string, path: string, body?: unknown) => {
    const reply = await call(url, method, `/api/v1${path}`, { bearer: account.accessToken, body });
    if (reply.status >= 300)
      throw new Error(`${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
    return reply.body;
  };
  const { id: changeId } = await as("POST", "/plan/change", { plan: "business" });
  await as("POST", `/plan/change/${changeId}/confirm`);
  const { key } = await makeKey(url, account);
  const test = await as("POST", "/tests", { name: "Todos", text: STEPS.join("\n") });
  const contact = await as("POST", "/notifications/contacts", { email: "bob@example.test" });
  const questions = await eventually(
    async () => smtp.received.filter(({ to }) => to?.[0]?.address === "bob@example.test"),
    (mails) => mails.length > 0,
  );
  const token = /token=([\w-]+)/.exec(questions[0]?.text ?? "")?.[1];
  await as("POST", `/notifications/contacts/${contact.id}/verify`, { token });
  const every = { on: "every_run", sources: ["api_key"], refusals: false };
  await as("PUT", "/notifications/preferences", every);
  const { organizationId } = account;
  const plans = [{ organizationId, changeId }];
  return { account, key, testId: test.id, steps: test.step_count, runs: [], tests: [], plans };
};

/** The requests of a round. */
export type Load = {
  /** Resolves when every request has succeeded. */
  readonly done: Promise<void>;
  /** Fails the requests that have not succeeded within this time from now, in milliseconds. */
  giveUpAfter(ms: number): void;
};

/**
 * Queues 20 runs concurrently, creates and renames tests and changes plans during the faults. Failed requests and those
 * without a response are repeated with the same Idempotency-Key, as a client should.
 */
export const startLoad = async (world: World, customer: Customer): Promise<Load> => {
  const { url, site } = world;
  let deadline = Number.POSITIVE_INFINITY;

  const until = async (
    status: number,
    method: string,
    path: string,
    options: CallOptions,
  ): Promise<Reply> => {
    const headers = { "idempotency-key": randomUUID(), ...options.headers };
    for (;;) {
      const reply = await answerOf(url, method, `/api/v1${path}`, { ...options, headers });
      if (reply?.status === status) return reply;
      const said = reply ? `${reply.status} ${JSON.stringify(reply.body)}` : "no answer";
      if (!isToRepeat(reply)) throw new Error(`${method} ${path}: ${said}`);
      if (performance.now() > deadline) throw new Error(`${method} ${path}, in the end: ${said}`);
      await delay(AGAIN_MS);
    }
  };

  const run = async (): Promise<void> => {
    const body = { test_ids: [customer.testId], base_url: site.url };
    const queued = await until(202, "POST", "/cli/cloud-runs", { bearer: customer.key, body });
    customer.runs.push(...queued.body.run_ids);
  };
  const write = async (_: unknown, n: number): Promise<void> => {
    await delay(n * TEST_EVERY_MS);
    const { key: bearer } = customer;
    const steps = [{ action: "click", target: "button" }];
    const body = { name: "Created", steps };
    const { id } = (await until(201, "POST", "/tests", { bearer, body })).body;
    await until(200, "PUT", `/tests/${id}`, { bearer, body: { name: "Renamed" } });
    customer.tests.push(id);
  };
  const buy = async ({ accessToken: bearer, organizationId }: Account): Promise<void> => {
    const change = await until(201, "POST", "/plan/change", { bearer, body: { plan: "team" } });
    const { id: changeId } = change.body;
    await delay(Math.random() * TEST_EVERY_MS);
    await until(200, "POST", `/plan/change/${changeId}/confirm`, { bearer });
    customer.plans.push({ organizationId, changeId });
  };
  /** Sends the webhook of a payment several times. */
  const pay = async ({ organizationId }: Account, changeId: string): Promise<void> => {
    const event = { event_id: `evt_${randomUUID()}`, ...purchase(changeId) };
    const { body, headers } = signedByProviderA(event);
    const tell = () => until(200, "POST", "/webhooks/provider-a", { body, headers });
    await Promise.all([
      tell(),
      delay(TEST_EVERY_MS).then(tell),
      delay(4 * TEST_EVERY_MS).then(tell),
    ]);
    customer.plans.push({ organizationId, changeId });
  };

  const [buyer, payer] = await Promise.all([signUp(url), signUp(url)]);
  const paid = await call(url, "POST", "/api/v1/plan/change", {
    bearer: payer.accessToken,
    body: { plan: "starter" },
  });
  const all = [
    ...Array.from({ length: RUNS_AT_ONCE }, run),
    ...Array.from({ length: TESTS }, write),
    buy(buyer),
    pay(payer, paid.body.id),
  ];
  const done = Promise.all(all).then(() => undefined);
  // Awaited after the faults.
  done.catch(() => undefined);
  return {
    done,
    giveUpAfter: (ms) => {
      deadline = performance.now() + ms;
    },
  };
};

/** Whether to repeat a request: no response, a part was unavailable, or the request is still in progress. */
const isToRepeat = (reply: Reply | null): boolean =>
  reply === null ||
  reply.status === 503 ||
  (reply.status === 409 && reply.headers.get("retry-after") !== null);

/** The response; null if there was none. */
const answerOf = async (
  url: string,
  method: string,
  path: string,
  options: CallOptions,
): Promise<Reply | null> => {
  const over = new AbortController();
  const late = delay(SILENT_MS, null, { signal: over.signal }).catch(() => null);
  try {
    return await Promise.race([late, callOnce(url, method, path, options)]);
  } catch {
    return null;
  } finally {
    over.abort();
  }
};

const purchase = (changeId: string) => ({
  event_type: "transaction.completed",
  occurred_at: new Date().toISOString(),
  data: {
    id: `txn_${changeId}`,
    subscription_id: `sub_${changeId}`,
    origin: "web",
    custom_data: { plan_change_request_id: changeId },
    items: [{ price: { id: "pri_starter" }, quantity: 1 }],
    billing_period: {
      starts_at: new Date().toISOString(),
      ends_at: new Date(Date.now() + 30 * 86_400_000).toISOString(),
    },
  },
});
