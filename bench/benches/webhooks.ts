import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { call, signUp } from "../../test/support/client.ts";
import type { RunBench } from "../harness/bench.ts";
import { rateOf } from "../harness/callers.ts";
import { shuffled } from "../harness/pairs.ts";
import { plainRow } from "../harness/rows.ts";
import { quantile } from "../harness/statistics.ts";
import { startHostedService } from "../parts/host.ts";
import {
  bought,
  changed,
  createSender,
  idOf,
  refunded,
  type Told,
  webhookSettings,
} from "../parts/webhooks.ts";

const BENCH = "webhooks";
const ORGANIZATIONS = 64;
const CONNECTIONS = 64;
const LEG_MS = 3_000;
const GOAL_PER_SECOND = 800;
const HALF = GOAL_PER_SECOND / 2;
const EVEN_SECONDS = 8;
/** Of the storm of copies: so many events, each so often. */
const EVENTS = 1_000;
const COPIES = 50;
const STORM_AT_ONCE = 200;

/** A provider's events, each of which changes a plan: verified, kept, appended, applied, answered. */
export const run: RunBench = async (context) => {
  const service = await startHostedService(context, {
    roles: ["api", "projections", "dispatcher"],
    environment: webhookSettings,
  });
  const { send, close } = createSender(service.url, CONNECTIONS);
  context.defer(close);

  const subscriptions: { readonly id: string; readonly token: string; nth: number }[] = [];
  for (let n = 0; n < ORGANIZATIONS; n += 1) {
    const account = await signUp(service.url);
    const { body } = await call(service.url, "POST", "/api/v1/plan/change", {
      bearer: account.accessToken,
      body: { plan: "starter" },
    });
    const id = `sub_${randomUUID()}`;
    subscriptions.push({ id, token: account.accessToken, nth: 0 });
    mustBeApplied(await send(bought(id, body.id)));
  }
  let turn = 0;
  const next = (): Told => {
    turn += 1;
    const subscription = subscriptions[turn % subscriptions.length];
    if (!subscription) throw new Error("There is no subscription");
    subscription.nth += 1;
    return changed(subscription.id, subscription.nth);
  };

  const samples: number[] = [];
  for (let leg = -1; leg < Math.min(5, context.pairs(5)); leg += 1) {
    const rate = await rateOf(CONNECTIONS, LEG_MS, async () => mustBeApplied(await send(next())));
    if (leg >= 0) samples.push(rate);
  }

  const latencies: number[] = [];
  let refused = 0;
  const sent: Promise<unknown>[] = [];
  const started = performance.now();
  for (let n = 0; n < HALF * EVEN_SECONDS; n += 1) {
    const due = started + (n * 1_000) / HALF;
    const wait = due - performance.now();
    if (wait > 1) await delay(wait);
    sent.push(
      send(next())
        .then(mustBeApplied, () => {
          refused += 1;
        })
        // From the moment in which it was due: who is held up by another is late too.
        .finally(() => latencies.push(performance.now() - due)),
    );
  }
  await Promise.all(sent);

  // What a change of a tier does depends on whether a newer one was there first; what a refund does, does not.
  const refunds = subscriptions.flatMap(({ id }) =>
    Array.from({ length: Math.ceil(EVENTS / ORGANIZATIONS) }, () => refunded(id)),
  );
  const told = refunds.slice(0, EVENTS);
  const storm = shuffled(
    told.flatMap((one) => Array<Told>(COPIES).fill(one)),
    context.random,
  );
  const stormStarted = performance.now();
  let received = 0;
  await Promise.all(
    Array.from({ length: STORM_AT_ONCE }, async () => {
      for (let one = storm.pop(); one; one = storm.pop()) {
        if ((await send(one)) === '{"received":true}') received += 1;
      }
    }),
  );
  const stormTook = performance.now() - stormStarted;
  const causes: (string | null)[] = [];
  for (const { token } of subscriptions) {
    const { body } = await call(service.url, "GET", "/api/v1/plan/history", { bearer: token });
    const items: { readonly cause: { readonly provider_event_id: string | null } }[] = body.items;
    causes.push(...items.map(({ cause }) => cause.provider_event_id));
  }
  const expected = new Set(told.map(idOf));
  const effects = causes.filter((id) => id !== null && expected.has(id));
  const said = `${EVENTS} events, ${COPIES} copies each: ${received} acted on, ${effects.length} effects of ${new Set(effects).size}`;
  context.say(said);
  if (effects.length !== EVENTS || new Set(effects).size !== EVENTS) throw new Error(said);

  const about = { bench: BENCH };
  const note = `${ORGANIZATIONS} organisations; each event changes a plan; the load comes from this machine too`;
  return [
    plainRow(
      {
        ...about,
        what: `events applied and answered, ${CONNECTIONS} connections`,
        unit: "/s",
        goal: { of: "value", atLeast: GOAL_PER_SECOND },
        note,
      },
      samples,
    ),
    plainRow(
      {
        ...about,
        what: `from due to answered at ${HALF} a second, p99`,
        unit: "ms",
        goal: { of: "value", atMost: 50 },
        note: `${refused} of ${latencies.length} were told to come again`,
      },
      latencies,
      (all) => quantile(all, 0.99),
    ),
    plainRow(
      {
        ...about,
        what: `copies answered, ${EVENTS} events ${COPIES} times each, shuffled`,
        unit: "/s",
        note: `${effects.length} effects, ${received} answered as acted on`,
      },
      [(EVENTS * COPIES * 1_000) / stormTook],
    ),
  ];
};

const mustBeApplied = (text: string): void => {
  if (text !== '{"received":true}') throw new Error(`It was not acted on: ${text}`);
};
