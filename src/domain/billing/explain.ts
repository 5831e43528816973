import { catalog, type PlanCode } from "./catalog.ts";
import { planDecider } from "./plan.ts";
import type { PlanEvent } from "./planEvents.ts";
import { applyStored, type StoredEvent } from "./planLines.ts";
import {
  type ChangeRequest,
  type CurrentPlan,
  currentPlan,
  type OrganizationPlan,
} from "./planState.ts";
import type { Terms } from "./proration.ts";

/** A sentence about a plan and the events that support it, oldest first. */
export type Explained<Event extends StoredEvent> = {
  readonly text: string;
  readonly events: readonly Event[];
};

const day = (at: string): string => at.slice(0, 10);
const nameOf = (plan: PlanCode): string => catalog[plan].name;
const inWords = ({ plan, interval }: Terms): string =>
  interval === null ? nameOf(plan) : `${nameOf(plan)} by the ${interval}`;

/**
 * Explains an organisation's plan: the event that set it, the plan behind a grant, scheduled changes, and events that
 * need attention. A pure function of the plan's history.
 */
export const explain = <Event extends StoredEvent>(
  history: readonly Event[],
): readonly Explained<Event>[] => {
  const trace = traceOf(history);
  const { current, setBy, ofChange } = trace;
  const explained: Explained<Event>[] = [
    {
      text: setBy
        ? `The plan is ${nameOf(current.plan)}: ${causeOf(setBy)}`
        : "The plan is Free: no event has set another one.",
      events: eventsOf(trace, setBy),
    },
    ...ownPlan(trace),
  ];
  if (current.open) {
    const text = openChange(current.open);
    explained.push({ text, events: ofChange.get(current.open.id) ?? [] });
  }
  for (const [key, { reason, provider, providerEventId }] of current.attention) {
    const event = trace.ofAttention.get(key);
    explained.push({
      text: `The event ${providerEventId} of ${provider} needs attention: ${reason}`,
      events: event ? [event] : [],
    });
  }
  return explained;
};

/** The current plan and the events that led to its parts. */
type Trace<Event extends StoredEvent> = {
  readonly current: CurrentPlan;
  readonly setBy: Event | null;
  readonly ownSetBy: Event | null;
  readonly endsBy: Event | null;
  /** By change id, oldest first. */
  readonly ofChange: ReadonlyMap<string, readonly Event[]>;
  /** By `keyOfEvent`. */
  readonly ofAttention: ReadonlyMap<string, Event>;
};

const traceOf = <Event extends StoredEvent>(history: readonly Event[]): Trace<Event> => {
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
    const changeId = changeIdOf(event);
    if (changeId) ofChange.set(changeId, [...(ofChange.get(changeId) ?? []), event]);
    for (const key of current.attention.keys()) {
      if (!before.attention.has(key)) ofAttention.set(key, event);
    }
  }
  return { current: currentPlan(state), setBy, ownSetBy, endsBy, ofChange, ofAttention };
};

const changeIdOf = (event: StoredEvent): string | null =>
  (event.data as { readonly changeId?: string | null }).changeId ?? null;

/** The events of an event's change request, or the event alone. */
const eventsOf = <Event extends StoredEvent>(
  { ofChange }: Trace<Event>,
  event: Event | null,
): readonly Event[] => {
  if (event === null) return [];
  const changeId = changeIdOf(event);
  return changeId ? (ofChange.get(changeId) ?? [event]) : [event];
};

/** The grant and the organisation's own plan behind it, the paid period, and its end. */
const ownPlan = <Event extends StoredEvent>(trace: Trace<Event>): readonly Explained<Event>[] => {
  const { current, ownSetBy, endsBy } = trace;
  const explained: Explained<Event>[] = [];
  if (current.grant) {
    const ends =
      current.grant.until === null ? "has no end" : `holds until ${day(current.grant.until)}`;
    const cause = ownSetBy ? `: ${causeOf(ownSetBy)}` : ".";
    explained.push({
      text: `The grant ${ends}. The organisation's own plan is ${inWords(current.own.terms)}${cause}`,
      events: eventsOf(trace, ownSetBy),
    });
  }
  if (current.own.period) {
    const { start, end } = current.own.period;
    explained.push({ text: `It is paid from ${day(start)} to ${day(end)}.`, events: [] });
  }
  if (current.endsAt !== null) {
    const text = `It was cancelled and ends on ${day(current.endsAt)}.`;
    explained.push({ text, events: eventsOf(trace, endsBy) });
  }
  return explained;
};

const openChange = ({ to, status, effectiveAt, expiresAt }: ChangeRequest): string => {
  const change = `A change to ${inWords(to)}`;
  switch (status) {
    case "scheduled":
      return `${change} takes effect on ${day(effectiveAt)}.`;
    case "awaiting_payment":
      return `${change} awaits payment until ${day(expiresAt)}.`;
    case "confirmed":
      return `${change} is confirmed but unpaid. It expires on ${day(expiresAt)}.`;
    default:
      return `${change} awaits confirmation until ${day(expiresAt)}.`;
  }
};

/** Why an event set the plan, as the end of a sentence. */
const causeOf = (stored: StoredEvent): string => {
  const { type, data } = stored as unknown as PlanEvent;
  const on = `on ${day(stored.metadata.occurred_at)}`;
  switch (type) {
    case "PlanStarted":
      return `the organisation began with it ${on}.`;
    case "PlanGranted":
      return `an operator granted it ${on}. Reason: ${data.reason}`;
    case "PlanChangeApplied": {
      const { changeId, fact, endsGrant, reason } = data;
      if (changeId && reason !== undefined) {
        return `an operator applied the requested change ${on}. Reason: ${reason}`;
      }
      if (changeId && fact) {
        return `the requested change was paid through ${fact.provider} and took effect ${on} (${fact.eventId}).`;
      }
      if (changeId) return `the requested change took effect ${on}.`;
      if (fact) return `${fact.provider} reported the subscription ${on} (${fact.eventId}).`;
      return endsGrant
        ? `a grant ended ${on}, and the organisation's own plan took effect again.`
        : `another subscription ended ${on}, and this one continues.`;
    }
    case "PlanRevoked":
      return `a ${data.action} ended the paid plan ${on} (${data.fact.eventId}).`;
    case "PlanDowngradedToFree":
      return `the previous plan ended ${on}. ${data.reason}`;
    default:
      return `${type} ${on}.`;
  }
};
