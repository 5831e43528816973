import { type BillingPeriod, periodAt } from "./calendar.ts";
import { grownGet } from "./grownMap.ts";
import type { EventIds, Held, PlanEvent } from "./plan.ts";
import { isUnpaidFor } from "./planChanges.ts";
import { inForceAt, keyOfEvent } from "./subscription.ts";

/** Time has passed: what was due until `at` takes place, in the order in which it was due. */
export type TickCommand = {
  readonly type: "passTime";
  readonly at: string;
  readonly ids: EventIds;
};

/** A provider tries for three days to say what it has to say: then it is taken for lost. */
const SILENT_FOR_MS = 3 * 24 * 60 * 60 * 1000;

/** Something that is due, and when. */
type Due = { readonly at: string; readonly make: (setBy: string) => PlanEvent };

/**
 * When the next thing happens to a plan by time alone, null when nothing does: a change or a cancellation
 * takes effect, a grant ends, a period is renewed, a request runs out.
 */
export const nextDue = (held: Held): string | null => dueNext(held)?.at ?? null;

/** Decides everything that is due, as many events as there are ids for: the rest at the next tick. */
export const decideTick = (
  command: TickCommand,
  held: Held,
  evolve: (held: Held, event: PlanEvent) => Held,
): readonly PlanEvent[] => {
  const events: PlanEvent[] = [];
  let now = held;
  for (const id of command.ids) {
    const due = dueNext(now);
    if (!due || due.at > command.at) break;
    const event = due.make(id);
    events.push(event);
    now = evolve(now, event);
  }
  return events;
};

const dueNext = (held: Held): Due | null => {
  let next: Due | null = null;
  for (const look of [grantEnd, ending, scheduled, renewal, expiry, silence]) {
    const due = look(held);
    if (due && (!next || due.at < next.at)) next = due;
  }
  return next;
};

const grantEnd = (held: Held): Due | null => {
  const { grant, own } = held;
  if (!grant || grant.until === null) return null;
  const data = { endsGrant: true, reason: "The plan was granted until now." };
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

/** What was cancelled ends; another subscription that goes on takes its place. */
const ending = (held: Held): Due | null => {
  const { endsAt } = held;
  if (endsAt === null) return null;
  const next = inForceAt(held.subscriptions.values(), endsAt);
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

const scheduled = (held: Held): Due | null => {
  const change = held.open;
  if (change?.status !== "scheduled") return null;
  const { id: changeId, to, effectiveAt } = change;
  if (isUnpaidFor(held, change)) {
    const reason = "What was paid for was cancelled before the change was due.";
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
        subscriptionId: to.plan === "free" ? null : held.own.subscriptionId,
        fact: null,
        endsGrant: false,
      },
    }),
  };
};

/** What nobody takes money for is renewed by time alone; what a provider takes money for, by its events. */
const renewal = (held: Held): Due | null => {
  const { terms, period } = held.own;
  const isPaid = held.own.subscriptionId !== null;
  if (period === null || terms.interval === null || isPaid || held.endsAt !== null) return null;
  if (held.open?.status === "scheduled") return null;
  const renewed = periodAt(period.end, terms.interval, period.end);
  return {
    at: period.end,
    make: () => ({ type: "PlanRenewed", data: { period: renewed, fact: null } }),
  };
};

/** What a provider takes money for has ended, and nothing was heard of its going on or its end. */
const silence = (held: Held): Due | null => {
  const { period, subscriptionId } = held.own;
  const subscription = subscriptionId === null ? undefined : held.subscriptions.get(subscriptionId);
  const known = subscription?.period ?? subscription?.terms;
  if (!subscription || !known || period === null || held.endsAt !== null) return null;
  if (grownGet(held.attended, keyOfEvent(subscription.provider, known.eventId))) return null;
  const data = {
    provider: subscription.provider,
    providerEventId: known.eventId,
    reason: `What was paid for ended on ${period.end}, and the provider has said neither that it goes on nor that it ends.`,
  };
  const at = new Date(Date.parse(period.end) + SILENT_FOR_MS).toISOString();
  return { at, make: () => ({ type: "PlanAttentionRaised", data }) };
};

const expiry = (held: Held): Due | null => {
  const change = held.open;
  if (!change || change.status === "scheduled") return null;
  return {
    at: change.expiresAt,
    make: () => ({ type: "PlanChangeExpired", data: { changeId: change.id } }),
  };
};
