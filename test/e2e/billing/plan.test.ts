import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addMonths } from "../../../src/domain/billing/calendar.ts";
import { newId } from "../../../src/platform/ids.ts";
import {
  type Account,
  call,
  eventually,
  makeKey,
  type Reply,
  signUp,
} from "../../support/client.ts";
import { startTestService, type TestService } from "../../support/service.ts";

/** Plan changes over HTTP without a payment provider. */
describe("plan changes over HTTP", () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService({}, ["api", "projections", "dispatcher"]);
  });
  afterAll(() => service?.stop());

  const as = (account: Account) => (method: string, path: string, body?: unknown) =>
    call(service.url, method, `/api/v1${path}`, { bearer: account.accessToken, body });
  const begin = async () => {
    const account = await signUp(service.url);
    return { account, ask: as(account) };
  };
  const buy = async (ask: ReturnType<typeof as>, plan: string, interval = "month") => {
    const { body } = await ask("POST", "/plan/change", { plan, interval });
    return ask("POST", `/plan/change/${body.id}/confirm`);
  };
  const expectRefused = (reply: Reply, status: number, why: RegExp) => {
    expect([reply.status, reply.body]).toEqual([status, { detail: expect.stringMatching(why) }]);
  };

  it("reads the free plan of a new organisation with its entitlements", async () => {
    const { ask } = await begin();
    const { status, body } = await ask("GET", "/plan");
    expect(status).toBe(200);
    expect(body).toMatchObject({
      plan: "free",
      interval: null,
      status: "active",
      period_start: null,
      period_end: null,
      scheduled_change: null,
      attention: null,
    });
    const seats = body.entitlements.find(({ name }: { name: string }) => name === "seats");
    expect(seats).toMatchObject({ limit: 2, more_on: "starter" });
  });

  it("puts a confirmed larger plan in force immediately, once", async () => {
    const { ask } = await begin();
    const created = await ask("POST", "/plan/change", { plan: "team" });
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({
      status: "created",
      from_plan: "free",
      to_plan: "team",
      to_interval: "month",
      checkout_url: null,
      preview: {
        proration: { lines: [{ what: "charge", cents: 9900 }], due_cents: 9900 },
        losses: [],
        no_longer_fits: [],
      },
    });
    expect(created.body.preview.gains).toContain("seats: 20 instead of 2");
    const path = `/plan/change/${created.body.id}`;
    expect((await ask("GET", path)).body).toEqual(created.body);
    const first = await ask("POST", `${path}/confirm`);
    const again = await ask("POST", `${path}/confirm`);
    const applied = await ask("POST", `${path}/apply`);
    for (const reply of [first, again, applied]) {
      expect([reply.status, reply.body.status]).toEqual([200, "applied"]);
    }
    const { body: plan } = await ask("GET", "/plan");
    expect(plan).toMatchObject({ plan: "team", interval: "month", status: "active" });
    expect(plan.period_end).toBe(addMonths(plan.period_start, 1));
    expect((await ask("GET", "/usage")).body.limit).toBe(5_000);
    expectRefused(await ask("POST", "/plan/change", { plan: "team" }), 409, /already/);
  });

  it("prorates an upgrade in the middle of a month", async () => {
    const { ask } = await begin();
    await buy(ask, "starter");
    const { body: plan } = await ask("GET", "/plan");
    const { body } = await ask("POST", "/plan/change", { plan: "business" });
    const { lines, due_cents } = body.preview.proration;
    const left =
      (Date.parse(plan.period_end) - Date.parse(body.created_at)) /
      (Date.parse(plan.period_end) - Date.parse(plan.period_start));
    expect(lines).toEqual([
      { what: "credit", cents: -Math.round(2_900 * left) },
      { what: "charge", cents: Math.round(39_900 * left) },
    ]);
    expect(due_cents).toBe(lines[0].cents + lines[1].cents);
  });

  it("names exceeded limits of a smaller plan and schedules it for the period's end", async () => {
    const { account, ask } = await begin();
    await buy(ask, "team");
    for (const name of ["one", "two", "three"]) await makeKey(service.url, account, name);
    const { body: before } = await ask("GET", "/plan");
    const created = await ask("POST", "/plan/change", { plan: "free" });
    expect(created.body.preview).toMatchObject({
      proration: { lines: [], due_cents: 0 },
      gains: [],
      no_longer_fits: ["api_keys: 3 in use, 1 allowed"],
    });
    expect(created.body.preview.losses).toContain("visual_baselines");
    expect(created.body.effective_at).toBe(before.period_end);
    const confirmed = await ask("POST", `/plan/change/${created.body.id}/confirm`);
    expect(confirmed.body.status).toBe("scheduled");
    expectRefused(
      await ask("POST", `/plan/change/${created.body.id}/apply`),
      409,
      /at the end of the paid period/,
    );
    expect((await ask("GET", "/plan")).body).toMatchObject({
      plan: "team",
      scheduled_change: { id: created.body.id, to_plan: "free", effective_at: before.period_end },
    });
    expect((await ask("DELETE", "/plan/scheduled-change")).status).toBe(204);
    expect((await ask("DELETE", "/plan/scheduled-change")).status).toBe(204);
    expect((await ask("GET", "/plan")).body).toEqual(before);
    expectRefused(
      await ask("POST", `/plan/change/${created.body.id}/confirm`),
      409,
      /cancelled.*Request a new one/,
    );
  });

  it("answers 409 to a second request until the first is cancelled", async () => {
    const { ask } = await begin();
    const { body } = await ask("POST", "/plan/change", { plan: "team" });
    expectRefused(await ask("POST", "/plan/change", { plan: "starter" }), 409, /cancel it first/);
    expectRefused(await ask("POST", `/plan/change/${body.id}/schedule`), 409, /no paid period/);
    const cancelled = await ask("POST", `/plan/change/${body.id}/cancel`);
    expect([cancelled.status, cancelled.body.status]).toEqual([200, "cancelled"]);
    expect((await ask("POST", "/plan/change", { plan: "starter" })).status).toBe(201);
  });

  it("creates and applies one request for 20 concurrent callers", async () => {
    const { account, ask } = await begin();
    const asked = await Promise.all(
      Array.from({ length: 20 }, () => ask("POST", "/plan/change", { plan: "team" })),
    );
    const created = asked.filter(({ status }) => status === 201);
    expect([created.length, asked.filter(({ status }) => status === 409).length]).toEqual([1, 19]);
    const id = created[0]?.body.id;
    await Promise.all(Array.from({ length: 20 }, () => ask("POST", `/plan/change/${id}/confirm`)));
    const types: string[] = [];
    for await (const event of service.platform.log.readStream(`plan-${account.organizationId}`)) {
      types.push(event.type);
    }
    expect(types).toEqual([
      "PlanStarted",
      "PlanChangeCreated",
      "PlanChangeConfirmed",
      "PlanChangeApplied",
    ]);
  });

  it("refuses unknown, foreign and finished changes, and invalid bodies", async () => {
    const [{ ask }, other] = [await begin(), await begin()];
    const theirs = await other.ask("POST", "/plan/change", { plan: "team" });
    for (const step of ["confirm", "schedule", "apply", "cancel"]) {
      const of = (id: string) => ask("POST", `/plan/change/${id}/${step}`);
      expectRefused(await of(theirs.body.id), 403, /another organisation/);
      expectRefused(await of(newId()), 404, /no such plan change/);
    }
    expectRefused(await ask("POST", "/plan/change", { plan: "gold" }), 422, /plan/);
    expectRefused(
      await ask("POST", "/plan/change", { plan: "team", interval: "week" }),
      422,
      /interval/,
    );
    expectRefused(await ask("POST", "/plan/change", {}), 422, /plan/);
  });

  it("restores the previous plan when a grant ends", async () => {
    const { account, ask } = await begin();
    const { organizationId } = account;
    const context = {
      actor: { type: "system", id: "test" },
      organizationId,
      correlationId: newId(),
      causationId: newId(),
    } as const;
    const { grantPlan } = service.core.commands.billing;
    const input = { organizationId, plan: "business", reason: "a trial" } as const;
    const read = async () => (await ask("GET", "/plan")).body;
    const until = new Date(Date.now() + 3_600_000).toISOString();
    await grantPlan(context, { ...input, until });
    const granted = await eventually(read, ({ plan }) => plan === "business");
    expect(granted).toMatchObject({ status: "granted", own_plan: "free", granted_until: until });
    // On a busy machine the grant may end before the first read.
    await grantPlan(context, { ...input, until: new Date(Date.now() + 300).toISOString() });
    const over = await eventually(read, ({ plan }) => plan === "free");
    expect(over).toMatchObject({ status: "active", granted_until: null });
  });

  it("compares past usage with another plan, and lists usage per day and principal", async () => {
    const { account, ask } = await begin();
    const { organizationId } = account;
    const { usage } = service.core.commands;
    const by = (type: "user" | "api_key", id: string, name?: string) => ({
      actor: { type, id, ...(name ? { name } : {}) },
      organizationId,
      correlationId: newId(),
      causationId: newId(),
    });
    const me = by("user", account.userId);
    const kept = newId();
    const reserve = (context: typeof me, units: number, runId = newId()) =>
      usage.reserveRuns(context, organizationId, [{ runId, units }]);
    const { period } = await reserve(me, 30, kept);
    await reserve(by("api_key", newId(), "ci"), 15);
    await expect(reserve(me, 20)).rejects.toMatchObject({ code: "run.quotaExceeded" });
    const executionId = newId();
    const reason = "It was cancelled.";
    await usage.releaseReservation(me, {
      organizationId,
      period,
      runId: kept,
      executionId,
      reason,
    });
    const lost = { organizationId, period, runId: newId(), executionId: newId() };
    await reserve(me, 1, lost.runId);
    await usage.markReservationUsed(me, lost);
    const { actor } = me;
    await usage.refundUnit(me, { ...lost, by: actor, reason: "Its workers were lost." });
    const day = new Date().toISOString().slice(0, 10);
    const history = await eventually(
      async () => (await ask("GET", `/usage/history?from=${day}`)).body,
      ({ items, refunds }) =>
        items[0]?.units === 44 && items[0]?.refused === 1 && refunds.length === 1,
    );
    expect(history.refunds).toEqual([
      {
        execution_id: lost.executionId,
        run_id: lost.runId,
        refunded_at: expect.stringContaining(day),
        triggered_by: `user:${account.email}`,
        reason: "Its workers were lost.",
      },
    ]);
    expect(history.items).toEqual([
      {
        day,
        units: 44,
        refused: 1,
        by: [
          { triggered_by: `user:${account.email}`, units: 29, refused: 1 },
          { triggered_by: "api:ci", units: 15, refused: 0 },
        ],
      },
    ]);
    const { body: month } = await ask("GET", "/usage");
    expect(month.used + month.reserved).toBe(44);

    const { body: larger } = await ask("GET", "/plan/what-if?plan=starter&months=1");
    expect(larger).toMatchObject({
      current_plan: "free",
      plan: "starter",
      price: { current: { month: 0 }, other: { month: 29 } },
      months: [
        {
          asked: 66,
          limit: 500,
          used: 64,
          refused_requests: 0,
          allowed_instead: 1,
          first_refused_at: null,
        },
      ],
    });
    expect(larger.gains).toContain("seats: 5 instead of 2");
    const { body: same } = await ask("GET", "/plan/what-if?plan=free");
    expect(same.months).toHaveLength(3);
    expect(same.months.at(-1)).toMatchObject({ used: 44, refused_requests: 1, refused_runs: 20 });
    expectRefused(await ask("GET", "/plan/what-if?plan=gold"), 422, /plan/);
    expectRefused(await ask("GET", "/plan/what-if"), 422, /plan/);
    expectRefused(await ask("GET", "/usage/history?from=2026-02-01&to=2026-01-01"), 422, /from/);
    expectRefused(await ask("GET", "/usage/history?from=2020-01-01"), 422, /366/);
    expectRefused(await ask("GET", "/usage/history?from=yesterday"), 422, /from/);
  });

  it("refuses a history range that ends before it starts", async () => {
    const { accessToken: bearer } = await signUp(service.url);
    const range = "from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z";
    const { status, body } = await call(service.url, "GET", `/api/v1/plan/history?${range}`, {
      bearer,
    });
    expect([status, body]).toEqual([422, { detail: "from: must be before to" }]);
  });

  it("explains a bought and granted plan with a scheduled change", async () => {
    const { account, ask } = await begin();
    const { organizationId } = account;
    const explained = async () => (await ask("GET", "/plan/explain")).body;
    const first = await explained();
    expect(first).toMatchObject({
      plan: "free",
      items: [
        {
          text: expect.stringContaining("began with it"),
          events: [{ event: "PlanStarted", sequence: 1 }],
        },
      ],
    });
    await buy(ask, "team");
    await buy(ask, "starter");
    await service.core.commands.billing.grantPlan(
      {
        actor: { type: "system", id: "test" },
        organizationId,
        correlationId: newId(),
        causationId: newId(),
      },
      { organizationId, plan: "business", reason: "a trial" },
    );
    const { plan, items } = await explained();
    expect(plan).toBe("business");
    expect(items.map(({ text }: { text: string }) => text)).toEqual([
      expect.stringMatching(
        /^The plan is Business: an operator granted it on .*\. Reason: a trial$/,
      ),
      expect.stringMatching(
        /^The grant has no end\. The organisation's own plan is Team by the month: the requested change took effect/,
      ),
      expect.stringMatching(/^It is paid from/),
      expect.stringMatching(/^A change to Starter by the month takes effect on/),
    ]);
    expect(items[1].events.map(({ event }: { event: string }) => event)).toEqual([
      "PlanChangeCreated",
      "PlanChangeConfirmed",
      "PlanChangeApplied",
    ]);
    expect(items[3].events.at(-1)).toMatchObject({ event: "PlanChangeScheduled" });
    expect(items[3].events.at(-1).actor).toEqual({ type: "user", id: account.userId });
  });

  it("lists chained history lines with actor and reason, as of any time", async () => {
    const { account, ask } = await begin();
    await buy(ask, "starter");
    await buy(ask, "team");
    const { status, body } = await ask("GET", "/plan/history");
    expect(status).toBe(200);
    const lines: {
      event: string;
      actor: { type: string; id: string };
      plan_before: string;
      plan_after: string;
      recorded_at: string;
      hash: string;
      previous_hash: string | null;
    }[] = body.items;
    expect(lines.map(({ event }) => event)).toEqual([
      "PlanStarted",
      ...["PlanChangeCreated", "PlanChangeConfirmed", "PlanChangeApplied"],
      ...["PlanChangeCreated", "PlanChangeConfirmed", "PlanChangeApplied"],
    ]);
    expect(lines.map(({ previous_hash }) => previous_hash)).toEqual([
      null,
      ...lines.slice(0, -1).map(({ hash }) => hash),
    ]);
    expect(new Set(lines.map(({ hash }) => hash)).size).toBe(7);
    expect(lines[3]).toMatchObject({ plan_before: "free", plan_after: "starter" });
    expect(lines[6]).toMatchObject({
      actor: { type: "user", id: account.userId },
      plan_before: "starter",
      plan_after: "team",
    });
    expect(body.plan_at).toEqual({ plan: "team", own_plan: "team", own_interval: "month" });
    const at = encodeURIComponent(lines[3]?.recorded_at ?? "");
    for (const name of ["as_of", "known_at"]) {
      const then = await ask("GET", `/plan/history?${name}=${at}`);
      expect(then.body).toMatchObject({ plan_at: { plan: "starter" } });
      expect(then.body.items).toEqual(lines.slice(0, 4));
    }
    const later = await ask(
      "GET",
      `/plan/history?from=${encodeURIComponent(lines[4]?.recorded_at ?? "")}`,
    );
    expect(later.body.items).toEqual(lines.slice(4));
    expectRefused(await ask("GET", "/plan/history?as_of=yesterday"), 422, /as_of/);
    // The UTC offset moves the time outside of the storable years.
    for (const beyond of ["9999-12-31T23:59:59-01:00", "0000-01-01T00:00:00%2B01:00"]) {
      expectRefused(await ask("GET", `/plan/history?as_of=${beyond}`), 422, /as_of/);
    }
  });
});
