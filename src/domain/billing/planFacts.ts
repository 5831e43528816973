import { assertNever } from "../kernel/errors.ts";
import { grownGet } from "./grownMap.ts";
import type { EventIds, Held, PlanEvent, ProviderFact } from "./plan.ts";
import { isOpen } from "./planChanges.ts";
import {
  endsAt,
  inForceAt,
  keyOfEvent,
  type ProviderName,
  type Subscription,
  takeIn,
} from "./subscription.ts";

/** What a payment provider says, and what an operator does about it. */
export type FactCommand =
  | {
      readonly type: "takeFact";
      readonly fact: ProviderFact;
      /** The request that was paid with it, where the event names one of this organisation. */
      readonly changeId: string | null;
      /** Of a refund or a chargeback. */
      readonly adjustment: {
        readonly action: "refund" | "chargeback";
        readonly status: string;
      } | null;
      readonly at: string;
      readonly ids: EventIds;
    }
  | {
      readonly type: "raiseAttention";
      readonly provider: ProviderName;
      readonly providerEventId: string;
      readonly bodySha256?: string | undefined;
      readonly reason: string;
    }
  | {
      readonly type: "settleAttention";
      readonly providerEventId: string;
      readonly outcome: string;
      readonly reason: string;
    };

/**
 * Decides what a provider's event does to a plan. In whatever order the events of a subscription come,
 * the same plan comes out: what is compared is what the subscription gave before and after this one
 * (`takeIn` merges them without regard to order).
 */
export const decideFact = (command: FactCommand, held: Held): readonly PlanEvent[] => {
  switch (command.type) {
    case "takeFact": {
      const { provider, eventId } = command.fact;
      return grownGet(held.facts, keyOfEvent(provider, eventId)) ? [] : takeFact(command, held);
    }
    case "raiseAttention": {
      const { provider, providerEventId, bodySha256, reason } = command;
      if (grownGet(held.attended, keyOfEvent(provider, providerEventId))) return [];
      return [
        { type: "PlanAttentionRaised", data: { provider, providerEventId, bodySha256, reason } },
      ];
    }
    case "settleAttention": {
      const { providerEventId, outcome, reason } = command;
      const raised = [...held.attention.values()];
      if (!raised.some((one) => one.providerEventId === providerEventId)) return [];
      return [{ type: "PlanAttentionSettled", data: { providerEventId, outcome, reason } }];
    }
    default:
      return assertNever(command);
  }
};

const takeFact = (
  command: Extract<FactCommand, { type: "takeFact" }>,
  held: Held,
): readonly PlanEvent[] => {
  const { fact, adjustment, at, ids } = command;
  const known = held.subscriptions.get(fact.subscriptionId);
  const merged = takeIn(known, fact);
  const others = [...held.subscriptions.values()].filter(({ id }) => id !== merged.id);
  const before = inForceAt(held.subscriptions.values(), at);
  const after = inForceAt([...others, merged], at);
  const change = command.changeId === null ? undefined : grownGet(held.changes, command.changeId);
  const changeId = change && isOpen(change) ? change.id : null;

  if (fact.standing.kind === "revoked") {
    const action = adjustment?.action ?? "refund";
    if (before?.id !== merged.id) {
      const status = adjustment?.status ?? "";
      return [{ type: "AdjustmentNoted", data: { action, status, fact } }];
    }
    const revoked: PlanEvent = { type: "PlanRevoked", data: { setBy: ids[0], action, fact } };
    return after ? [revoked, inForce(after, null, ids[1] ?? ids[0])] : [revoked];
  }
  if (fact.standing.kind === "cancelled") {
    if (known?.standing.kind === "revoked") return [];
    const effectiveAt = endsAt(merged) ?? at;
    const scheduled: PlanEvent = { type: "PlanCancellationScheduled", data: { effectiveAt, fact } };
    return [scheduled];
  }
  return takeTerms({ command, known, merged, before, after, changeId });
};

type Weighed = {
  readonly command: Extract<FactCommand, { type: "takeFact" }>;
  readonly known: Subscription | undefined;
  readonly merged: Subscription;
  readonly before: ReturnType<typeof inForceAt>;
  readonly after: ReturnType<typeof inForceAt>;
  readonly changeId: string | null;
};

/** A purchase, a change or a renewal: what it says may be older than what is known. */
const takeTerms = (weighed: Weighed): readonly PlanEvent[] => {
  const { command, known, merged, before, after, changeId } = weighed;
  const { fact, ids } = command;
  const isNews =
    JSON.stringify([known?.terms?.value, known?.period?.value]) !==
    JSON.stringify([merged.terms?.value, merged.period?.value]);
  if (!isNews && changeId === null && before?.id === after?.id) {
    // It is newer all the same: what is between the two and comes late says nothing any more.
    const isNewer =
      known?.terms?.eventId !== merged.terms?.eventId ||
      known?.period?.eventId !== merged.period?.eventId;
    return isNewer ? [{ type: "SubscriptionConfirmed", data: { fact } }] : [];
  }
  const events: PlanEvent[] = [];
  const isRenewal =
    changeId === null &&
    after?.id === merged.id &&
    before?.id === merged.id &&
    JSON.stringify(before.terms.value) === JSON.stringify(after.terms.value) &&
    after.period !== null;
  if (isRenewal && after.period) {
    events.push({ type: "PlanRenewed", data: { period: after.period.value, fact } });
  } else if (merged.terms) {
    events.push({
      type: "PlanChangeApplied",
      data: {
        setBy: ids[0],
        changeId,
        to: merged.terms.value,
        period: merged.period?.value ?? null,
        subscriptionId: merged.id,
        fact,
        endsGrant: changeId !== null,
      },
    });
  }
  // It was cancelled, refunded or replaced before this was heard of.
  const ends = endsAt(merged);
  if (after && after.id !== merged.id) events.push(inForce(after, null, ids[1] ?? ids[0]));
  else if (!after) {
    events.push({
      type: "PlanDowngradedToFree",
      data: {
        setBy: ids[1] ?? ids[0],
        reason: "What was bought had been cancelled or refunded already.",
        endsGrant: false,
      },
    });
  } else if (ends !== null) {
    events.push({ type: "PlanCancellationScheduled", data: { effectiveAt: ends, fact: null } });
  }
  return events;
};

const inForce = (
  subscription: NonNullable<ReturnType<typeof inForceAt>>,
  changeId: string | null,
  setBy: string,
): PlanEvent => ({
  type: "PlanChangeApplied",
  data: {
    setBy,
    changeId,
    to: subscription.terms.value,
    period: subscription.period?.value ?? null,
    subscriptionId: subscription.id,
    fact: null,
    endsGrant: false,
  },
});
