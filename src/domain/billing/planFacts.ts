import { assertNever } from "../kernel/errors.ts";
import { getValue } from "./persistentMap.ts";
import type { EventIds, PlanEvent, ProviderFact } from "./planEvents.ts";
import type { CurrentPlan } from "./planState.ts";
import { isOpen } from "./planState.ts";
import {
  endsAt,
  inForceAt,
  keyOfEvent,
  mergeFact,
  type ProviderName,
  type Subscription,
} from "./subscription.ts";

/** Commands that follow from a payment provider's event, and the operator's answer to one that needs attention. */
export type FactCommand =
  | {
      readonly type: "takeFact";
      readonly fact: ProviderFact;
      /** The change request that the event paid for, null if it names none of this organisation. */
      readonly changeId: string | null;
      /** Set for a refund or a chargeback. */
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
 * Decides what a provider's event does to a plan. The resulting plan does not depend on the order of events:
 * the decision compares the subscription in force before and after `mergeFact`, which is commutative.
 */
export const decideFact = (command: FactCommand, current: CurrentPlan): readonly PlanEvent[] => {
  switch (command.type) {
    case "takeFact": {
      const { provider, eventId } = command.fact;
      return getValue(current.facts, keyOfEvent(provider, eventId))
        ? []
        : takeFact(command, current);
    }
    case "raiseAttention": {
      const { provider, providerEventId, bodySha256, reason } = command;
      if (getValue(current.attended, keyOfEvent(provider, providerEventId))) return [];
      return [
        { type: "PlanAttentionRaised", data: { provider, providerEventId, bodySha256, reason } },
      ];
    }
    case "settleAttention": {
      const { providerEventId, outcome, reason } = command;
      const raised = [...current.attention.values()];
      if (!raised.some((one) => one.providerEventId === providerEventId)) return [];
      return [{ type: "PlanAttentionSettled", data: { providerEventId, outcome, reason } }];
    }
    default:
      return assertNever(command);
  }
};

const takeFact = (
  command: Extract<FactCommand, { type: "takeFact" }>,
  current: CurrentPlan,
): readonly PlanEvent[] => {
  const { fact, adjustment, at, ids } = command;
  const known = current.subscriptions.get(fact.subscriptionId);
  const merged = mergeFact(known, fact);
  const others = [...current.subscriptions.values()].filter(({ id }) => id !== merged.id);
  const before = inForceAt(current.subscriptions.values(), at);
  const after = inForceAt([...others, merged], at);
  const change =
    command.changeId === null ? undefined : getValue(current.changes, command.changeId);
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

type MergedFact = {
  readonly command: Extract<FactCommand, { type: "takeFact" }>;
  readonly known: Subscription | undefined;
  readonly merged: Subscription;
  readonly before: ReturnType<typeof inForceAt>;
  readonly after: ReturnType<typeof inForceAt>;
  readonly changeId: string | null;
};

/** Decides a purchase, a change or a renewal. The fact may be older than the known ones. */
const takeTerms = (input: MergedFact): readonly PlanEvent[] => {
  const { command, known, merged, before, after, changeId } = input;
  const { fact, ids } = command;
  const isChanged =
    JSON.stringify([known?.terms?.value, known?.period?.value]) !==
    JSON.stringify([merged.terms?.value, merged.period?.value]);
  if (!isChanged && changeId === null && before?.id === after?.id) {
    // A newer fact with equal terms still outdates late facts that happened in between.
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
  // The subscription was cancelled, refunded or replaced before this fact arrived.
  const ends = endsAt(merged);
  if (after && after.id !== merged.id) events.push(inForce(after, null, ids[1] ?? ids[0]));
  else if (!after) {
    events.push({
      type: "PlanDowngradedToFree",
      data: {
        setBy: ids[1] ?? ids[0],
        reason: "The subscription was already cancelled or refunded.",
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
