import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type PlanCommand, planDecider } from "../../../../src/domain/billing/plan.ts";
import type { EventIds, ProviderFact } from "../../../../src/domain/billing/planEvents.ts";
import { currentPlan, type OrganizationPlan } from "../../../../src/domain/billing/planState.ts";

/*
 * The events of a subscription: purchase, upgrade, renewal, cancellation, refund. Providers guarantee neither order
 * nor exactly-once delivery.
 */
const life: readonly ProviderFact[] = [
  fact("evt_1", "2026-01-31T10:00:00.000Z", {
    terms: { plan: "starter", interval: "month" },
    period: { start: "2026-01-31T10:00:00.000Z", end: "2026-02-28T10:00:00.000Z" },
  }),
  fact("evt_2", "2026-02-10T10:00:00.000Z", {
    terms: { plan: "team", interval: "month" },
    period: { start: "2026-01-31T10:00:00.000Z", end: "2026-02-28T10:00:00.000Z" },
  }),
  fact("evt_3", "2026-02-28T10:00:01.000Z", {
    terms: { plan: "team", interval: "month" },
    period: { start: "2026-02-28T10:00:00.000Z", end: "2026-03-31T10:00:00.000Z" },
  }),
  fact("evt_4", "2026-03-05T10:00:00.000Z", {
    standing: {
      kind: "cancelled",
      at: "2026-03-05T10:00:00.000Z",
      endsAt: "2026-03-31T10:00:00.000Z",
    },
  }),
  fact("evt_5", "2026-03-06T10:00:00.000Z", {
    standing: { kind: "revoked", at: "2026-03-06T10:00:00.000Z" },
  }),
];

const during = "2026-03-10T10:00:00.000Z";
const afterwards = "2026-04-01T10:00:00.000Z";

function fact(eventId: string, occurredAt: string, says: Partial<ProviderFact>): ProviderFact {
  return {
    provider: "provider-a",
    eventId,
    occurredAt,
    subscriptionId: "sub_1",
    terms: null,
    period: null,
    standing: { kind: "active" },
    ...says,
  };
}

let made = 0;
const ids = (count = 8): EventIds =>
  Array.from({ length: count }, () => {
    made += 1;
    return `019a0000-0000-7000-8000-${String(made).padStart(12, "0")}`;
  }) as unknown as EventIds;

const run = (state: OrganizationPlan, command: PlanCommand): OrganizationPlan =>
  planDecider.decide(command, state).reduce((before, event) => {
    const stored = JSON.parse(JSON.stringify(event.data));
    return planDecider.evolve(
      before,
      planDecider.codec.decode({ type: event.type, data: stored, schemaVersion: 1 }),
    );
  }, state);

const take = (told: ProviderFact, at: string): PlanCommand => ({
  type: "takeFact",
  fact: told,
  changeId: null,
  adjustment: null,
  at,
  ids: ids(),
});

const started = run(planDecider.initial, { type: "start", changeId: ids()[0] });

/** The visible state of a plan. */
const shown = (state: OrganizationPlan) => {
  const { plan, own, endsAt, subscriptions } = currentPlan(state);
  return { plan, terms: own.terms, period: own.period, endsAt, subscriptions: [...subscriptions] };
};

const live = (facts: readonly ProviderFact[], at: string): OrganizationPlan =>
  facts.reduce((state, told) => run(state, take(told, at)), started);

const ordersOf = <Item>(items: readonly Item[]): readonly (readonly Item[])[] =>
  items.length === 0
    ? [[]]
    : items.flatMap((item, index) =>
        ordersOf(items.filter((_, other) => other !== index)).map((rest) => [item, ...rest]),
      );

describe("provider events of a subscription", () => {
  it("revoke the plan in all 120 orders", () => {
    const expected = shown(live(life, during));
    expect(expected).toMatchObject({ plan: "free", endsAt: null });
    for (const order of ordersOf(life)) expect(shown(live(order, during))).toEqual(expected);
  });

  it("end the plan with the paid period in any order without a refund", () => {
    for (const order of ordersOf(life.slice(0, 4))) {
      const state = live(order, during);
      expect(shown(state)).toMatchObject({
        plan: "team",
        period: life[2]?.period,
        endsAt: "2026-03-31T10:00:00.000Z",
      });
      const later = run(state, { type: "passTime", at: afterwards, ids: ids() });
      expect(shown(later)).toMatchObject({ plan: "free", period: null, endsAt: null });
    }
  });

  it("record a duplicate event once in any order", () => {
    const expected = shown(live(life, during));
    for (const doubled of life) {
      for (const order of ordersOf(life)) {
        const state = live(order, during);
        expect(planDecider.decide(take(doubled, during), state)).toEqual([]);
        expect(shown(live([...order.slice(0, 2), doubled, ...order.slice(2)], during))).toEqual(
          expected,
        );
      }
    }
  });

  it("reach the same plan after the paid period if one event is lost", () => {
    for (const lost of life) {
      for (const order of ordersOf(life.filter((told) => told !== lost))) {
        const state = run(live(order, during), { type: "passTime", at: afterwards, ids: ids() });
        expect(shown(state)).toMatchObject({ plan: "free", endsAt: null });
      }
    }
  });

  it("reach the same plan if time passes between events", () => {
    fc.assert(
      fc.property(
        fc.shuffledSubarray([...life], { minLength: life.length }),
        fc.array(fc.boolean(), { minLength: life.length, maxLength: life.length }),
        (order, ticks) => {
          const at = afterwards;
          const state = order.reduce((before, told, index) => {
            const next = run(before, take(told, at));
            return ticks[index] ? run(next, { type: "passTime", at, ids: ids() }) : next;
          }, started);
          const settled = run(state, { type: "passTime", at, ids: ids() });
          expect(shown(settled)).toMatchObject({ plan: "free", endsAt: null });
        },
      ),
    );
  });

  it("raise attention once if no renewal or end arrives within three days", () => {
    const state = live(life.slice(0, 2), during);
    const tick = (at: string): PlanCommand => ({ type: "passTime", at, ids: ids() });
    expect(planDecider.decide(tick("2026-03-03T09:59:59.999Z"), state)).toEqual([]);
    const late = run(state, tick("2026-03-03T10:00:00.000Z"));
    const about = { provider: "provider-a", reason: expect.stringContaining("2026-02-28") };
    expect([...currentPlan(late).attention.values()]).toEqual([
      { ...about, providerEventId: "evt_2" },
    ]);
    expect(currentPlan(late).plan).toBe("team");
    const settle: PlanCommand = {
      type: "settleAttention",
      providerEventId: "evt_2",
      outcome: "kept",
      reason: "The provider says that it goes on.",
    };
    const settled = run(late, settle);
    expect(currentPlan(settled).attention.size).toBe(0);
    expect(planDecider.decide(settle, settled)).toEqual([]);
    expect(planDecider.decide(tick(afterwards), settled)).toEqual([]);
  });

  it("keep the plan of a second subscription when the first is refunded late", () => {
    const second = fact("evt_9", "2026-03-08T10:00:00.000Z", {
      subscriptionId: "sub_2",
      terms: { plan: "business", interval: "year" },
      period: { start: "2026-03-08T10:00:00.000Z", end: "2027-03-08T10:00:00.000Z" },
    });
    for (const order of ordersOf([...life, second])) {
      const state = run(live(order, during), { type: "passTime", at: during, ids: ids() });
      expect(shown(state)).toMatchObject({ plan: "business", period: second.period, endsAt: null });
    }
  });

  it("apply the newest plan in any order after a return to an earlier plan", () => {
    const { period } = life[0] as ProviderFact;
    const plans = ["starter", "team", "starter", "business", "starter"] as const;
    const back = plans.map((plan, index) =>
      fact(`evt_${index}`, `2026-02-0${index + 1}T10:00:00.000Z`, {
        terms: { plan, interval: "month" },
        period,
      }),
    );
    for (const order of ordersOf(back)) {
      const state = live(order, "2026-02-10T10:00:00.000Z");
      expect(shown(state)).toMatchObject({ plan: "starter", period, endsAt: null });
      const [[, subscription] = []] = currentPlan(state).subscriptions;
      expect(subscription?.terms).toMatchObject({ eventId: "evt_4" });
    }
  });

  it("prefer a newer event with the same content without a visible change", () => {
    const [bought] = life as [ProviderFact];
    const state = live([bought], during);
    const again = { ...bought, eventId: "evt_9", occurredAt: "2026-02-20T10:00:00.000Z" };
    expect(planDecider.decide(take(again, during), state)).toEqual([
      { type: "SubscriptionConfirmed", data: { fact: again } },
    ]);
    const older = { ...again, occurredAt: "2026-01-30T10:00:00.000Z" };
    expect(planDecider.decide(take(older, during), state)).toEqual([]);
    const { plan, own, setBy, endsAt } = currentPlan(state);
    expect(currentPlan(run(state, take(again, during)))).toMatchObject({
      plan,
      own,
      setBy,
      endsAt,
    });
  });

  it("distinguish equal event ids of two providers", () => {
    const [bought, changed] = life as [ProviderFact, ProviderFact];
    const other = {
      ...changed,
      provider: "provider-b",
      eventId: bought.eventId,
      subscriptionId: "sub_2",
    } as const;
    expect(currentPlan(live([bought, other], during)).plan).toBe("team");
    const raise = (provider: "provider-a" | "provider-b"): PlanCommand => ({
      type: "raiseAttention",
      provider,
      providerEventId: bought.eventId,
      reason: `${provider} says so.`,
    });
    const raised = run(run(started, raise("provider-a")), raise("provider-b"));
    expect([...currentPlan(raised).attention.values()].map(({ reason }) => reason)).toEqual([
      "provider-a says so.",
      "provider-b says so.",
    ]);
    expect(planDecider.decide(raise("provider-b"), raised)).toEqual([]);
    const settled = run(raised, {
      type: "settleAttention",
      providerEventId: bought.eventId,
      outcome: "no_action",
      reason: "Both are known.",
    });
    expect(currentPlan(settled).attention.size).toBe(0);
  });

  it("end a cancelled subscription after a late event of another one", () => {
    const { period } = life[2] as ProviderFact;
    const facts = [
      fact("evt_1", "2026-03-01T10:00:00.000Z", {
        subscriptionId: "sub_0",
        terms: { plan: "team", interval: "month" },
        period,
      }),
      fact("evt_2", "2026-03-02T10:00:00.000Z", {
        terms: { plan: "business", interval: "month" },
        period,
      }),
      life[3] as ProviderFact,
    ];
    for (const order of ordersOf(facts)) {
      const state = live(order, during);
      expect(shown(state)).toMatchObject({ plan: "business", endsAt: "2026-03-31T10:00:00.000Z" });
      const later = run(state, { type: "passTime", at: "2026-03-31T10:00:00.000Z", ids: ids() });
      expect(currentPlan(later).plan).toBe("team");
    }
  });

  it("end a cancelled subscription after a grant", () => {
    const granted = run(live([...life.slice(0, 4)], during), {
      type: "grant",
      changeId: ids()[0],
      plan: "business",
      until: "2026-03-20T10:00:00.000Z",
      reason: "A trial.",
    });
    const tick = (at: string): PlanCommand => ({ type: "passTime", at, ids: ids() });
    const over = run(granted, tick("2026-03-20T10:00:00.000Z"));
    expect(shown(over)).toMatchObject({ plan: "team", endsAt: "2026-03-31T10:00:00.000Z" });
    expect(currentPlan(run(over, tick("2026-03-31T10:00:00.000Z"))).plan).toBe("free");
  });
});
