import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { planDecider } from "../../../src/domain/billing/plan.ts";
import { organizationDecider } from "../../../src/domain/organizations/organization.ts";
import { newId } from "../../../src/platform/ids.ts";
import { type Account, call, eventually, signUp } from "../../support/client.ts";
import type { LocalProvider } from "../../support/localProvider.ts";
import { providerAKey, startProviderA } from "../../support/localProviderA.ts";
import { startProviderB } from "../../support/localProviderB.ts";
import { providerBSettings, providerSettings, signedByProviderA } from "../../support/providers.ts";
import { startTestService, type TestService } from "../../support/service.ts";

const roles = ["api", "projections", "dispatcher"] as const;

/** Checkout against simulated providers. */
describe("checkout", () => {
  let atA: TestService;
  let atB: TestService;
  let providerA: Awaited<ReturnType<typeof startProviderA>>;
  let providerB: Awaited<ReturnType<typeof startProviderB>>;
  beforeAll(async () => {
    [providerA, providerB] = await Promise.all([startProviderA(), startProviderB()]);
    [atA, atB] = await Promise.all([
      startTestService(
        {
          ...providerSettings,
          PAYMENT_PROVIDER: "provider-a",
          PROVIDER_A_API_KEY: providerAKey,
          PROVIDER_A_API_URL: providerA.url,
          WEB_BASE_URL: "https://app.example",
        },
        roles,
      ),
      startTestService({ ...providerBSettings, PROVIDER_B_API_URL: providerB.url }, roles),
    ]);
  });
  afterAll(async () => {
    await Promise.all([atA?.stop(), atB?.stop()]);
    await Promise.all([providerA?.stop(), providerB?.stop()]);
  });

  const asking =
    (service: TestService, account: Account) => (method: string, path: string, body?: unknown) =>
      call(service.url, method, `/api/v1${path}`, { bearer: account.accessToken, body });
  const asked = async (service: TestService, plan = "starter", interval = "month") => {
    const account = await signUp(service.url);
    const ask = asking(service, account);
    const { body } = await ask("POST", "/plan/change", { plan, interval });
    return { account, ask, id: body.id as string };
  };
  const typesOf = async (service: TestService, account: Account) => {
    const types: string[] = [];
    for await (const event of service.platform.log.readStream(`plan-${account.organizationId}`)) {
      types.push(event.type);
    }
    return types;
  };
  const posted = ({ seen }: LocalProvider, path: string, id: string) =>
    seen.filter(
      ({ method, path: at, body }) =>
        method === "POST" && at === path && JSON.stringify(body).includes(id),
    );
  const send = (event: Record<string, unknown>) => {
    const { body, headers } = signedByProviderA(event);
    return fetch(`${atA.url}/api/v1/webhooks/provider-a`, {
      method: "POST",
      body,
      headers: { "content-type": "application/json", ...headers },
    });
  };
  const bought = (subscription: string, changeId: string) =>
    send({
      event_type: "transaction.completed",
      occurred_at: "2026-11-01T10:00:00.5Z",
      data: {
        id: `txn_${subscription}`,
        subscription_id: subscription,
        origin: "web",
        custom_data: { plan_change_request_id: changeId },
        items: [{ price: { id: "pri_starter" } }],
        billing_period: { starts_at: "2026-11-01T10:00:00Z", ends_at: "2036-12-01T10:00:00Z" },
      },
    });
  const systemContext = (organizationId: string) => ({
    actor: { type: "system" as const, id: "test" },
    organizationId,
    correlationId: newId(),
    causationId: newId(),
  });

  it("opens one checkout page at provider A", async () => {
    const { account, ask, id } = await asked(atA);
    const first = await ask("POST", `/plan/change/${id}/confirm`);
    expect([first.status, first.body.status]).toEqual([200, "awaiting_payment"]);
    expect(first.body.checkout_url).toMatch(
      new RegExp(`^https://app\\.example/plan\\?change=${id}&_ptxn=txn_\\d+$`),
    );
    const again = await ask("POST", `/plan/change/${id}/confirm`);
    expect(again.body).toEqual(first.body);
    expect(posted(providerA, "/transactions", id)).toMatchObject([
      {
        body: {
          items: [{ price_id: "pri_starter", quantity: 1 }],
          custom_data: { plan_change_request_id: id },
        },
      },
    ]);
    expect(await typesOf(atA, account)).toEqual([
      "PlanStarted",
      "PlanChangeCreated",
      "PlanChangeConfirmed",
      "PlanChangeAwaitingPayment",
    ]);
    expect((await ask("POST", `/plan/change/${id}/apply`)).status).toBe(409);
  });

  it("opens one checkout page at provider B for concurrent confirmations", async () => {
    const { account, ask, id } = await asked(atB, "team");
    const replies = await Promise.all(
      Array.from({ length: 5 }, () => ask("POST", `/plan/change/${id}/confirm`)),
    );
    const url = /^https:\/\/pay\.example\/c\/cs_test_\d+$/;
    for (const { status, body } of replies) {
      expect([status, body.status]).toEqual([200, "awaiting_payment"]);
      expect(body.checkout_url).toMatch(url);
    }
    expect(new Set(replies.map(({ body }) => body.checkout_url)).size).toBe(1);
    const [sent] = posted(providerB, "/v1/checkout/sessions", id);
    expect(sent?.headers["idempotency-key"]).toBe(id);
    expect(sent?.body).toMatchObject({
      mode: "subscription",
      "line_items[0][price]": "price_team",
      "metadata[plan_change_request_id]": id,
      "subscription_data[metadata][plan_change_request_id]": id,
    });
    expect(await typesOf(atB, account)).toHaveLength(4);
  });

  it("opens no second page after a lost response", async () => {
    for (const [service, provider, pages] of [
      [atA, providerA, () => providerA.transactions.size],
      [atB, providerB, () => providerB.sessions.size],
    ] as const) {
      const { account, ask, id } = await asked(service);
      const before = pages();
      // The first call to provider A is a read.
      if (provider === providerA) provider.instead.push({ status: 200, json: { data: [] } }, "cut");
      else provider.instead.push("cut", "cut", "cut");
      const cut = await ask("POST", `/plan/change/${id}/confirm`);
      expect([cut.status, cut.headers.get("retry-after")]).toEqual([503, expect.any(String)]);
      expect(cut.body.detail).toContain("try again");
      expect((await typesOf(service, account)).at(-1)).toBe("PlanChangeConfirmed");
      const again = await ask("POST", `/plan/change/${id}/confirm`);
      expect([again.status, again.body.status]).toEqual([200, "awaiting_payment"]);
      expect(pages() - before).toBe(1);
    }
  });

  it("fails a change that the provider refuses", async () => {
    const { ask, id } = await asked(atB);
    providerB.instead.push({
      status: 400,
      json: { error: { type: "invalid_request_error", code: "resource_missing", message: "No" } },
    });
    const refused = await ask("POST", `/plan/change/${id}/confirm`);
    expect([refused.status, refused.body.detail]).toEqual([
      409,
      expect.stringMatching(/resource_missing.*request it again/),
    ]);
    const read = await eventually(
      () => ask("GET", `/plan/change/${id}`),
      ({ body }) => body.status === "failed",
    );
    expect(read.body.status).toBe("failed");
  });

  it("refuses a plan without a price and leaves the change open", async () => {
    const { ask, id } = await asked(atB, "business", "year");
    const refused = await ask("POST", `/plan/change/${id}/confirm`);
    expect([refused.status, refused.body.detail]).toEqual([
      409,
      expect.stringContaining("no price of provider-b"),
    ]);
    expect((await ask("GET", `/plan/change/${id}`)).body.status).toBe("created");
  });

  it("changes the existing subscription for a larger plan", async () => {
    const { account, ask, id } = await asked(atA);
    const subscription = `sub_${id.replaceAll("-", "")}`;
    expect((await bought(subscription, id)).status).toBe(200);
    await eventually(
      () => ask("GET", "/plan"),
      ({ body }) => body.plan === "starter",
    );
    const { body: change } = await ask("POST", "/plan/change", { plan: "team" });
    const confirmed = await ask("POST", `/plan/change/${change.id}/confirm`);
    expect([confirmed.status, confirmed.body.status, confirmed.body.checkout_url]).toEqual([
      200,
      "awaiting_payment",
      null,
    ]);
    const patched = providerA.seen.filter(({ method }) => method === "PATCH");
    expect(patched).toMatchObject([
      {
        path: `/subscriptions/${subscription}`,
        body: {
          items: [{ price_id: "pri_team", quantity: 1 }],
          proration_billing_mode: "prorated_immediately",
          on_payment_failure: "prevent_change",
        },
      },
    ]);
    await send({
      event_type: "subscription.updated",
      occurred_at: "2026-11-05T10:00:00Z",
      data: {
        id: subscription,
        status: "active",
        custom_data: { plan_change_request_id: change.id },
        items: [{ price: { id: "pri_team" } }],
        current_billing_period: {
          starts_at: "2026-11-01T10:00:00Z",
          ends_at: "2036-12-01T10:00:00Z",
        },
      },
    });
    await eventually(
      () => ask("GET", "/plan"),
      ({ body }) => body.plan === "team",
    );
    expect((await ask("GET", `/plan/change/${change.id}`)).body.status).toBe("applied");

    // Deleting an organisation ends its subscription once.
    const { organizationId } = account;
    const { billing } = atA.core.commands;
    await billing.cancelSubscription(systemContext(organizationId), organizationId);
    await billing.cancelSubscription(systemContext(organizationId), organizationId);
    expect(posted(providerA, `/subscriptions/${subscription}/cancel`, "immediately")).toHaveLength(
      1,
    );
    await eventually(
      () => ask("GET", "/plan"),
      ({ body }) => body.plan === "free",
    );
  });

  it("keeps a deleted organisation until its subscription has ended at the provider", async () => {
    const { account, ask, id } = await asked(atA);
    await ask("POST", `/plan/change/${id}/confirm`);
    const subscription = "sub_doomed1";
    await bought(subscription, id);
    await eventually(
      () => ask("GET", "/plan"),
      ({ body }) => body.plan === "starter",
    );
    const { organizationId } = account;
    const cancelled = () =>
      posted(providerA, `/subscriptions/${subscription}/cancel`, "immediately");
    providerA.instead.push({ status: 503, json: {} });
    const command = { type: "scheduleDeletion", dueAt: new Date().toISOString() } as const;
    const { loop } = atA.core;
    await loop.execute(organizationDecider, organizationId, command, systemContext(organizationId));
    await eventually(
      async () => cancelled().length,
      (count) => count > 0,
    );
    expect((await ask("GET", `/organizations/${organizationId}`)).status).toBe(200);
    await eventually(
      () => ask("GET", `/organizations/${organizationId}`),
      ({ status }) => status === 404,
    );
    expect(cancelled()).toHaveLength(2);
    const facts: string[] = [];
    for await (const { data } of atA.platform.log.readStream(`plan-${organizationId}`)) {
      facts.push(JSON.stringify(data));
    }
    expect(facts.filter((fact) => fact.includes(`cancelled_${subscription}`))).toHaveLength(1);
  });

  it("cancels and resumes a subscription with a scheduled change to Free", async () => {
    const { ask, id } = await asked(atA);
    const subscription = `sub_${id.replaceAll("-", "")}`;
    await bought(subscription, id);
    await eventually(
      () => ask("GET", "/plan"),
      ({ body }) => body.plan === "starter",
    );
    const { body: change } = await ask("POST", "/plan/change", { plan: "free" });
    providerA.instead.push({
      status: 503,
      json: { error: { type: "api_error", code: "service_unavailable" } },
    });
    await ask("POST", `/plan/change/${change.id}/confirm`);
    const about = () =>
      providerA.seen.filter(({ path }) => path.startsWith(`/subscriptions/${subscription}`));
    await eventually(
      async () => about(),
      (all) => all.length === 2,
    );
    expect(about().map(({ path, body }) => [path.endsWith("/cancel"), body])).toEqual([
      [true, { effective_from: "next_billing_period" }],
      [true, { effective_from: "next_billing_period" }],
    ]);
    expect((await ask("DELETE", "/plan/scheduled-change")).status).toBe(204);
    await eventually(
      async () => about(),
      (all) => all.length === 3,
    );
    expect(about().at(-1)).toMatchObject({ method: "PATCH", body: { scheduled_change: null } });
  });

  it("changes the subscription of a due change, and raises attention on a refusal", async () => {
    for (const isRefused of [false, true]) {
      const { account, ask, id } = await asked(atA);
      const { organizationId } = account;
      const subscription = `sub_${id.replaceAll("-", "")}`;
      await bought(subscription, id);
      await eventually(
        () => ask("GET", "/plan"),
        ({ body }) => body.plan === "starter",
      );
      const { body: change } = await ask("POST", "/plan/change", { plan: "team" });
      expect((await ask("POST", `/plan/change/${change.id}/schedule`)).body.status).toBe(
        "scheduled",
      );
      if (isRefused) {
        providerA.instead.push({
          status: 400,
          json: { error: { type: "request_error", code: "subscription_payment_declined" } },
        });
      }
      await atA.core.loop.execute(
        planDecider,
        organizationId,
        { type: "passTime", at: "2036-12-02T00:00:00.000Z", ids: [newId()] },
        { ...systemContext(organizationId), command: "passTime" },
      );
      const about = () =>
        providerA.seen.filter(({ path }) => path === `/subscriptions/${subscription}`);
      await eventually(
        async () => about(),
        (all) => all.length > 0,
      );
      expect(about()).toMatchObject([
        { method: "PATCH", body: { items: [{ price_id: "pri_team", quantity: 1 }] } },
      ]);
      const plan = await eventually(
        async () => (await ask("GET", "/plan")).body,
        (body) => body.plan === "team" && (body.attention !== null) === isRefused,
      );
      if (isRefused) expect(plan.attention.reason).toContain("subscription_payment_declined");
    }
  });

  const noted = async (service: TestService, account: Account, count = 1) =>
    eventually(
      async () => {
        const closed: unknown[] = [];
        const { log } = service.platform;
        for await (const { type, data } of log.readStream(`plan-${account.organizationId}`)) {
          if (type === "PlanCheckoutClosed") closed.push(data);
        }
        return closed;
      },
      (closed) => closed.length === count,
    );
  const transactionOf = (id: string) => {
    const all = [...providerA.transactions.values()];
    const found = all.find(({ custom_data }) => custom_data.plan_change_request_id === id);
    if (!found) throw new Error("There is no transaction");
    return found;
  };

  it("closes the page of a cancelled change at provider A", async () => {
    for (const status of ["ready", "draft"] as const) {
      const { account, ask, id } = await asked(atA);
      await ask("POST", `/plan/change/${id}/confirm`);
      const transaction = transactionOf(id);
      transaction.status = status;
      providerA.instead.push({
        status: 503,
        json: { error: { type: "api_error", code: "service_unavailable" } },
      });
      expect((await ask("POST", `/plan/change/${id}/cancel`)).body.status).toBe("cancelled");
      const { id: checkoutId } = transaction;
      expect(await noted(atA, account)).toEqual([
        { changeId: id, provider: "provider-a", checkoutId, outcome: "closed" },
      ]);
      if (status === "ready") expect(transaction.status).toBe("canceled");
      else expect(transaction.billing_details?.enable_checkout).toBe(false);
    }
  });

  it("expires the page of a cancelled change at provider B", async () => {
    const { account, ask, id } = await asked(atB);
    await ask("POST", `/plan/change/${id}/confirm`);
    await ask("POST", `/plan/change/${id}/cancel`);
    const [session] = [...providerB.sessions.values()].slice(-1);
    expect(await noted(atB, account)).toEqual([
      { changeId: id, provider: "provider-b", checkoutId: session?.id, outcome: "closed" },
    ]);
    expect(session?.status).toBe("expired");
  });

  it("records a payment made just before the cancellation", async () => {
    const a = await asked(atA);
    await a.ask("POST", `/plan/change/${a.id}/confirm`);
    transactionOf(a.id).status = "completed";
    await a.ask("POST", `/plan/change/${a.id}/cancel`);
    expect(await noted(atA, a.account)).toMatchObject([{ outcome: "paid" }]);
    const b = await asked(atB);
    await b.ask("POST", `/plan/change/${b.id}/confirm`);
    const [session] = [...providerB.sessions.values()].slice(-1);
    if (session) session.status = "complete";
    await b.ask("POST", `/plan/change/${b.id}/cancel`);
    expect(await noted(atB, b.account)).toMatchObject([{ outcome: "paid" }]);
  });

  it("finds and closes an unrecorded page of an expired change", async () => {
    for (const [service, provider] of [
      [atA, providerA],
      [atB, providerB],
    ] as const) {
      const { account, ask, id } = await asked(service);
      if (provider === providerA) provider.instead.push({ status: 200, json: { data: [] } }, "cut");
      else provider.instead.push("cut", "cut", "cut");
      expect((await ask("POST", `/plan/change/${id}/confirm`)).status).toBe(503);
      const late = new Date(Date.now() + 25 * 3_600_000).toISOString();
      await service.core.loop.execute(
        planDecider,
        account.organizationId,
        { type: "passTime", at: late, ids: [newId(), newId()] },
        systemContext(account.organizationId),
      );
      expect(await noted(service, account)).toMatchObject([{ changeId: id, outcome: "closed" }]);
    }
  });

  it("leaves the page of a paid change alone", async () => {
    const { account, ask, id } = await asked(atA);
    await ask("POST", `/plan/change/${id}/confirm`);
    const { id: checkoutId } = transactionOf(id);
    await bought(`sub_${id.replaceAll("-", "")}`, id);
    // A later event was handled, so this one was too.
    const other = await asked(atA);
    await other.ask("POST", `/plan/change/${other.id}/confirm`);
    await other.ask("POST", `/plan/change/${other.id}/cancel`);
    await noted(atA, other.account);
    const touched = providerA.seen.filter(({ path }) => path === `/transactions/${checkoutId}`);
    expect(touched).toEqual([]);
    expect(await noted(atA, account, 0)).toEqual([]);
  });

  it("ends the subscription on a change to Free, and raises attention on a late renewal", async () => {
    const { account, ask, id } = await asked(atA);
    const subscription = `sub_${id.replaceAll("-", "")}`;
    const hours = (count: number) => new Date(Date.now() + count * 3_600_000).toISOString();
    const paid = (origin: string, starts_at: string, ends_at: string) =>
      send({
        event_type: "transaction.completed",
        occurred_at: starts_at,
        data: {
          id: `txn_${origin}_${subscription}`,
          subscription_id: subscription,
          origin,
          custom_data: origin === "api" ? { plan_change_request_id: id } : null,
          items: [{ price: { id: "pri_starter" } }],
          billing_period: { starts_at, ends_at },
        },
      });
    await paid("api", hours(-700), hours(-1));
    await eventually(
      () => ask("GET", "/plan"),
      ({ body }) => body.plan === "starter",
    );
    const { body: change } = await ask("POST", "/plan/change", { plan: "free" });
    const confirmed = await ask("POST", `/plan/change/${change.id}/confirm`);
    expect(confirmed.body.status).toBe("applied");
    const ended = () => posted(providerA, `/subscriptions/${subscription}/cancel`, "immediately");
    await eventually(
      async () => ended(),
      (all) => all.length > 0,
    );
    await eventually(
      () => typesOf(atA, account),
      (types) => types.at(-1) === "PlanCancellationScheduled",
    );
    await paid("subscription_recurring", hours(-1), hours(719));
    const { body: plan } = await eventually(
      () => ask("GET", "/plan"),
      ({ body }) => body.attention !== null,
    );
    expect([plan.plan, plan.period_end]).toEqual(["free", null]);
    expect(plan.attention.reason).toContain("renewal was paid");
    expect(ended()).toHaveLength(1);
  });

  it("calls no provider when an organisation without a subscription is deleted", async () => {
    const account = await signUp(atA.url);
    const { billing } = atA.core.commands;
    const before = providerA.seen.length;
    const { organizationId } = account;
    const receipt = await billing.cancelSubscription(systemContext(organizationId), organizationId);
    expect([receipt.position, providerA.seen.length]).toEqual([null, before]);
  });
});
