import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newId } from "../../../src/platform/ids.ts";
import { type Account, call, makeKey, signUp } from "../../support/client.ts";
import { startTestService, type TestService } from "../../support/service.ts";

describe("monthly quota over HTTP", () => {
  let service: TestService;
  beforeAll(async () => {
    // Nothing is executed, so reservations stay.
    service = await startTestService({}, ["api", "projections", "dispatcher"]);
  });
  afterAll(() => service.stop());

  const setUp = async () => {
    const account = await signUp(service.url);
    const key = await makeKey(service.url, account, "ci build");
    const created = await call(service.url, "POST", "/api/v1/cli/tests", {
      bearer: key.key,
      body: {
        name: "opens",
        steps: [{ action: "navigate", target: "", value: "https://shop.example", description: "" }],
      },
    });
    expect(created.status).toBe(201);
    const queue = (bearer = key.key) =>
      call(service.url, "POST", "/api/v1/cli/cloud-runs", {
        bearer,
        body: { test_ids: [created.body.id] },
      });
    const usage = async () => (await asSession(account, "/api/v1/usage")).body;
    return { account, key, queue, usage };
  };
  const asSession = (account: Account, path: string) =>
    call(service.url, "GET", path, {
      bearer: account.accessToken,
      organizationId: account.organizationId,
    });
  const take = (account: Account, units: number) =>
    service.core.commands.usage.reserveRuns(
      {
        actor: { type: "user", id: account.userId },
        organizationId: account.organizationId,
        correlationId: newId(),
        causationId: newId(),
      },
      account.organizationId,
      [{ runId: newId(), units }],
    );

  it("accepts exactly ten of 200 concurrent requests with ten units left, and explains 190 refusals", async () => {
    const { account, queue, usage } = await setUp();
    await take(account, 40);
    const replies = await Promise.all(Array.from({ length: 200 }, () => queue()));
    const queued = replies.filter(({ status }) => status === 202);
    const refused = replies.filter(({ status }) => status === 429);
    expect([queued.length, refused.length]).toEqual([10, 190]);
    expect(new Set(queued.map(({ body }) => body.run_ids[0])).size).toBe(10);
    expect(await usage()).toMatchObject({ used: 0, reserved: 50, limit: 50, remaining: 0 });

    for (const { body, headers } of refused) {
      expect(Object.keys(body)).toEqual(["detail"]);
      expect(body.detail).toContain("monthly quota");
      expect(headers.get("retry-after")).toBeNull();
      expect(headers.get("link")).toMatch(
        /^<\/api\/v1\/usage\/refusals\/[0-9a-f-]{36}>; rel="describedby"$/,
      );
    }
  });

  it("returns a receipt with the rule, the usage and the reset time", async () => {
    const { account, key, queue } = await setUp();
    await take(account, 50);
    const refused = await queue();
    expect(refused.status).toBe(429);
    const path = /^<([^>]+)>/.exec(refused.headers.get("link") ?? "")?.[1] ?? "";
    const receipt = await call(service.url, "GET", path, { bearer: key.key });
    expect(receipt.status).toBe(200);
    expect(receipt.body).toMatchObject({
      id: path.split("/").at(-1),
      rule: "monthly_runs",
      triggered_by: "api:ci build",
      requested: 1,
      limit: 50,
      used: 0,
      reserved: 50,
      used_by: [{ triggered_by: `user:${account.email}`, units: 50 }],
      count: 1,
    });
    expect(receipt.body.plan_event_id).toMatch(/^[0-9a-f-]{36}$/);
    expect(receipt.body.resets_at).toMatch(/^\d{4}-\d\d-01T00:00:00\.000Z$/);

    const again = await queue();
    expect(again.status).toBe(429);
    const stranger = await signUp(service.url);
    expect((await asSession(stranger, path)).status).toBe(403);
    expect((await asSession(account, `/api/v1/usage/refusals/${newId()}`)).status).toBe(404);
    expect((await asSession(account, "/api/v1/usage/refusals/nonsense")).status).toBe(404);
  });

  it("follows a granted plan in entitlements, usage and limit, and has a public catalog", async () => {
    const { account, key, usage } = await setUp();
    const { organizationId } = account;
    const context = {
      actor: { type: "system" as const, id: "operator" },
      organizationId,
      correlationId: newId(),
      causationId: newId(),
    };
    const entitlements = async () =>
      (await call(service.url, "GET", "/api/v1/entitlements", { bearer: key.key })).body;
    expect(await entitlements()).toMatchObject({ plan: "free", role: "api_key" });
    const granted = await service.core.commands.billing.grantPlan(context, {
      organizationId,
      plan: "team",
      reason: "a trial",
    });
    await call(service.url, "GET", "/api/v1/usage", {
      bearer: key.key,
      headers: { "x-min-position": String(granted.position) },
    });
    const { plan, items } = await entitlements();
    expect(plan).toBe("team");
    expect(items.find((one: { name: string }) => one.name === "monthly_runs")).toEqual({
      name: "monthly_runs",
      allowed: true,
      limit: 5_000,
      reason: expect.stringContaining("Business allows 50000"),
      more_on: "business",
    });
    expect(await usage()).toMatchObject({ limit: 5_000, remaining: 5_000 });

    const plans = await call(service.url, "GET", "/api/v1/catalog/plans");
    expect(plans.body.items.map(({ code }: { code: string }) => code)).toEqual([
      "free",
      "starter",
      "team",
      "business",
    ]);
    const team = await call(service.url, "GET", "/api/v1/catalog/plans/team");
    expect(team.body).toMatchObject({ monthly_runs: 5_000, price: { month: 99, year: 990 } });
    expect((await call(service.url, "GET", "/api/v1/catalog/plans/gold")).status).toBe(404);
  });
});
