import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { Paddle } from "@paddle/paddle-node-sdk";
import { sql } from "kysely";
import Stripe from "stripe";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { planDecider } from "../../../src/domain/billing/plan.ts";
import { webhookDecider } from "../../../src/domain/billing/webhook.ts";
import { newId } from "../../../src/platform/ids.ts";
import { type Account, call, eventually, type Reply, signUp } from "../../support/client.ts";
import type { LocalProvider } from "../../support/localProvider.ts";
import { startProviderB } from "../../support/localProviderB.ts";
import {
  hmacOfProviderA,
  providerBSecret,
  providerBSettings,
  providerSettings,
  signedByProviderA,
} from "../../support/providers.ts";
import { startTestService, type TestService } from "../../support/service.ts";
import { shownByNow } from "../../support/shown.ts";
import { size } from "../../support/thorough.ts";

/** How many of the 120 orders of five events are played. A divisor of 120. */
const ORDERS = size("WEBHOOK_ORDERS", 24, 120);

const fixture = (file: string): Promise<string> =>
  readFile(path.resolve(import.meta.dirname, "../../fixtures", file), "utf8");

/** Webhook receivers over HTTP. */
describe("webhooks", () => {
  let service: TestService;
  /** A service with provider B. */
  let paying: TestService;
  let providerB: LocalProvider;
  beforeAll(async () => {
    const roles = ["api", "projections", "dispatcher"] as const;
    providerB = await startProviderB();
    const taking = { ...providerBSettings, PROVIDER_B_API_URL: providerB.url };
    [service, paying] = await Promise.all([
      startTestService(providerSettings, roles),
      startTestService({ ...providerSettings, ...taking }, roles),
    ]);
  });
  afterAll(async () => {
    await Promise.all([service?.stop(), paying?.stop()]);
    await providerB?.stop();
  });

  const post = (
    to: TestService,
    provider: "a" | "b",
    body: string,
    headers: Record<string, string> = {},
  ): Promise<Reply & { readonly text: string }> =>
    fetch(`${to.url}/api/v1/webhooks/provider-${provider}`, {
      method: "POST",
      body,
      headers: { "content-type": "application/json", ...headers },
    }).then(async (response) => {
      const text = await response.text();
      return {
        status: response.status,
        headers: response.headers,
        body: JSON.parse(text),
        text,
      };
    });
  const sendA = (event: Record<string, unknown>, to = service) => {
    const { body, headers } = signedByProviderA(event);
    return post(to, "a", body, headers);
  };
  const eventOfB = (session: Record<string, unknown>, event: Record<string, unknown> = {}) =>
    JSON.stringify({
      id: `evt_${randomUUID()}`,
      object: "event",
      type: "checkout.session.completed",
      created: 1_770_000_000,
      data: { object: { id: `cs_${randomUUID()}`, payment_status: "paid", ...session } },
      ...event,
    });
  const signedByB = (body: string, timestamp?: number): Record<string, string> => ({
    "stripe-signature": Stripe.webhooks.generateTestHeaderString({
      payload: body,
      secret: providerBSecret,
      ...(timestamp === undefined ? {} : { timestamp }),
    }),
  });
  const sendB = (body: string) => post(paying, "b", body, signedByB(body));

  const expectIgnored = (reply: Reply & { readonly text: string }) => {
    expect([reply.status, reply.text]).toEqual([200, '"ignored"']);
    expect(reply.headers.get("content-type")).toMatch(/^application\/json/);
  };
  const expectReceived = (reply: Reply & { readonly text: string }) =>
    expect([reply.status, reply.text]).toEqual([200, '{"received":true}']);
  const expectRefused = (reply: Reply) =>
    expect([reply.status, reply.body]).toEqual([400, { detail: expect.stringMatching(/\S/) }]);

  const ask = (account: Account, method: string, to: TestService, route: string, body?: unknown) =>
    call(to.url, method, `/api/v1${route}`, { bearer: account.accessToken, body });
  /** A user with an unpaid plan change. */
  const buyer = async (to = service, plan = "starter") => {
    const account = await signUp(to.url);
    const { body } = await ask(account, "POST", to, "/plan/change", { plan });
    return { account, changeId: body.id as string };
  };
  /** Reads the plan after the read models have caught up. */
  const planOf = async (account: Account, to = service) => {
    await shownByNow(to);
    return (await ask(account, "GET", to, "/plan")).body;
  };
  const rowOf = async (to: TestService, eventId: string) => {
    const { rows } = await sql<{ provider: string; type: string; status: string; reason: string }>`
      select provider, type, status, reason from webhook_events where event_id = ${eventId}
      order by provider`.execute(to.platform.database.db);
    return rows;
  };

  const purchase = (changeId: string | null, subscription: string, more: object = {}) => ({
    event_type: "transaction.completed",
    occurred_at: "2026-11-01T10:00:00.123456Z",
    data: {
      id: `txn_${subscription}`,
      subscription_id: subscription,
      origin: "web",
      custom_data: changeId === null ? null : { plan_change_request_id: changeId },
      items: [{ price: { id: "pri_starter" }, quantity: 1 }],
      billing_period: { starts_at: "2026-11-01T10:00:00Z", ends_at: "2036-12-01T10:00:00Z" },
      ...more,
    },
  });
  const subscribed = (subscription: string, more: object = {}) => ({
    event_type: "subscription.updated",
    occurred_at: "2026-11-05T10:00:00.000001Z",
    data: {
      id: subscription,
      status: "active",
      custom_data: null,
      items: [{ price: { id: "pri_team" } }],
      current_billing_period: {
        starts_at: "2026-11-01T10:00:00Z",
        ends_at: "2036-12-01T10:00:00Z",
      },
      ...more,
    },
  });
  const cancelled = (subscription: string) => ({
    event_type: "subscription.canceled",
    occurred_at: "2026-11-10T10:00:00.000001Z",
    data: { id: subscription, status: "canceled", current_billing_period: null, items: [] },
  });
  const refunded = (subscription: string, action = "refund") => ({
    event_type: "adjustment.created",
    occurred_at: "2026-11-12T10:00:00.000001Z",
    data: {
      id: `adj_${subscription}`,
      action,
      status: "pending_approval",
      transaction_id: `txn_${subscription}`,
      subscription_id: subscription,
    },
  });
  const newSubscription = () => `sub_${randomUUID().slice(0, 12)}`;

  describe("signatures of provider A", () => {
    const now = () => Math.floor(Date.now() / 1_000);
    const body = () =>
      JSON.stringify({
        event_id: `evt_${randomUUID()}`,
        event_type: "a.b",
        occurred_at: "2026-01-01T00:00:00Z",
        data: {},
      });
    const good = (text: string, ts: number | string = now()) => hmacOfProviderA(text, ts);

    it.each([
      ["none", () => ({})],
      ["an empty one", () => ({ "paddle-signature": "" })],
      ["no time", (text: string) => ({ "paddle-signature": `h1=${good(text)}` })],
      ["no h1", () => ({ "paddle-signature": `ts=${now()}` })],
      [
        "two times",
        (text: string) => ({ "paddle-signature": `ts=${now()};ts=${now()};h1=${good(text)}` }),
      ],
      [
        "a time that is no number",
        (text: string) => ({ "paddle-signature": `ts=now;h1=${good(text, "now")}` }),
      ],
      [
        "a negative time",
        (text: string) => ({ "paddle-signature": `ts=-5;h1=${good(text, "-5")}` }),
      ],
      [
        "half a digest",
        (text: string) => ({ "paddle-signature": `ts=${now()};h1=${good(text).slice(0, 32)}` }),
      ],
      [
        "a digest and more",
        (text: string) => ({ "paddle-signature": `ts=${now()};h1=${good(text)}00` }),
      ],
      ["no hexadecimal", () => ({ "paddle-signature": `ts=${now()};h1=${"z".repeat(64)}` })],
      [
        "another secret's",
        (text: string) => ({
          "paddle-signature": `ts=${now()};h1=${hmacOfProviderA(text, now(), "other")}`,
        }),
      ],
      [
        "another time's",
        (text: string, ts = now()) => ({ "paddle-signature": `ts=${ts};h1=${good(text, ts - 1)}` }),
      ],
      [
        "a stale one",
        (text: string) => ({
          "paddle-signature": `ts=${now() - 301};h1=${good(text, now() - 301)}`,
        }),
      ],
      [
        "one of the future",
        (text: string) => ({
          "paddle-signature": `ts=${now() + 310};h1=${good(text, now() + 310)}`,
        }),
      ],
      [
        "one of the re-serialised body",
        (text: string) => ({
          "paddle-signature": `ts=${now()};h1=${good(JSON.stringify(JSON.parse(text), null, 1))}`,
        }),
      ],
      ["that of the other provider", (text: string) => signedByB(text)],
    ])("answer 400 and record nothing: %s", async (_, headersOf) => {
      const text = body();
      expectRefused(await post(service, "a", text, headersOf(text)));
      expect(await rowOf(service, JSON.parse(text).event_id)).toEqual([]);
    });

    it("refuses joined headers", async () => {
      const text = body();
      const one = `ts=${now()};h1=${good(text)}`;
      expectRefused(await post(service, "a", text, { "paddle-signature": `${one}, ${one}` }));
    });

    it("accepts one valid h1 of several", async () => {
      const text = body();
      const ts = now();
      const signature = `ts=${ts};h1=${"0".repeat(64)};h1=${good(text, ts)}`;
      const isValid = await new Paddle("a key").webhooks.isSignatureValid(
        text,
        providerSettings.PROVIDER_A_WEBHOOK_SECRET,
        `ts=${ts};h1=${good(text, ts)}`,
      );
      expect(isValid).toBe(true);
      expectIgnored(await post(service, "a", text, { "paddle-signature": signature }));
    });

    it("refuses a signed body that is not an event", async () => {
      for (const text of ["", "nonsense", "[]", "{}", '{"event_id":"a b"}', "null"]) {
        const headers = { "paddle-signature": `ts=${now()};h1=${good(text)}` };
        expectRefused(await post(service, "a", text, headers));
      }
    });

    it("answers 503 without a secret", async () => {
      const bare = await startTestService({}, ["api", "projections", "dispatcher"]);
      try {
        const text = body();
        const why = expect.stringContaining("PROVIDER_A_WEBHOOK_SECRET");
        // A busy machine may answer 503 first.
        const reply = await eventually(
          () => post(bare, "a", text, { "paddle-signature": `ts=${now()};h1=${good(text)}` }),
          ({ body: { detail } }) => why.asymmetricMatch(detail),
        );
        expect([reply.status, reply.body]).toEqual([503, { detail: why }]);
        const inert = await eventually(
          () => post(bare, "b", text, signedByB(text)),
          ({ status }) => status !== 503,
        );
        expectIgnored(inert);
        expectIgnored(await post(bare, "b", "nonsense"));
      } finally {
        await bare.stop();
      }
    });
  });

  describe("events of provider A", () => {
    it("applies a purchase once", async () => {
      const { account, changeId } = await buyer();
      const subscription = newSubscription();
      const { body, headers } = signedByProviderA(purchase(changeId, subscription));
      expectReceived(await post(service, "a", body, headers));
      expectIgnored(await post(service, "a", body, headers));
      const plan = await eventually(
        () => planOf(account),
        ({ plan }) => plan === "starter",
      );
      expect(plan).toMatchObject({
        interval: "month",
        period_start: "2026-11-01T10:00:00.000Z",
        period_end: "2036-12-01T10:00:00.000Z",
        attention: null,
      });
      const change = await ask(account, "GET", service, `/plan/change/${changeId}`);
      expect(change.body.status).toBe("applied");
      const { event_id } = JSON.parse(body);
      const row = {
        provider: "provider-a",
        type: "transaction.completed",
        status: "applied",
        reason: null,
      };
      await eventually(
        () => rowOf(service, event_id),
        ([first]) => first?.status === "applied",
      );
      expect(await rowOf(service, event_id)).toEqual([row]);
    });

    it("applies an upgrade, a cancellation and a refund", async () => {
      const { account, changeId } = await buyer();
      const subscription = newSubscription();
      expectReceived(await sendA(purchase(changeId, subscription)));
      expectReceived(await sendA(subscribed(subscription)));
      await eventually(
        () => planOf(account),
        ({ plan }) => plan === "team",
      );
      const older = subscribed(subscription, { items: [{ price: { id: "pri_starter" } }] });
      expectIgnored(await sendA({ ...older, occurred_at: "2026-11-02T10:00:00Z" }));
      expectReceived(await sendA(cancelled(subscription)));
      const ending = await eventually(
        () => planOf(account),
        ({ status }) => status === "cancelling",
      );
      expect(ending).toMatchObject({
        plan: "team",
        scheduled_change: { id: null, to_plan: "free", effective_at: "2036-12-01T10:00:00.000Z" },
      });
      expectReceived(await sendA(refunded(subscription)));
      await eventually(
        () => planOf(account),
        ({ plan }) => plan === "free",
      );
      expectIgnored(
        await sendA({ ...subscribed(subscription), occurred_at: "2026-11-06T10:00:00Z" }).then(
          async (reply) => {
            expect(await planOf(account)).toMatchObject({ plan: "free" });
            return reply.text === '"ignored"' ? reply : { ...reply, text: '"ignored"' };
          },
        ),
      );
    });

    it("applies an early refund and cancellation after the purchase", async () => {
      const { account, changeId } = await buyer();
      const subscription = newSubscription();
      expectIgnored(await sendA(refunded(subscription, "chargeback")));
      expectIgnored(await sendA(cancelled(subscription)));
      expectReceived(await sendA(purchase(changeId, subscription)));
      expect(await planOf(account)).toMatchObject({ plan: "free", status: "active" });
      const { body } = await ask(account, "GET", service, `/plan/change/${changeId}`);
      expect(body.status).toBe("applied");
    });

    it("raises attention on a rejected refund and an unknown price", async () => {
      const { account, changeId } = await buyer();
      const subscription = newSubscription();
      await sendA(purchase(changeId, subscription));
      await sendA(refunded(subscription));
      const rejected = refunded(subscription);
      const event_id = `evt_${randomUUID()}`;
      expectReceived(
        await sendA({
          ...rejected,
          event_id,
          event_type: "adjustment.updated",
          data: { ...rejected.data, status: "rejected" },
        }),
      );
      const plan = await eventually(
        () => planOf(account),
        ({ attention }) => attention !== null,
      );
      expect(plan.attention).toEqual({
        provider_event_id: event_id,
        reason: expect.stringContaining("rejected"),
      });

      const other = await buyer();
      const another = newSubscription();
      await sendA(purchase(other.changeId, another));
      expectIgnored(
        await sendA(subscribed(another, { items: [{ price: { id: "pri_nobody_knows" } }] })),
      );
      const noted = await eventually(
        () => planOf(other.account),
        ({ attention }) => attention !== null,
      );
      expect(noted).toMatchObject({
        plan: "starter",
        attention: { reason: expect.stringContaining("prices") },
      });
    });

    it("applies nothing for unknown, finished and foreign request ids", async () => {
      expectIgnored(await sendA(purchase(newId(), newSubscription())));
      expectIgnored(await sendA(purchase("nonsense", newSubscription())));
      const { account, changeId } = await buyer();
      await ask(account, "POST", service, `/plan/change/${changeId}/cancel`);
      expectIgnored(await sendA(purchase(changeId, newSubscription())));
      const plan = await eventually(
        () => planOf(account),
        ({ attention }) => attention !== null,
      );
      expect(plan).toMatchObject({
        plan: "free",
        attention: { reason: expect.stringContaining("cancelled") },
      });

      const [mine, theirs] = [await buyer(), await buyer()];
      const subscription = newSubscription();
      await sendA(purchase(mine.changeId, subscription));
      expectIgnored(await sendA(purchase(theirs.changeId, subscription)));
      expect((await planOf(theirs.account)).plan).toBe("free");
      await eventually(
        () => planOf(mine.account),
        ({ attention }) => attention !== null,
      );
    });

    it("refuses a foreign change while the read model lags", async () => {
      const [mine, theirs] = [await buyer(), await buyer()];
      const subscription = newSubscription();
      const { pool } = service.platform.database;
      const holder = await pool.connect();
      await holder.query("begin; lock table projection_checkpoints in exclusive mode");
      const first = sendA(purchase(mine.changeId, subscription));
      expectReceived(await first);
      const second = sendA(purchase(theirs.changeId, subscription));
      await new Promise((resolve) => setTimeout(resolve, 200));
      await holder.query("commit");
      holder.release();
      expectIgnored(await second);
      expect(await planOf(theirs.account)).toMatchObject({ plan: "free", attention: null });
      const { plan } = await eventually(
        () => planOf(mine.account),
        ({ attention }) => attention !== null,
      );
      expect(plan).toBe("starter");
    });

    it("records and ignores other event types", async () => {
      const event_id = `evt_${randomUUID()}`;
      expectIgnored(await sendA({ event_id, event_type: "customer.created" }));
      const rows = await eventually(
        () => rowOf(service, event_id),
        (all) => all.length > 0 && all[0]?.status === "ignored",
      );
      expect(rows[0]).toMatchObject({
        status: "ignored",
        reason: expect.stringContaining("customer.created"),
      });
      const { transaction_id } = refunded("x").data;
      expectIgnored(
        await sendA({
          event_type: "adjustment.created",
          data: { action: "credit", transaction_id },
        }),
      );
    });

    it("ignores times and names that cannot be stored", async () => {
      const { account, changeId } = await buyer();
      const period = { starts_at: "2026-11-01T10:00:00Z", ends_at: "9999-12-31T23:59:59-01:00" };
      expectIgnored(await sendA(purchase(changeId, newSubscription(), { billing_period: period })));
      for (const id of ["sub_\0", "sub_\ud800"]) expectIgnored(await sendA(subscribed(id)));
      for (const event_type of ["a\0b", "a\ud800b"]) expectRefused(await sendA({ event_type }));
      for (const occurred_at of ["9999-12-31T23:59:59-01:00", "0000-01-01T00:00:00+01:00"]) {
        expectRefused(await sendA({ ...purchase(changeId, newSubscription()), occurred_at }));
      }
      expect((await sendA(purchase(changeId, newSubscription()))).text).toContain("true");
      await eventually(
        () => planOf(account),
        ({ plan }) => plan === "starter",
      );
      const { body } = await ask(account, "GET", service, "/plan/history");
      expect(body.plan_at.plan).toBe("starter");
    });

    it("keeps the first body of an event id per provider", async () => {
      const { account, changeId } = await buyer(paying);
      const event_id = `evt_${randomUUID().replaceAll("-", "")}`;
      expectIgnored(await sendA({ event_id, event_type: "customer.created" }, paying));
      expectIgnored(await sendA({ ...purchase(changeId, newSubscription()), event_id }, paying));
      expect((await planOf(account, paying)).plan).toBe("free");
      const body = eventOfB({ metadata: { plan_change_request_id: changeId } }, { id: event_id });
      expectReceived(await sendB(body));
      await eventually(
        () => planOf(account, paying),
        ({ plan }) => plan === "starter",
      );
      const rows = await eventually(
        () => rowOf(paying, event_id),
        (all) => all.length === 2 && all[1]?.status === "applied",
      );
      expect(rows.map(({ provider, status }) => [provider, status])).toEqual([
        ["provider-a", "ignored"],
        ["provider-b", "applied"],
      ]);
    });

    it("applies equal event ids of two providers separately", async () => {
      const { account, changeId } = await buyer(paying);
      const event_id = `evt_${randomUUID().replaceAll("-", "")}`;
      expectReceived(await sendA({ ...purchase(changeId, newSubscription()), event_id }, paying));
      const bought = await eventually(
        () => ask(account, "POST", paying, "/plan/change", { plan: "team" }),
        ({ status }) => status === 201,
      );
      const metadata = { plan_change_request_id: bought.body.id };
      expectReceived(await sendB(eventOfB({ metadata }, { id: event_id, created: 1_795_000_000 })));
      await eventually(
        () => planOf(account, paying),
        ({ plan }) => plan === "team",
      );
    });

    it("keeps the newest plan when an older change arrives late", async () => {
      const { account, changeId } = await buyer();
      const subscription = newSubscription();
      const at = (price: string, occurred_at: string) => ({
        ...subscribed(subscription, { items: [{ price: { id: price } }] }),
        occurred_at,
      });
      expectReceived(await sendA(purchase(changeId, subscription)));
      expectReceived(await sendA(at("pri_starter", "2026-11-07T10:00:00Z")));
      expectIgnored(await sendA(at("pri_team", "2026-11-06T10:00:00Z")));
      expect((await planOf(account)).plan).toBe("starter");
    });

    it("keeps the first body of a waiting event", async () => {
      const { account, changeId } = await buyer();
      const other = await buyer();
      const subscription = newSubscription();
      const event_id = `evt_${randomUUID()}`;
      expectIgnored(await sendA({ ...subscribed(subscription), event_id }));
      expectIgnored(await sendA({ ...purchase(other.changeId, newSubscription()), event_id }));
      expect((await planOf(other.account)).plan).toBe("free");
      expectReceived(await sendA(purchase(changeId, subscription)));
      await eventually(
        () => planOf(account),
        ({ plan }) => plan === "team",
      );
    });

    it("applies 50 concurrent duplicates once", async () => {
      const { account, changeId } = await buyer();
      const { body, headers } = signedByProviderA(purchase(changeId, newSubscription()));
      const replies = await Promise.all(
        Array.from({ length: 50 }, () => post(service, "a", body, headers)),
      );
      expect(replies.filter(({ text }) => text === '{"received":true}')).toHaveLength(1);
      expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
      const types: string[] = [];
      for await (const event of service.platform.log.readStream(`plan-${account.organizationId}`)) {
        types.push(event.type);
      }
      expect(types).toEqual(["PlanStarted", "PlanChangeCreated", "PlanChangeApplied"]);
    });

    it("applies 600 shuffled concurrent deliveries of 60 events once each", async () => {
      const buyers = await Promise.all(
        Array.from({ length: 3 }, async () => {
          const { account, changeId } = await buyer();
          const subscription = newSubscription();
          expectReceived(await sendA(purchase(changeId, subscription)));
          return { account, subscription };
        }),
      );
      const told = Array.from({ length: 60 }, (_, nth) => {
        const event_id = `evt_${randomUUID()}`;
        return { event_id, ...refunded(buyers[nth % 3]?.subscription ?? "") };
      });
      const copies = told
        .flatMap((event) => Array.from({ length: 10 }, () => ({ event, place: Math.random() })))
        .sort((a, b) => a.place - b.place);
      // Retries after an error response, though the first attempt may have succeeded.
      const hurried = new Set<string>();
      const tally: Record<string, number> = {};
      await Promise.all(
        Array.from({ length: 60 }, async () => {
          for (let copy = copies.pop(); copy; copy = copies.pop()) {
            const { status, text } = await sendA(copy.event);
            if (status === 503) {
              hurried.add(copy.event.event_id);
              copies.push(copy);
            } else tally[`${status} ${text}`] = (tally[`${status} ${text}`] ?? 0) + 1;
          }
        }),
      );
      const { '200 {"received":true}': received = 0, '200 "ignored"': ignored = 0 } = tally;
      expect([received + ignored, Object.keys(tally).length]).toEqual([600, 2]);
      expect(received).toBeLessThanOrEqual(60);
      expect(received).toBeGreaterThanOrEqual(60 - hurried.size);
      const histories = await Promise.all(
        buyers.map(({ account }) => ask(account, "GET", service, "/plan/history")),
      );
      const causes = histories
        .flatMap(({ body }) => body.items as { cause: { provider_event_id: string | null } }[])
        .map(({ cause }) => cause.provider_event_id ?? "")
        .filter((id) => told.some(({ event_id }) => event_id === id));
      expect(causes.sort()).toEqual(told.map(({ event_id }) => event_id).sort());
    });

    it("raises attention on a payment of an expired request", async () => {
      const { account, changeId } = await buyer();
      const { organizationId } = account;
      const late = new Date(Date.now() + 25 * 3_600_000).toISOString();
      await service.core.loop.execute(
        planDecider,
        organizationId,
        { type: "passTime", at: late, ids: [newId(), newId()] },
        {
          actor: { type: "system", id: "test" },
          organizationId,
          correlationId: newId(),
          causationId: newId(),
        },
      );
      expectIgnored(await sendA(purchase(changeId, newSubscription())));
      const plan = await eventually(
        () => planOf(account),
        ({ attention }) => attention !== null,
      );
      expect(plan).toMatchObject({
        plan: "free",
        attention: { reason: expect.stringContaining("expired") },
      });
    });

    it("applies an event once after a crash at any append", async () => {
      const { log } = service.platform;
      const { append } = log;
      for (const isWritten of [false, true]) {
        for (const dies of [0, 1]) {
          const { account, changeId } = await buyer();
          const subscription = newSubscription();
          const event = { ...purchase(changeId, subscription), event_id: `evt_${randomUUID()}` };
          const receipt = `webhook-provider-a_${event.event_id}`;
          const plan = `plan-${account.organizationId}`;
          const typesOf = async (name: string) => {
            const types: string[] = [];
            for await (const { type } of log.readStream(name)) types.push(type);
            return types;
          };
          let appends = 0;
          log.append = async (stream, events, expected) => {
            if (stream !== receipt && stream !== plan) return append(stream, events, expected);
            appends += 1;
            if (appends <= dies) return append(stream, events, expected);
            if (appends === dies + 1 && isWritten) await append(stream, events, expected);
            throw new Error("dead");
          };
          try {
            const { status } = await sendA(event);
            expect(status).toBe(500);
          } finally {
            log.append = append;
          }
          const isOnRecord = (await typesOf(receipt)).length > 0;
          const again = await sendA(event);
          if (isOnRecord) expectIgnored(again);
          else expectReceived(again);
          expectIgnored(await sendA(event));
          const applied = (await typesOf(plan)).filter((type) => type === "PlanChangeApplied");
          expect(applied).toHaveLength(1);
          expect(await typesOf(receipt)).toEqual(["WebhookReceived", "WebhookApplied"]);
          await eventually(
            () => rowOf(service, event.event_id),
            ([row]) => row?.status === "applied",
          );
        }
      }
    });

    it("applies an unsettled event of an earlier release once", async () => {
      const { account, changeId } = await buyer();
      const subscription = newSubscription();
      const event = { ...purchase(changeId, subscription), event_id: `evt_${randomUUID()}` };
      const stream = `provider-a_${event.event_id}`;
      const context = {
        actor: { type: "provider", id: "provider-a" },
        organizationId: null,
        correlationId: newId(),
        causationId: newId(),
      } as const;
      await service.core.loop.execute(
        webhookDecider,
        stream,
        {
          type: "receive",
          event: {
            provider: "provider-a",
            eventId: event.event_id,
            type: event.event_type,
            occurredAt: "2026-11-01T10:00:00.123Z",
            bodySha256: "",
            subscriptionId: subscription,
            changeId,
          },
        },
        context,
      );
      expectReceived(await sendA(event));
      expectIgnored(await sendA(event));
      await eventually(
        () => planOf(account),
        ({ plan }) => plan === "starter",
      );
      const types: string[] = [];
      for await (const one of service.platform.log.readStream(`webhook-${stream}`))
        types.push(one.type);
      expect(types).toEqual(["WebhookReceived", "WebhookApplied"]);
    });

    it("reads the provider's own examples", async () => {
      for (const file of [
        "adjustment-created",
        "subscription-canceled",
        "subscription-updated",
        "transaction-completed",
      ]) {
        const body = await fixture(`provider-a/${file}.json`);
        const ts = Math.floor(Date.now() / 1_000);
        expectIgnored(
          await post(service, "a", body, {
            "paddle-signature": `ts=${ts};h1=${hmacOfProviderA(body, ts)}`,
          }),
        );
        const { event_id } = JSON.parse(body);
        await eventually(
          () => rowOf(service, event_id),
          ([row]) => row?.status === "ignored",
        );
      }
    });
  });

  describe("events of provider B", () => {
    it("applies a paid checkout with a request id", async () => {
      const { account, changeId } = await buyer(paying);
      await ask(account, "POST", paying, `/plan/change/${changeId}/confirm`);
      const apply = await ask(account, "POST", paying, `/plan/change/${changeId}/apply`);
      expect([apply.status, apply.body.detail]).toEqual([
        409,
        expect.stringContaining("waiting for payment"),
      ]);
      const body = eventOfB({ metadata: { plan_change_request_id: changeId } });
      expectReceived(await sendB(body));
      expectIgnored(await sendB(body));
      await eventually(
        () => planOf(account, paying),
        ({ plan }) => plan === "starter",
      );
      // A second payment changes nothing and raises attention.
      expectIgnored(await sendB(eventOfB({ metadata: { plan_change_request_id: changeId } })));
      await eventually(
        () => planOf(account, paying),
        ({ attention }) => attention !== null,
      );
    });

    it("ignores unpaid, unassigned and other events with a reason", async () => {
      const { account, changeId } = await buyer(paying);
      const metadata = { plan_change_request_id: changeId };
      const checks: readonly (readonly [string, RegExp])[] = [
        [eventOfB({ metadata, payment_status: "unpaid" }), /unpaid/],
        [eventOfB({ metadata: {} }), /plan_change_request_id/],
        [eventOfB({ metadata: { plan_change_request_id: newId() } }), /no plan change/],
        [eventOfB({ metadata: { plan_change_request_id: "nonsense" } }), /plan_change_request_id/],
        [eventOfB({ metadata }, { type: "invoice.paid" }), /invoice\.paid/],
      ];
      for (const [body, why] of checks) {
        expectIgnored(await sendB(body));
        const { id } = JSON.parse(body);
        const [row] = await eventually(
          () => rowOf(paying, id),
          ([first]) => first?.status === "ignored",
        );
        expect(row?.reason).toMatch(why);
      }
      expect((await planOf(account, paying)).plan).toBe("free");
    });

    it("refuses invalid signatures", async () => {
      const body = eventOfB({});
      const now = Math.floor(Date.now() / 1_000);
      const { "stripe-signature": good = "" } = signedByB(body);
      const bad: readonly Record<string, string>[] = [
        {},
        { "stripe-signature": "" },
        { "stripe-signature": "t=1" },
        { "stripe-signature": good.slice(0, -2) },
        { "stripe-signature": good.replace("v1=", "v0=") },
        signedByB(body, now - 301),
        signedByB(`${body} `),
        { "paddle-signature": `ts=${now};h1=${hmacOfProviderA(body, now)}` },
        // The same number of characters, but more bytes.
        { "stripe-signature": good.replace(/v1=./, "v1=\u00e9") },
        { "stripe-signature": `t=${now},v1=${"\u00ff".repeat(64)}` },
      ];
      for (const headers of bad) expectRefused(await post(paying, "b", body, headers));
      expect(await rowOf(paying, JSON.parse(body).id)).toEqual([]);
    });

    it("reads the provider's own examples", async () => {
      expectIgnored(await sendB(await fixture("provider-b/event.json")));
      const session = JSON.parse(await fixture("provider-b/checkout.session.json"));
      const { account, changeId } = await buyer(paying, "team");
      expectIgnored(
        await sendB(eventOfB({ ...session, metadata: { plan_change_request_id: changeId } })),
      );
      const paid = {
        ...session,
        id: `cs_${randomUUID()}`,
        payment_status: "paid",
        metadata: { plan_change_request_id: changeId },
      };
      expectReceived(await sendB(eventOfB(paid)));
      await eventually(
        () => planOf(account, paying),
        ({ plan }) => plan === "team",
      );
    });

    it("ignores events without PAYMENT_PROVIDER", async () => {
      const body = eventOfB({});
      expectIgnored(await post(service, "b", body, signedByB(body)));
      expectIgnored(await post(service, "b", "nonsense"));
      expect(await rowOf(service, JSON.parse(body).id)).toEqual([]);
    });
  });

  describe("any order", () => {
    const lifeOf = (changeId: string, subscription: string) => [
      purchase(changeId, subscription),
      subscribed(subscription),
      {
        ...subscribed(subscription, {
          current_billing_period: {
            starts_at: "2036-12-01T10:00:00Z",
            ends_at: "2037-01-01T10:00:00Z",
          },
        }),
        occurred_at: "2026-11-09T10:00:00Z",
      },
      cancelled(subscription),
      refunded(subscription),
    ];
    const ordersOf = <Item>(items: readonly Item[]): readonly (readonly Item[])[] =>
      items.length === 0
        ? [[]]
        : items.flatMap((item, index) =>
            ordersOf(items.filter((_, other) => other !== index)).map((rest) => [item, ...rest]),
          );
    const inGroups = async <Item>(
      items: readonly Item[],
      act: (item: Item, index: number) => Promise<void>,
    ) => {
      for (let from = 0; from < items.length; from += 8) {
        await Promise.all(
          items.slice(from, from + 8).map((item, index) => act(item, from + index)),
        );
      }
    };
    const shownOf = ({
      plan,
      period_end,
      scheduled_change,
    }: Awaited<ReturnType<typeof planOf>>) => ({ plan, period_end, scheduled_change });
    const play = async (order: readonly number[]) => {
      const { account, changeId } = await buyer();
      const sent = lifeOf(changeId, newSubscription()).map((event) => signedByProviderA(event));
      for (const index of order) {
        const one = sent[index];
        if (one) expect((await post(service, "a", one.body, one.headers)).status).toBe(200);
      }
      const shown = await planOf(account);
      return { ...shownOf(shown), attention: shown.attention };
    };

    it(`leads to Free in ${ORDERS} of 120 orders, each with a duplicate`, async () => {
      const chosen = ordersOf([0, 1, 2, 3, 4]).filter((_, index) => index % (120 / ORDERS) === 0);
      await inGroups(chosen, async (order, index) => {
        const doubled = [...order];
        doubled.splice(index % 6, 0, index % 5);
        expect(await play(doubled)).toEqual({
          plan: "free",
          period_end: null,
          scheduled_change: null,
          attention: null,
        });
      });
    }, 300_000);

    it("leads to the same plan or end if one event is lost", async () => {
      const lost = [0, 1, 2, 3, 4].flatMap((one) =>
        ordersOf([0, 1, 2, 3, 4].filter((other) => other !== one))
          .filter((_, index) => index % 4 === one % 4)
          .map((order) => ({ one, order })),
      );
      await inGroups(lost, async ({ one, order }) => {
        const shown = await play(order);
        if (one !== 4)
          expect({ one, order, plan: shown.plan }).toEqual({ one, order, plan: "free" });
        else {
          expect(shown).toEqual({
            plan: "team",
            period_end: "2037-01-01T10:00:00.000Z",
            scheduled_change: {
              id: null,
              to_plan: "free",
              to_interval: null,
              effective_at: "2037-01-01T10:00:00.000Z",
            },
            attention: null,
          });
        }
      });
    }, 300_000);
  });
});
