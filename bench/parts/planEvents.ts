import { planDecider } from "../../src/domain/billing/plan.ts";
import type { PlanEvent, ProviderFact } from "../../src/domain/billing/planEvents.ts";
import { newId } from "../../src/platform/ids.ts";

const START = Date.parse("2026-01-01T00:00:00.000Z");

/** `count` events of one plan: alternating tier changes, one hour apart, as reported by a provider. */
export const planEvents = (
  count: number,
): readonly { readonly event: PlanEvent; readonly at: string }[] => {
  const subscriptionId = `sub_${newId()}`;
  const events: { event: PlanEvent; at: string }[] = [];
  let state = planDecider.initial;
  for (let nth = 0; events.length < count; nth += 1) {
    const at = new Date(START + nth * 3_600_000).toISOString();
    const fact: ProviderFact = {
      provider: "provider-a",
      eventId: `evt_${newId()}`,
      bodySha256: "a".repeat(64),
      occurredAt: at,
      subscriptionId,
      terms: { plan: nth % 2 === 0 ? "starter" : "team", interval: "month" },
      period: { start: "2026-01-01T00:00:00.000Z", end: "2036-01-01T00:00:00.000Z" },
      standing: { kind: "active" },
    };
    const ids = [newId(), newId()] as const;
    const command = { type: "takeFact", fact, changeId: null, adjustment: null, at, ids } as const;
    for (const event of planDecider.decide({ ...command, ids: [...ids] }, state)) {
      state = planDecider.evolve(state, event);
      events.push({ event, at });
    }
  }
  return events.slice(0, count);
};
