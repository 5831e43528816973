import { catalog, type PlanCode } from "./catalog.ts";
import { planDecider } from "./plan.ts";
import type { PlanEvent } from "./planEvents.ts";
import { applyStored, type StoredEvent } from "./planLines.ts";
import { currentPlan, type OrganizationPlan } from "./planState.ts";
import type { Terms } from "./proration.ts";

/** A sentence about a plan, and the events that it rests on, oldest first. */
export type Explained<Event extends StoredEvent> = {
  readonly text: string;
  readonly events: readonly Event[];
};

const day = (at: string): string => at.slice(0, 10);
const nameOf = (plan: PlanCode): string => catalog[plan].name;
const inWords = ({ plan, interval }: Terms): string =>
  interval === null ? nameOf(plan) : `${nameOf(plan)} by the ${interval}`;

/**
 * Why an organisation is on its plan, in words: what set it, what stands behind a grant, what is to come, and what
 * somebody should look at. A pure function of the plan's history.
 */
export const explain = <Event extends StoredEvent>(
  history: readonly Event[],
): readonly Explained<Event>[] => {
  let state: OrganizationPlan = planDecider.initial;
  let setBy: Event | null = null;
  let ownSetBy: Event | null = null;
  let endsBy: Event | null = null;
  const ofChange = new Map<string, Event[]>();
  const ofAttention = new Map<string, Event>();
  for (const event of history) {
    const before = currentPlan(state);
    state = applyStored(state, event);
    const current = currentPlan(state);
    if (current.setBy !== before.setBy) setBy = event;
    if (current.own.setBy !== before.own.setBy) ownSetBy = event;
    if (current.endsAt !== before.endsAt) endsBy = event;
    const { changeId } = event.data as { readonly changeId?: string | null };
    if (changeId) ofChange.set(changeId, [...(ofChange.get(changeId) ?? []), event]);
    for (const key of current.attention.keys()) {
      if (!before.attention.has(key)) ofAttention.set(key, event);
    }
  }
  const current = currentPlan(state);
  const about = (event: Event | null): readonly Event[] => {
    const { changeId } = (event?.data ?? {}) as { readonly changeId?: string | null };
    if (event === null) return [];
    return changeId ? (ofChange.get(changeId) ?? [event]) : [event];
  };
  const told: Explained<Event>[] = [
    {
      text: setBy
        ? `The plan is ${nameOf(current.plan)}: ${causeOf(setBy)}`
        : "The plan is Free: nothing has set another.",
      events: about(setBy),
    },
  ];
  if (current.grant) {
    const ends = current.grant.until === null ? "for good" : `until ${day(current.grant.until)}`;
    told.push({
      text: `The grant holds ${ends}. Behind it the organisation's own plan is ${inWords(current.own.terms)}${ownSetBy ? `: ${causeOf(ownSetBy)}` : "."}`,
      events: about(ownSetBy),
    });
  }
  if (current.own.period) {
    const { start, end } = current.own.period;
    told.push({ text: `It is paid for from ${day(start)} to ${day(end)}.`, events: [] });
  }
  if (current.endsAt !== null) {
    told.push({
      text: `It was cancelled and ends on ${day(current.endsAt)}.`,
      events: about(endsBy),
    });
  }
  if (current.open) {
    const { id, to, status, effectiveAt, expiresAt } = current.open;
    const waits = {
      scheduled: `takes place on ${day(effectiveAt)}`,
      awaiting_payment: `waits to be paid until ${day(expiresAt)}`,
      confirmed: `is confirmed and not paid yet; it is given up on ${day(expiresAt)}`,
    };
    const isNamed =
      status === "scheduled" || status === "awaiting_payment" || status === "confirmed";
    const what = isNamed ? waits[status] : `waits to be confirmed until ${day(expiresAt)}`;
    told.push({ text: `A change to ${inWords(to)} ${what}.`, events: ofChange.get(id) ?? [] });
  }
  for (const [key, { reason, provider, providerEventId }] of current.attention) {
    const event = ofAttention.get(key);
    told.push({
      text: `Somebody should look at what ${provider} said with ${providerEventId}: ${reason}`,
      events: event ? [event] : [],
    });
  }
  return told;
};

/** What an event says about why the plan is what it is: the end of a sentence. */
const causeOf = (stored: StoredEvent): string => {
  const { type, data } = stored as unknown as PlanEvent;
  const on = `on ${day(stored.metadata.occurred_at)}`;
  switch (type) {
    case "PlanStarted":
      return `the organisation began with it ${on}.`;
    case "PlanGranted":
      return `an operator granted it ${on}, because: ${data.reason}`;
    case "PlanChangeApplied": {
      const { changeId, fact, endsGrant, reason } = data;
      if (changeId && reason !== undefined) {
        return `an operator settled ${on} that the change which the organisation asked for is in force, because: ${reason}`;
      }
      if (changeId && fact) {
        return `the change that the organisation asked for was paid through ${fact.provider} and took effect ${on} (${fact.eventId}).`;
      }
      if (changeId) return `the change that the organisation asked for took effect ${on}.`;
      if (fact)
        return `${fact.provider} said ${on} that the subscription gives it (${fact.eventId}).`;
      return endsGrant
        ? `a grant ended ${on}, and what is the organisation's own counts again.`
        : `what had given another plan ended ${on}, and this subscription goes on.`;
    }
    case "PlanRevoked":
      return `a ${data.action} ended at once ${on} what it had paid for (${data.fact.eventId}).`;
    case "PlanDowngradedToFree":
      return `${on} what gave another one ended. ${data.reason}`;
    default:
      return `${type} ${on}.`;
  }
};
