import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { call, signUp } from "../../test/support/client.ts";
import type { BenchContext, RunBench } from "../harness/bench.ts";
import { rateOf } from "../harness/callers.ts";
import { shuffled } from "../harness/pairs.ts";
import { plainRow } from "../harness/rows.ts";
import { quantile } from "../harness/statistics.ts";
import { type HostedService, startHostedService } from "../parts/host.ts";
import {
  createSender,
  eventIdOf,
  type ProviderEvent,
  purchaseEvent,
  refundEvent,
  tierChangeEvent,
  webhookSettings,
} from "../parts/webhooks.ts";

const BENCH = "webhooks";
const ORGANIZATIONS = 64;
const CONNECTIONS = 64;
const LEG_MS = 3_000;
const GOAL_PER_SECOND = 800;
const STEADY_PER_SECOND = GOAL_PER_SECOND / 2;
const STEADY_SECONDS = 8;
const DUPLICATED_EVENTS = 1_000;
const COPIES = 50;
const DUPLICATE_SENDERS = 200;

type Subscription = { readonly id: string; readonly token: string; changes: number };
type Send = (event: ProviderEvent) => Promise<string>;

/** Throughput and latency of provider events that change a plan, and the effects of duplicate events. */
export const run: RunBench = async (context) => {
  const service = await startHostedService(context, {
    roles: ["api", "projections", "dispatcher"],
    environment: webhookSettings,
  });
  const { send, close } = createSender(service.url, CONNECTIONS);
  context.defer(close);
  const subscriptions = await createSubscriptions(service, send);
  const next = rotatingTierChanges(subscriptions);

  const rates: number[] = [];
  for (let leg = -1; leg < Math.min(5, context.pairs(5)); leg += 1) {
    const rate = await rateOf(CONNECTIONS, LEG_MS, async () => assertApplied(await send(next())));
    if (leg >= 0) rates.push(rate);
  }
  const steady = await measureSteadyRate(send, next);
  const duplicates = await sendDuplicates(context, service, subscriptions, send);
  return [
    plainRow(
      {
        bench: BENCH,
        what: `events applied and answered, ${CONNECTIONS} connections`,
        unit: "/s",
        goal: { of: "value", atLeast: GOAL_PER_SECOND },
        note: `${ORGANIZATIONS} organisations; each event changes a plan; the load generator runs on the same machine`,
      },
      rates,
    ),
    plainRow(
      {
        bench: BENCH,
        what: `scheduled time to response at ${STEADY_PER_SECOND} a second, p99`,
        unit: "ms",
        goal: { of: "value", atMost: 50 },
        note: `${steady.refused} of ${steady.latencies.length} events were refused`,
      },
      steady.latencies,
      (all) => quantile(all, 0.99),
    ),
    plainRow(
      {
        bench: BENCH,
        what: `duplicates answered, ${DUPLICATED_EVENTS} events ${COPIES} times each, shuffled`,
        unit: "/s",
        note: duplicates.note,
      },
      [duplicates.perSecond],
    ),
  ];
};

/** Creates organisations that have paid for the plan `starter`. */
const createSubscriptions = async (
  { url }: HostedService,
  send: Send,
): Promise<readonly Subscription[]> => {
  const subscriptions: Subscription[] = [];
  for (let n = 0; n < ORGANIZATIONS; n += 1) {
    const { accessToken: token } = await signUp(url);
    const { body } = await call(url, "POST", "/api/v1/plan/change", {
      bearer: token,
      body: { plan: "starter" },
    });
    const id = `sub_${randomUUID()}`;
    subscriptions.push({ id, token, changes: 0 });
    assertApplied(await send(purchaseEvent(id, body.id)));
  }
  return subscriptions;
};

const rotatingTierChanges = (subscriptions: readonly Subscription[]): (() => ProviderEvent) => {
  let turn = 0;
  return () => {
    turn += 1;
    const subscription = subscriptions[turn % subscriptions.length];
    if (!subscription) throw new Error("There are no subscriptions");
    subscription.changes += 1;
    return tierChangeEvent(subscription.id, subscription.changes);
  };
};

/** Sends events at a fixed rate. Latency counts from the scheduled time, so that queueing delays are included. */
const measureSteadyRate = async (
  send: Send,
  next: () => ProviderEvent,
): Promise<{ readonly latencies: readonly number[]; readonly refused: number }> => {
  const latencies: number[] = [];
  let refused = 0;
  const sent: Promise<unknown>[] = [];
  const started = performance.now();
  for (let n = 0; n < STEADY_PER_SECOND * STEADY_SECONDS; n += 1) {
    const due = started + (n * 1_000) / STEADY_PER_SECOND;
    const wait = due - performance.now();
    if (wait > 1) await delay(wait);
    sent.push(
      send(next())
        .then(assertApplied, () => {
          refused += 1;
        })
        .finally(() => latencies.push(performance.now() - due)),
    );
  }
  await Promise.all(sent);
  return { latencies, refused };
};

/**
 * Sends each of 1,000 events 50 times in random order. Throws unless each has exactly one effect.
 * The events are refunds: the effect of a tier change would depend on the order.
 */
const sendDuplicates = async (
  context: BenchContext,
  { url }: HostedService,
  subscriptions: readonly Subscription[],
  send: Send,
): Promise<{ readonly perSecond: number; readonly note: string }> => {
  const refunds = subscriptions.flatMap(({ id }) =>
    Array.from({ length: Math.ceil(DUPLICATED_EVENTS / ORGANIZATIONS) }, () => refundEvent(id)),
  );
  const events = refunds.slice(0, DUPLICATED_EVENTS);
  const copies = events.flatMap((event) => Array<ProviderEvent>(COPIES).fill(event));
  const queue = shuffled(copies, context.random);
  const started = performance.now();
  let applied = 0;
  const sendQueued = async (): Promise<void> => {
    for (let event = queue.pop(); event; event = queue.pop()) {
      if ((await send(event)) === APPLIED) applied += 1;
    }
  };
  await Promise.all(Array.from({ length: DUPLICATE_SENDERS }, sendQueued));
  const elapsed = performance.now() - started;

  const expected = new Set(events.map(eventIdOf));
  const causes = (await Promise.all(subscriptions.map(({ token }) => causesOf(url, token)))).flat();
  const effects = causes.filter((id) => id !== null && expected.has(id));
  const distinct = new Set(effects).size;
  const note = `${DUPLICATED_EVENTS} events, ${COPIES} copies each: ${applied} answered as applied, ${effects.length} effects of ${distinct} events`;
  context.log(note);
  if (effects.length !== DUPLICATED_EVENTS || distinct !== DUPLICATED_EVENTS) throw new Error(note);
  return { perSecond: (copies.length * 1_000) / elapsed, note };
};

/** The provider event ids in the plan history of an organisation. */
const causesOf = async (url: string, token: string): Promise<readonly (string | null)[]> => {
  const { body } = await call(url, "GET", "/api/v1/plan/history", { bearer: token });
  const items: { readonly cause: { readonly provider_event_id: string | null } }[] = body.items;
  return items.map(({ cause }) => cause.provider_event_id);
};

const APPLIED = '{"received":true}';

const assertApplied = (text: string): void => {
  if (text !== APPLIED) throw new Error(`The event was not applied: ${text}`);
};
