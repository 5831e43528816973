import { type BillingPeriod, periodAt } from "./calendar.ts";
import { getValue } from "./persistentMap.ts";
import { isUnpaidFor } from "./planChanges.ts";
import type { EventIds, PlanEvent } from "./planEvents.ts";
import type { CurrentPlan } from "./planState.ts";
import { inForceAt, keyOfEvent } from "./subscription.ts";

/** Records everything that was due until `at`, in due order. */
export type TickCommand = {
  readonly type: "passTime";
  readonly at: string;
  readonly ids: EventIds;
};

/** Providers retry an event for three days. After that a missing renewal needs attention. */
const SILENT_FOR_MS = 3 * 24 * 60 * 60 * 1000;

/** An event that time alone causes, and when. */
type Due = { readonly at: string; readonly make: (setBy: string) => PlanEvent };

/**
 * When time alone next changes a plan: a change or a cancellation takes effect, a grant ends, a period is renewed,
 * a request expires. Null if nothing is pending.
 */
export const nextDue = (current: CurrentPlan): string | null => dueNext(current)?.at ?? null;

/** Decides the events that are due, at most one per id. The rest follow at the next tick. */
export const decideTick = (
  command: TickCommand,
  current: CurrentPlan,
  evolve: (current: CurrentPlan, event: PlanEvent) => CurrentPlan,
): readonly PlanEvent[] => {
  const events: PlanEvent[] = [];
  let now = current;
  for (const id of command.ids) {
    const due = dueNext(now);
    if (!due || due.at > command.at) break;
    const event = due.make(id);
    events.push(event);
    now = evolve(now, event);
  }
  return events;
};

const dueNext = (current: CurrentPlan): Due | null => {
  let next: Due | null = null;
  for (const dueOf of [grantEnd, ending, scheduled, renewal, expiry, silence]) {
    const due = dueOf(current);
    if (due && (!next || due.at < next.at)) next = due;
  }
  return next;
};

const grantEnd = (current: CurrentPlan): Due | null => {
  const { grant, own } = current;
  if (!grant || grant.until === null) return null;
  const data = { endsGrant: true, reason: "The grant ended." };
  return {
    at: grant.until,
    make: (setBy) =>
      own.terms.plan === "free"
        ? { type: "PlanDowngradedToFree", data: { setBy, ...data } }
        : {
            type: "PlanChangeApplied",
            data: {
              setBy,
              changeId: null,
              to: own.terms,
              period: own.period,
              subscriptionId: own.subscriptionId,
              fact: null,
              endsGrant: true,
            },
          },
  };
};

/** A cancelled subscription ends. Another active subscription takes its place. */
const ending = (current: CurrentPlan): Due | null => {
  const { endsAt } = current;
  if (endsAt === null) return null;
  const next = inForceAt(current.subscriptions.values(), endsAt);
  return {
    at: endsAt,
    make: (setBy) =>
      next
        ? {
            type: "PlanChangeApplied",
            data: {
              setBy,
              changeId: null,
              to: next.terms.value,
              period: next.period?.value ?? null,
              subscriptionId: next.id,
              fact: null,
              endsGrant: false,
            },
          }
        : {
            type: "PlanDowngradedToFree",
            data: { setBy, reason: "The plan was cancelled.", endsGrant: false },
          },
  };
};

const scheduled = (current: CurrentPlan): Due | null => {
  const change = current.open;
  if (change?.status !== "scheduled") return null;
  const { id: changeId, to, effectiveAt } = change;
  if (isUnpaidFor(current, change)) {
    const reason = "The subscription was cancelled before the change was due.";
    return {
      at: effectiveAt,
      make: () => ({ type: "PlanChangeFailed", data: { changeId, reason } }),
    };
  }
  const period: BillingPeriod | null =
    to.interval === null ? null : periodAt(effectiveAt, to.interval, effectiveAt);
  return {
    at: effectiveAt,
    make: (setBy) => ({
      type: "PlanChangeApplied",
      data: {
        setBy,
        changeId,
        to,
        period,
        subscriptionId: to.plan === "free" ? null : current.own.subscriptionId,
        fact: null,
        endsGrant: false,
      },
    }),
  };
};

/** A period without a subscription is renewed by time. A provider's subscription is renewed by its events. */
const renewal = (current: CurrentPlan): Due | null => {
  const { terms, period } = current.own;
  const isPaid = current.own.subscriptionId !== null;
  if (period === null || terms.interval === null || isPaid || current.endsAt !== null) return null;
  if (current.open?.status === "scheduled") return null;
  const renewed = periodAt(period.end, terms.interval, period.end);
  return {
    at: period.end,
    make: () => ({ type: "PlanRenewed", data: { period: renewed, fact: null } }),
  };
};

/** A subscription's period ended and the provider sent neither a renewal nor a cancellation. */
const silence = (current: CurrentPlan): Due | null => {
  const { period, subscriptionId } = current.own;
  const subscription =
    subscriptionId === null ? undefined : current.subscriptions.get(subscriptionId);
  const known = subscription?.period ?? subscription?.terms;
  if (!subscription || !known || period === null || current.endsAt !== null) return null;
  if (getValue(current.attended, keyOfEvent(subscription.provider, known.eventId))) return null;
  const data = {
    provider: subscription.provider,
    providerEventId: known.eventId,
    reason: `The paid period ended on ${period.end}, and the provider reported neither a renewal nor a cancellation.`,
  };
  const at = new Date(Date.parse(period.end) + SILENT_FOR_MS).toISOString();
  return { at, make: () => ({ type: "PlanAttentionRaised", data }) };
};

const expiry = (current: CurrentPlan): Due | null => {
  const change = current.open;
  if (!change || change.status === "scheduled") return null;
  return {
    at: change.expiresAt,
    make: () => ({ type: "PlanChangeExpired", data: { changeId: change.id } }),
  };
};
