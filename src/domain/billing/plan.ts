import { z } from "zod";
import type { Decider } from "../kernel/decider.ts";
import { assertNever } from "../kernel/errors.ts";
import { defineCodec, type EventOf } from "../kernel/events.ts";
import { type BillingPeriod, intervals } from "./calendar.ts";
import { type PlanCode, planCodes } from "./catalog.ts";
import { type GrownMap, grownGet, grownMap, grownSet } from "./grownMap.ts";
import { type ChangeCommand, decideChange, isOpen } from "./planChanges.ts";
import { decideFact, type FactCommand } from "./planFacts.ts";
import { decideTick, type TickCommand } from "./planTicks.ts";
import type { ProrationLine, Terms } from "./proration.ts";
import {
  endsAt,
  keyOfEvent,
  type ProviderName,
  providerNames,
  type Subscription,
  type SubscriptionFact,
  takeIn,
} from "./subscription.ts";

// ---------------------------------------------------------------- Events

/** The event's own id in the log: a receipt that names it can be followed to the event that set the plan. */
const setBy = z.uuid();
const changeId = z.uuid();
/** As every event writes a time; cheaper than a whole calendar, where a million of them are read. */
const instant = z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const terms = z.object({ plan: z.enum(planCodes), interval: z.enum(intervals).nullable() });
const period = z.object({ start: instant, end: instant });
const provider = z.enum(providerNames);

/** What a provider's event said, as far as it matters: enough to fold it in any order. */
const fact = z.object({
  /** SHA-256 of the event's body as it came; absent where the provider answered, or before it was kept here. */
  bodySha256: z.string().optional(),
  provider,
  eventId: z.string(),
  occurredAt: instant,
  subscriptionId: z.string(),
  terms: terms.nullable(),
  period: period.nullable(),
  standing: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("active") }),
    z.object({ kind: z.literal("cancelled"), endsAt: instant.nullable(), at: instant }),
    z.object({ kind: z.literal("revoked"), at: instant }),
  ]),
});

const schemas = {
  PlanStarted: z.object({ changeId, plan: z.literal("free") }),
  /** An operator gave a plan, until an instant or for good. `changeId` is the event's own id. */
  PlanGranted: z.object({
    changeId,
    plan: z.enum(planCodes),
    reason: z.string(),
    until: instant.nullable().default(null),
  }),
  PlanChangeCreated: z.object({
    changeId,
    from: terms,
    to: terms,
    /** At once, or when what is paid for ends. */
    timing: z.enum(["now", "period_end"]),
    dueCents: z.int().nonnegative(),
    /** What is due, line by line, as it was shown. */
    lines: z.array(z.object({ what: z.enum(["credit", "charge"]), cents: z.int() })),
    effectiveAt: instant,
    expiresAt: instant,
  }),
  PlanChangeConfirmed: z.object({ changeId }),
  PlanChangeAwaitingPayment: z.object({ changeId, provider, checkoutId: z.string() }),
  /** The page to pay a change on takes no money any more; `paid`: it had taken it before it could be closed. */
  PlanCheckoutClosed: z.object({
    changeId,
    provider,
    checkoutId: z.string(),
    outcome: z.enum(["closed", "paid"]),
  }),
  PlanChangeScheduled: z.object({ changeId, to: terms, effectiveAt: instant }),
  /** The plan that is in force from now on. Without a request of ours the provider changed it, or a grant ended. */
  PlanChangeApplied: z.object({
    setBy,
    changeId: changeId.nullable(),
    to: terms,
    period: period.nullable(),
    /** The provider's subscription that gives it, if one does. */
    subscriptionId: z.string().nullable(),
    fact: fact.nullable(),
    /** Whether an operator's grant gives way to it. */
    endsGrant: z.boolean(),
    /** Why an operator settled it so. */
    reason: z.string().optional(),
  }),
  PlanChangeCancelled: z.object({ changeId, reason: z.string().optional() }),
  PlanChangeFailed: z.object({ changeId, reason: z.string() }),
  PlanChangeExpired: z.object({ changeId }),
  PlanRenewed: z.object({ period, fact: fact.nullable() }),
  PlanCancellationScheduled: z.object({ effectiveAt: instant, fact: fact.nullable() }),
  PlanCancellationWithdrawn: z.object({}),
  PlanDowngradedToFree: z.object({ setBy, reason: z.string(), endsGrant: z.boolean() }),
  /** Money went back: what it had bought ends at once. */
  PlanRevoked: z.object({ setBy, action: z.enum(["refund", "chargeback"]), fact }),
  /** A provider said once more what was known, and later: what it had said in between does not count any more. */
  SubscriptionConfirmed: z.object({ fact }),
  /** Money went back for something that gives no plan (any more, or yet). */
  AdjustmentNoted: z.object({ action: z.string(), status: z.string(), fact }),
  PlanAttentionRaised: z.object({
    provider,
    providerEventId: z.string(),
    bodySha256: z.string().optional(),
    reason: z.string(),
  }),
  PlanAttentionSettled: z.object({
    providerEventId: z.string(),
    outcome: z.string(),
    reason: z.string(),
  }),
};

export type PlanEvent = EventOf<typeof schemas>;
export type ProviderFact = SubscriptionFact;

// ---------------------------------------------------------------- State

export type ChangeStatus =
  | "created"
  | "confirmed"
  | "awaiting_payment"
  | "scheduled"
  | "applied"
  | "cancelled"
  | "failed"
  | "expired";

export type ChangeRequest = {
  readonly id: string;
  readonly status: ChangeStatus;
  readonly from: Terms;
  readonly to: Terms;
  readonly timing: "now" | "period_end";
  readonly dueCents: number;
  readonly lines: readonly ProrationLine[];
  readonly effectiveAt: string;
  readonly expiresAt: string;
};

/** The page on which a change can be paid; null: what is not known of it, for nobody heard whether one was opened. */
type OpenCheckout = {
  readonly provider: ProviderName | null;
  readonly checkoutId: string | null;
};

/** What an organisation has of its own: an operator's grant stands before it, and gives way to it again. */
export type OwnPlan = {
  readonly terms: Terms;
  readonly period: BillingPeriod | null;
  /** The provider's subscription that gives it, null when none does. */
  readonly subscriptionId: string | null;
  readonly setBy: string | null;
};

export type Held = {
  readonly status: "active";
  readonly plan: PlanCode;
  /** The id of the event that set it. */
  readonly setBy: string | null;
  readonly own: OwnPlan;
  readonly grant: {
    readonly plan: PlanCode;
    readonly until: string | null;
    readonly setBy: string;
  } | null;
  /** When what is paid for ends without going on. */
  readonly endsAt: string | null;
  /** Every change that was ever asked for, by id. */
  readonly changes: GrownMap<ChangeRequest>;
  /** The one that is under way: one at a time. */
  readonly open: ChangeRequest | null;
  /** By change: the pages that may still take money for it. */
  readonly checkouts: ReadonlyMap<string, OpenCheckout>;
  readonly subscriptions: ReadonlyMap<string, Subscription>;
  /** The providers' events that have been taken in (`keyOfEvent`). */
  readonly facts: GrownMap<true>;
  readonly attention: ReadonlyMap<
    string,
    { readonly provider: ProviderName; readonly providerEventId: string; readonly reason: string }
  >;
  /** The providers' events that attention was ever drawn to: it is drawn once. */
  readonly attended: GrownMap<true>;
};

export type OrganizationPlan = { readonly status: "none" } | Held;

const FREE: Terms = { plan: "free", interval: null };

const free = (setBy: string): OwnPlan => ({
  terms: FREE,
  period: null,
  subscriptionId: null,
  setBy,
});

const nothingYet: Held = {
  status: "active",
  plan: "free",
  setBy: null,
  own: { terms: FREE, period: null, subscriptionId: null, setBy: null },
  grant: null,
  endsAt: null,
  changes: grownMap(),
  open: null,
  checkouts: new Map(),
  subscriptions: new Map(),
  facts: grownMap(),
  attention: new Map(),
  attended: grownMap(),
};

/** What an organisation holds; one whose plan has not started yet holds the free one. */
export const heldBy = (state: OrganizationPlan): Held =>
  state.status === "active" ? state : nothingYet;

// ---------------------------------------------------------------- evolve

export const evolve = (state: OrganizationPlan, event: PlanEvent): OrganizationPlan => {
  const held = heldBy(state);
  switch (event.type) {
    case "PlanStarted":
      return withOwn(held, free(event.data.changeId));
    case "PlanGranted": {
      const { plan, until, changeId: id } = event.data;
      return { ...held, plan, setBy: id, grant: { plan, until, setBy: id } };
    }
    case "PlanChangeCreated": {
      const {
        changeId: id,
        expiresAt,
        from,
        to,
        timing,
        dueCents,
        lines,
        effectiveAt,
      } = event.data;
      const change = {
        id,
        status: "created",
        from,
        to,
        timing,
        dueCents,
        lines,
        effectiveAt,
        expiresAt,
      } as const;
      return { ...held, changes: grownSet(held.changes, id, change), open: change };
    }
    case "PlanChangeConfirmed": {
      const { changeId: id } = event.data;
      const confirmed = settle(held, id, "confirmed");
      const isOwed = (grownGet(held.changes, id)?.dueCents ?? 0) > 0;
      return isOwed ? withCheckout(confirmed, id, { provider: null, checkoutId: null }) : confirmed;
    }
    case "PlanChangeAwaitingPayment": {
      const { changeId: id, provider: at, checkoutId } = event.data;
      return withCheckout(settle(held, id, "awaiting_payment"), id, { provider: at, checkoutId });
    }
    case "PlanCheckoutClosed":
      return withCheckout(held, event.data.changeId, null);
    case "PlanChangeScheduled":
      return settle(held, event.data.changeId, "scheduled", event.data.effectiveAt);
    case "PlanChangeApplied": {
      const { changeId: id, to, period: paid, subscriptionId, fact: told } = event.data;
      const before = event.data.endsGrant ? { ...held, grant: null } : held;
      const own = { terms: to, period: paid, subscriptionId, setBy: event.data.setBy };
      const applied = withOwn(taken(before, told), own);
      // A subscription that was cancelled may give the plan until it ends: after another, or a grant.
      const giving = applied.subscriptions.get(subscriptionId ?? "");
      const inForce = { ...applied, endsAt: giving ? endsAt(giving) : null };
      if (id === null) return inForce;
      const settled = settle(inForce, id, "applied");
      return told === null ? settled : withCheckout(settled, id, null);
    }
    case "PlanChangeCancelled":
      return settle(held, event.data.changeId, "cancelled");
    case "PlanChangeFailed":
      return settle(held, event.data.changeId, "failed");
    case "PlanChangeExpired":
      return settle(held, event.data.changeId, "expired");
    case "PlanRenewed": {
      const renewed = taken(held, event.data.fact);
      const { own } = renewed;
      // Paid for what the organisation has left meanwhile: the free plan has no period.
      if (own.terms.plan === "free") return renewed;
      return { ...renewed, own: { ...own, period: event.data.period } };
    }
    case "PlanCancellationScheduled": {
      const { fact: told, effectiveAt } = event.data;
      // Of another subscription than the one that gives the plan: the plan goes on.
      const ends = told === null || told.subscriptionId === held.own.subscriptionId;
      return { ...taken(held, told), endsAt: ends ? effectiveAt : held.endsAt };
    }
    case "PlanCancellationWithdrawn":
      return { ...held, endsAt: null };
    case "PlanDowngradedToFree": {
      const before = event.data.endsGrant ? { ...held, grant: null } : held;
      return { ...withOwn(before, free(event.data.setBy)), endsAt: null };
    }
    case "PlanRevoked": {
      const { fact: told, setBy: by } = event.data;
      return { ...withOwn(taken(held, told), free(by)), endsAt: null };
    }
    case "SubscriptionConfirmed":
    case "AdjustmentNoted":
      return taken(held, event.data.fact);
    case "PlanAttentionRaised": {
      const { providerEventId, provider: from, reason } = event.data;
      const key = keyOfEvent(from, providerEventId);
      const raised = { provider: from, providerEventId, reason };
      const attention = new Map(held.attention).set(key, raised);
      return { ...held, attention, attended: grownSet(held.attended, key, true) };
    }
    case "PlanAttentionSettled": {
      const { providerEventId: settled } = event.data;
      const left = [...held.attention].filter(([, { providerEventId: id }]) => id !== settled);
      return { ...held, attention: new Map(left) };
    }
    default:
      return assertNever(event);
  }
};

/** What an organisation has of its own shows as soon as no grant stands before it. */
const withOwn = (held: Held, own: OwnPlan): Held => {
  const { grant } = held;
  return { ...held, own, plan: grant?.plan ?? own.terms.plan, setBy: grant?.setBy ?? own.setBy };
};

const taken = (held: Held, told: ProviderFact | null): Held => {
  if (!told) return held;
  const merged = takeIn(held.subscriptions.get(told.subscriptionId), told);
  return {
    ...held,
    subscriptions: new Map(held.subscriptions).set(merged.id, merged),
    facts: grownSet(held.facts, keyOfEvent(told.provider, told.eventId), true),
  };
};

const withCheckout = (held: Held, id: string, checkout: OpenCheckout | null): Held => {
  if (checkout === null && !held.checkouts.has(id)) return held;
  const checkouts = new Map(held.checkouts);
  if (checkout === null) checkouts.delete(id);
  else checkouts.set(id, checkout);
  return { ...held, checkouts };
};

const settle = (held: Held, id: string, status: ChangeStatus, effectiveAt?: string): Held => {
  const change = grownGet(held.changes, id);
  if (!change) return held;
  const settled = { ...change, status, effectiveAt: effectiveAt ?? change.effectiveAt };
  const other = held.open?.id === id ? null : held.open;
  const open = isOpen(settled) ? settled : other;
  return { ...held, changes: grownSet(held.changes, id, settled), open };
};

// ---------------------------------------------------------------- Commands

/** Ids for the events that a command may cause, in their order: those of the log. */
export type EventIds = readonly [string, ...string[]];

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
  const held = heldBy(state);
  switch (command.type) {
    case "start":
      if (state.status !== "none") return [];
      return [{ type: "PlanStarted", data: { changeId: command.changeId, plan: "free" } }];
    case "grant": {
      const { changeId: id, plan, until = null, reason } = command;
      const standing = held.grant ?? { plan: held.plan, until: null };
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
      return decideChange(command, held);
    case "takeFact":
    case "raiseAttention":
    case "settleAttention":
      return decideFact(command, held);
    case "passTime":
      return decideTick(command, held, (before, event) => heldBy(evolve(before, event)));
    default:
      return assertNever(command);
  }
};

/** The plan in force: an organisation whose plan has not started yet has the free one. */
export const planInForce = (
  state: OrganizationPlan,
): { readonly plan: PlanCode; readonly setBy: string | null } => {
  const { plan, setBy: by } = heldBy(state);
  return { plan, setBy: by };
};

export const planDecider: Decider<OrganizationPlan, PlanCommand, PlanEvent> = {
  category: "plan",
  initial: { status: "none" },
  codec: defineCodec(schemas),
  evolve,
  decide,
};
