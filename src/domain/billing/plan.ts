import type { Decider } from "../kernel/decider.ts";
import { assertNever } from "../kernel/errors.ts";
import { defineCodec } from "../kernel/events.ts";
import type { PlanCode } from "./catalog.ts";
import { getValue, withValue } from "./persistentMap.ts";
import { type ChangeCommand, decideChange } from "./planChanges.ts";
import { type PlanEvent, type ProviderFact, planSchemas } from "./planEvents.ts";
import { decideFact, type FactCommand } from "./planFacts.ts";
import {
  type ChangeRequest,
  type ChangeStatus,
  type CurrentPlan,
  currentPlan,
  freePlan,
  isOpen,
  type OpenCheckout,
  type OrganizationPlan,
  type OwnPlan,
} from "./planState.ts";
import { decideTick, type TickCommand } from "./planTicks.ts";
import { endsAt, keyOfEvent, mergeFact } from "./subscription.ts";

// ---------------------------------------------------------------- Events
// planEvents.ts: PlanEvent

// ---------------------------------------------------------------- State
// planState.ts: OrganizationPlan

// ---------------------------------------------------------------- evolve

export const evolve = (state: OrganizationPlan, event: PlanEvent): OrganizationPlan => {
  const current = currentPlan(state);
  switch (event.type) {
    case "PlanStarted":
      return withOwn(current, freePlan(event.data.changeId));
    case "PlanGranted": {
      const { plan, until, changeId: id } = event.data;
      return { ...current, plan, setBy: id, grant: { plan, until, setBy: id } };
    }
    case "PlanChangeCreated":
      return created(current, event.data);
    case "PlanChangeConfirmed":
      return confirmed(current, event.data.changeId);
    case "PlanChangeAwaitingPayment": {
      const { changeId: id, provider: at, checkoutId } = event.data;
      return withCheckout(settle(current, id, "awaiting_payment"), id, {
        provider: at,
        checkoutId,
      });
    }
    case "PlanCheckoutClosed":
      return withCheckout(current, event.data.changeId, null);
    case "PlanChangeScheduled":
      return settle(current, event.data.changeId, "scheduled", event.data.effectiveAt);
    case "PlanChangeApplied":
      return applied(current, event.data);
    case "PlanChangeCancelled":
      return settle(current, event.data.changeId, "cancelled");
    case "PlanChangeFailed":
      return settle(current, event.data.changeId, "failed");
    case "PlanChangeExpired":
      return settle(current, event.data.changeId, "expired");
    case "PlanRenewed":
      return renewed(current, event.data);
    case "PlanCancellationScheduled":
      return cancellationScheduled(current, event.data);
    case "PlanCancellationWithdrawn":
      return { ...current, endsAt: null };
    case "PlanDowngradedToFree": {
      const before = event.data.endsGrant ? { ...current, grant: null } : current;
      return { ...withOwn(before, freePlan(event.data.setBy)), endsAt: null };
    }
    case "PlanRevoked": {
      const { fact, setBy } = event.data;
      return { ...withOwn(withFact(current, fact), freePlan(setBy)), endsAt: null };
    }
    case "SubscriptionConfirmed":
    case "AdjustmentNoted":
      return withFact(current, event.data.fact);
    case "PlanAttentionRaised":
      return attentionRaised(current, event.data);
    case "PlanAttentionSettled":
      return attentionSettled(current, event.data.providerEventId);
    default:
      return assertNever(event);
  }
};

type DataOf<Type extends PlanEvent["type"]> = Extract<PlanEvent, { type: Type }>["data"];

const created = (current: CurrentPlan, data: DataOf<"PlanChangeCreated">): CurrentPlan => {
  const { changeId: id, ...asked } = data;
  const change: ChangeRequest = { id, status: "created", ...asked };
  return { ...current, changes: withValue(current.changes, id, change), open: change };
};

const confirmed = (current: CurrentPlan, changeId: string): CurrentPlan => {
  const isOwed = (getValue(current.changes, changeId)?.dueCents ?? 0) > 0;
  const settled = settle(current, changeId, "confirmed");
  return isOwed ? withCheckout(settled, changeId, { provider: null, checkoutId: null }) : settled;
};

const applied = (current: CurrentPlan, data: DataOf<"PlanChangeApplied">): CurrentPlan => {
  const { changeId, to: terms, period, subscriptionId, setBy, fact } = data;
  const before = data.endsGrant ? { ...current, grant: null } : current;
  const owning = withOwn(withFact(before, fact), { terms, period, subscriptionId, setBy });
  // A cancelled subscription may still pay for the plan until it ends, after another one or a grant.
  const subscription = owning.subscriptions.get(subscriptionId ?? "");
  const inForce = { ...owning, endsAt: subscription ? endsAt(subscription) : null };
  if (changeId === null) return inForce;
  const settled = settle(inForce, changeId, "applied");
  return fact === null ? settled : withCheckout(settled, changeId, null);
};

const renewed = (current: CurrentPlan, { fact, period }: DataOf<"PlanRenewed">): CurrentPlan => {
  const merged = withFact(current, fact);
  // The free plan has no period: the organisation left the paid plan before the renewal.
  if (merged.own.terms.plan === "free") return merged;
  return { ...merged, own: { ...merged.own, period } };
};

const cancellationScheduled = (
  current: CurrentPlan,
  { fact, effectiveAt }: DataOf<"PlanCancellationScheduled">,
): CurrentPlan => {
  // The plan goes on if the fact is about a subscription that does not pay for it.
  const isOwn = fact === null || fact.subscriptionId === current.own.subscriptionId;
  return { ...withFact(current, fact), endsAt: isOwn ? effectiveAt : current.endsAt };
};

const attentionRaised = (
  current: CurrentPlan,
  { providerEventId, provider, reason }: DataOf<"PlanAttentionRaised">,
): CurrentPlan => {
  const key = keyOfEvent(provider, providerEventId);
  const attention = new Map(current.attention).set(key, { provider, providerEventId, reason });
  return { ...current, attention, attended: withValue(current.attended, key, true) };
};

const attentionSettled = (current: CurrentPlan, providerEventId: string): CurrentPlan => {
  const open = [...current.attention].filter(([, one]) => one.providerEventId !== providerEventId);
  return { ...current, attention: new Map(open) };
};

/** Sets the organisation's own plan, which is in force unless a grant takes precedence. */
const withOwn = (current: CurrentPlan, own: OwnPlan): CurrentPlan => {
  const { grant } = current;
  return { ...current, own, plan: grant?.plan ?? own.terms.plan, setBy: grant?.setBy ?? own.setBy };
};

/** Merges a fact into its subscription. */
const withFact = (current: CurrentPlan, fact: ProviderFact | null): CurrentPlan => {
  if (!fact) return current;
  const merged = mergeFact(current.subscriptions.get(fact.subscriptionId), fact);
  return {
    ...current,
    subscriptions: new Map(current.subscriptions).set(merged.id, merged),
    facts: withValue(current.facts, keyOfEvent(fact.provider, fact.eventId), true),
  };
};

/** Remembers the checkout page of a change; null forgets it. */
const withCheckout = (
  current: CurrentPlan,
  id: string,
  checkout: OpenCheckout | null,
): CurrentPlan => {
  if (checkout === null && !current.checkouts.has(id)) return current;
  const checkouts = new Map(current.checkouts);
  if (checkout === null) checkouts.delete(id);
  else checkouts.set(id, checkout);
  return { ...current, checkouts };
};

/** Sets the status of a change, and the open change accordingly. */
const settle = (
  current: CurrentPlan,
  id: string,
  status: ChangeStatus,
  effectiveAt?: string,
): CurrentPlan => {
  const change = getValue(current.changes, id);
  if (!change) return current;
  const settled = { ...change, status, effectiveAt: effectiveAt ?? change.effectiveAt };
  const other = current.open?.id === id ? null : current.open;
  const open = isOpen(settled) ? settled : other;
  return { ...current, changes: withValue(current.changes, id, settled), open };
};

// ---------------------------------------------------------------- Commands

export type PlanCommand =
  | { readonly type: "start"; readonly changeId: string }
  | {
      readonly type: "grant";
      readonly changeId: string;
      readonly plan: PlanCode;
      readonly until?: string | null;
      readonly reason: string;
    }
  | ChangeCommand
  | FactCommand
  | TickCommand;

// ---------------------------------------------------------------- decide

export const decide = (command: PlanCommand, state: OrganizationPlan): readonly PlanEvent[] => {
  const current = currentPlan(state);
  switch (command.type) {
    case "start":
      if (state.status !== "none") return [];
      return [{ type: "PlanStarted", data: { changeId: command.changeId, plan: "free" } }];
    case "grant": {
      const { changeId: id, plan, until = null, reason } = command;
      const standing = current.grant ?? { plan: current.plan, until: null };
      if (standing.plan === plan && standing.until === until) return [];
      return [{ type: "PlanGranted", data: { changeId: id, plan, reason, until } }];
    }
    case "requestChange":
    case "confirmChange":
    case "awaitPayment":
    case "closeCheckout":
    case "scheduleChange":
    case "applyChange":
    case "cancelChange":
    case "failChange":
    case "settleChange":
    case "withdrawScheduled":
      return decideChange(command, current);
    case "takeFact":
    case "raiseAttention":
    case "settleAttention":
      return decideFact(command, current);
    case "passTime":
      return decideTick(command, current, (before, event) => currentPlan(evolve(before, event)));
    default:
      return assertNever(command);
  }
};

/** The plan of an organisation, stream `plan-{organizationId}`. */
export const planDecider: Decider<OrganizationPlan, PlanCommand, PlanEvent> = {
  category: "plan",
  initial: { status: "none" },
  codec: defineCodec(planSchemas),
  evolve,
  decide,
};
