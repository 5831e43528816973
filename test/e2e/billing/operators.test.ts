import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { planDecider } from "../../../src/domain/billing/plan.ts";
import { newId } from "../../../src/platform/ids.ts";
import { adminOf, adminSettings } from "../../support/admins.ts";
import { type Account, call, eventually, type Reply, signUp } from "../../support/client.ts";
import { providerSettings, signedByProviderA } from "../../support/providers.ts";
import { startTestService, type TestService } from "../../support/service.ts";

/** Operators' commands on stuck plans and provider events. */
describe("operators and plans", () => {
  let service: TestService;
  let admin: Account;
  beforeAll(async () => {
    service = await startTestService({ ...providerSettings, ...adminSettings }, [
      "api",
      "projections",
      "dispatcher",
    ]);
    admin = await adminOf(service);
  });
  afterAll(() => service?.stop());

  const ask = (account: Account, method: string, route: string, body?: unknown) =>
    call(service.url, method, `/api/v1${route}`, { bearer: account.accessToken, body });
  const operate = (method: string, route: string, body?: unknown) =>
    ask(admin, method, `/admin${route}`, body);
  const planOf = async (account: Account) => (await ask(account, "GET", "/plan")).body;
  const linesOf = async (account: Account) =>
    (await ask(account, "GET", "/plan/history")).body.items;
  const expectRefused = (reply: Reply, status: number, why: RegExp) =>
    expect([reply.status, reply.body]).toEqual([status, { detail: expect.stringMatching(why) }]);
  const send = async (event: Record<string, unknown>) => {
    const { body, headers } = signedByProviderA(event);
    const response = await fetch(`${service.url}/api/v1/webhooks/provider-a`, {
      method: "POST",
      body,
      headers: { "content-type": "application/json", ...headers },
    });
    return { status: response.status, text: await response.text(), id: JSON.parse(body).event_id };
  };
  const bought = (subscription: string, changeId: string, price = "pri_starter") => ({
    event_type: "transaction.completed",
    occurred_at: "2026-11-01T10:00:00Z",
    data: {
      id: `txn_${subscription}`,
      subscription_id: subscription,
      origin: "web",
      custom_data: { plan_change_request_id: changeId },
      items: [{ price: { id: price } }],
      billing_period: { starts_at: "2026-11-01T10:00:00Z", ends_at: "2036-12-01T10:00:00Z" },
    },
  });

  it("puts a granted plan in force once, with operator and reason", async () => {
    const account = await signUp(service.url);
    const path = `/organizations/${account.organizationId}/grant-plan`;
    const body = { plan: "business", until: "2099-01-01T00:00:00+01:00", reason: "A trial" };
    for (let nth = 0; nth < 2; nth += 1) {
      const { status, body: answer } = await operate("POST", path, body);
      expect([status, answer]).toEqual([
        200,
        { plan: "business", granted_until: "2098-12-31T23:00:00.000Z" },
      ]);
    }
    expect(await planOf(account)).toMatchObject({ plan: "business", status: "granted" });
    const lines = await linesOf(account);
    expect(lines.map(({ event }: { event: string }) => event)).toEqual([
      "PlanStarted",
      "PlanGranted",
    ]);
    expect(lines[1]).toMatchObject({
      actor: { type: "user", id: admin.userId },
      cause: { command: "grant" },
    });
    expect((await ask(account, "GET", "/plan/explain")).body.items[0].text).toContain("A trial");
    const past = { ...body, until: "2020-01-01T00:00:00Z" };
    const beyond = { ...body, until: "9999-12-31T23:59:59-01:00" };
    expectRefused(await operate("POST", path, beyond), 422, /must be a time/);
    expectRefused(await operate("POST", path, past), 422, /until/);
    expectRefused(await operate("POST", path, { ...body, reason: " " }), 422, /reason/);
    expectRefused(await operate("POST", path, { ...body, plan: "gold" }), 422, /plan/);
    expectRefused(
      await operate("POST", `/organizations/${newId()}/grant-plan`, body),
      404,
      /no organisation/,
    );
    expectRefused(await ask(account, "POST", `/admin${path}`, body), 403, /ADMIN_EMAILS/);
  });

  it("refuses an unknown cursor of provider events", async () => {
    for (const parts of [
      ["2026-01-01T00:00:00.000Z", "provider-a\0", "evt_1"],
      ["2026-01-01T00:00:00.000Z", "provider-a", "evt_\0"],
      ["0000-01-01T00:00:00.000Z", "provider-a", "evt_1"],
    ]) {
      const cursor = Buffer.from(JSON.stringify(parts)).toString("base64url");
      expectRefused(await operate("GET", `/webhook-events?cursor=${cursor}`), 422, /cursor/);
    }
  });

  it("settles a stuck change once, with a reason", async () => {
    for (const [outcome, plan] of [
      ["applied", "team"],
      ["failed", "free"],
      ["cancelled", "free"],
    ] as const) {
      const account = await signUp(service.url);
      const { body: change } = await ask(account, "POST", "/plan/change", { plan: "team" });
      const path = `/organizations/${account.organizationId}/plan-changes/${change.id}/settle`;
      const body = { outcome, reason: "Paid by bank transfer" };
      for (let nth = 0; nth < 2; nth += 1) {
        const { status, body: answer } = await operate("POST", path, body);
        expect([status, answer]).toEqual([200, { id: change.id, status: outcome }]);
      }
      expect((await ask(account, "GET", `/plan/change/${change.id}`)).body.status).toBe(outcome);
      expect((await planOf(account)).plan).toBe(plan);
      const [first] = (await ask(account, "GET", "/plan/explain")).body.items;
      if (outcome === "applied") {
        expect(first.text).toMatch(/an operator applied .* Reason: Paid by bank transfer$/);
      }
      const lines = await linesOf(account);
      expect(lines).toHaveLength(3);
      const exported = await call(service.url, "GET", "/api/v1/plan/history/export?format=csv", {
        bearer: account.accessToken,
      });
      expect(String(exported.body)).toContain("Paid by bank transfer");
      const other = outcome === "applied" ? "failed" : "applied";
      expectRefused(
        await operate("POST", path, { ...body, outcome: other }),
        409,
        /cannot be settled/,
      );
    }
    const other = await signUp(service.url);
    const path = `/organizations/${other.organizationId}/plan-changes/${newId()}/settle`;
    expectRefused(
      await operate("POST", path, { outcome: "failed", reason: "none" }),
      404,
      /no such/,
    );
  });

  it("settles attention, and answers 404 for unknown events", async () => {
    const account = await signUp(service.url);
    const { body: change } = await ask(account, "POST", "/plan/change", { plan: "starter" });
    await ask(account, "POST", `/plan/change/${change.id}/cancel`);
    const { id } = await send(bought(`sub_${randomUUID()}`, change.id));
    await eventually(
      () => planOf(account),
      ({ attention }) => attention?.provider_event_id === id,
    );
    const path = `/organizations/${account.organizationId}/attention/${id}/settle`;
    const body = { outcome: "refunded", reason: "Sent back at the provider" };
    for (let nth = 0; nth < 2; nth += 1) {
      expect((await operate("POST", path, body)).status).toBe(204);
    }
    expect((await planOf(account)).attention).toBeNull();
    expect((await linesOf(account)).at(-1)).toMatchObject({
      event: "PlanAttentionSettled",
      actor: { type: "user", id: admin.userId },
      cause: { command: "settleAttention", provider_event_id: id },
    });
    expectRefused(await operate("POST", path.replace(id, "evt_other"), body), 404, /attention/);
  });

  it("applies an ignored event when an operator retries it", async () => {
    // The event arrives before its request exists.
    const account = await signUp(service.url);
    const changeId = newId();
    const subscription = `sub_${randomUUID()}`;
    const ignored = await send(bought(subscription, changeId));
    expect([ignored.status, ignored.text]).toEqual([200, '"ignored"']);
    const list = async (query = "") => (await operate("GET", `/webhook-events${query}`)).body;
    const found = await eventually(
      async () => (await list("?status=ignored")).items,
      (items: { event_id: string }[]) => items.some(({ event_id }) => event_id === ignored.id),
    );
    expect(found.find(({ event_id }) => event_id === ignored.id)).toMatchObject({
      id: `provider-a_${ignored.id}`,
      provider: "provider-a",
      type: "transaction.completed",
      status: "ignored",
      reason: expect.stringContaining("no plan change"),
    });
    const retry = (id: string) => operate("POST", `/webhook-events/provider-a_${id}/retry`);
    expect((await retry(ignored.id)).body).toMatchObject({ status: "ignored" });

    const { organizationId } = account;
    await service.core.loop.execute(
      planDecider,
      organizationId,
      {
        type: "requestChange",
        changeId,
        to: { plan: "team", interval: "month" },
        at: new Date().toISOString(),
      },
      {
        actor: { type: "system", id: "test" },
        organizationId,
        correlationId: newId(),
        causationId: newId(),
      },
    );
    const applied = { id: `provider-a_${ignored.id}`, status: "applied", reason: null };
    for (let nth = 0; nth < 2; nth += 1) expect((await retry(ignored.id)).body).toEqual(applied);
    await eventually(
      () => planOf(account),
      ({ plan }) => plan === "team",
    );
    const stream: [string, string][] = [];
    for await (const { type, metadata } of service.platform.log.readStream(
      `webhook-provider-a_${ignored.id}`,
    )) {
      stream.push([type, metadata.actor.id]);
    }
    expect(stream).toEqual([
      ["WebhookReceived", "provider-a"],
      ["WebhookIgnored", "provider-a"],
      ["WebhookApplied", admin.userId],
    ]);

    const unknown = await send({
      ...bought(subscription, changeId),
      event_type: "subscription.updated",
      occurred_at: "2026-11-05T10:00:00Z",
      data: { id: subscription, items: [{ price: { id: "pri_nobody" } }], custom_data: null },
    });
    await eventually(
      () => planOf(account),
      ({ attention }) => attention !== null,
    );
    expect((await retry(unknown.id)).body).toEqual({
      id: `provider-a_${unknown.id}`,
      status: "ignored",
      reason: expect.stringContaining("prices"),
    });
    expectRefused(await retry("evt_never"), 404, /no such provider event/);

    // Pages are contiguous.
    const all = (await list()).items.map(({ id }: { id: string }) => id);
    const paged: string[] = [];
    let next: string | null = "";
    while (next !== null) {
      const page: { items: { id: string }[]; next_cursor: string | null } = await list(
        `?limit=2${next && `&cursor=${next}`}`,
      );
      paged.push(...page.items.map(({ id }) => id));
      next = page.next_cursor;
    }
    expect(paged).toEqual(all);
    expectRefused(await operate("GET", "/webhook-events?cursor=nonsense"), 422, /cursor/);
  });
});
