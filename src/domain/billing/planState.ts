import type { BillingPeriod } from "./calendar.ts";
import type { PlanCode } from "./catalog.ts";
import { type PersistentMap, persistentMap } from "./persistentMap.ts";
import type { ProrationLine, Terms } from "./proration.ts";
import type { ProviderName, Subscription } from "./subscription.ts";

export const changeStatuses = [
  "created",
  "confirmed",
  "awaiting_payment",
  "scheduled",
  "applied",
  "cancelled",
  "failed",
  "expired",
] as const;
export type ChangeStatus = (typeof changeStatuses)[number];

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

/** A checkout page for a change. Fields are null while it is unknown whether the provider opened a page. */
export type OpenCheckout = {
  readonly provider: ProviderName | null;
  readonly checkoutId: string | null;
};

/** The organisation's own plan. An operator's grant takes precedence over it until the grant ends. */
export type OwnPlan = {
  readonly terms: Terms;
  readonly period: BillingPeriod | null;
  /** The provider's subscription that pays for the plan, null if none. */
  readonly subscriptionId: string | null;
  readonly setBy: string | null;
};

/** The state of a plan after its first event. */
export type CurrentPlan = {
  readonly status: "active";
  readonly plan: PlanCode;
  /** The id of the event that set `plan`. */
  readonly setBy: string | null;
  readonly own: OwnPlan;
  readonly grant: {
    readonly plan: PlanCode;
    readonly until: string | null;
    readonly setBy: string;
  } | null;
  /** When the paid plan ends without renewal, null if it renews. */
  readonly endsAt: string | null;
  /** Every change request of the organisation, by id. */
  readonly changes: PersistentMap<ChangeRequest>;
  /** The unfinished change request. At most one at a time. */
  readonly open: ChangeRequest | null;
  /** Checkout pages that may still accept a payment, by change id. */
  readonly checkouts: ReadonlyMap<string, OpenCheckout>;
  readonly subscriptions: ReadonlyMap<string, Subscription>;
  /** Providers' events that were merged, by `keyOfEvent`. */
  readonly facts: PersistentMap<true>;
  /** Providers' events that an operator has to look at, by `keyOfEvent`. */
  readonly attention: ReadonlyMap<
    string,
    { readonly provider: ProviderName; readonly providerEventId: string; readonly reason: string }
  >;
  /** Providers' events for which attention was ever raised, by `keyOfEvent`. It is raised once per event. */
  readonly attended: PersistentMap<true>;
};

export type OrganizationPlan = { readonly status: "none" } | CurrentPlan;

const FREE: Terms = { plan: "free", interval: null };

export const freePlan = (setBy: string): OwnPlan => ({
  terms: FREE,
  period: null,
  subscriptionId: null,
  setBy,
});

const notStarted: CurrentPlan = {
  status: "active",
  plan: "free",
  setBy: null,
  own: { terms: FREE, period: null, subscriptionId: null, setBy: null },
  grant: null,
  endsAt: null,
  changes: persistentMap(),
  open: null,
  checkouts: new Map(),
  subscriptions: new Map(),
  facts: persistentMap(),
  attention: new Map(),
  attended: persistentMap(),
};

/** The state of a plan; the free plan without history if none has started. */
export const currentPlan = (state: OrganizationPlan): CurrentPlan =>
  state.status === "active" ? state : notStarted;

/** The plan in force and the event that set it. The free plan if none has started. */
export const planInForce = (
  state: OrganizationPlan,
): { readonly plan: PlanCode; readonly setBy: string | null } => {
  const { plan, setBy: by } = currentPlan(state);
  return { plan, setBy: by };
};

/** Whether a change can still take effect. */
export const isOpen = ({ status }: ChangeRequest): boolean =>
  status === "created" ||
  status === "confirmed" ||
  status === "awaiting_payment" ||
  status === "scheduled";
