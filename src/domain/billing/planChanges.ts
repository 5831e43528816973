import { assertNever, DomainError } from "../kernel/errors.ts";
import { type BillingPeriod, periodAt } from "./calendar.ts";
import { getValue } from "./persistentMap.ts";
import type { EventIds, PlanEvent } from "./planEvents.ts";
import { type ChangeRequest, type CurrentPlan, isOpen } from "./planState.ts";
import { isUpgrade, prorationOf, type Terms } from "./proration.ts";
import type { ProviderName } from "./subscription.ts";

/** An unconfirmed or unpaid request expires after a day. */
const OPEN_FOR_MS = 24 * 60 * 60 * 1000;

/** When a request was made, derived from its expiry. */
export const requestedAt = ({ expiresAt }: Pick<ChangeRequest, "expiresAt">): string =>
  new Date(Date.parse(expiresAt) - OPEN_FOR_MS).toISOString();

/** Commands of an organisation about its own plan. `at` is now; `payment` is the provider that collects, `dev` none. */
export type ChangeCommand =
  | {
      readonly type: "requestChange";
      readonly changeId: string;
      readonly to: Terms;
      readonly at: string;
    }
  | {
      readonly type: "confirmChange";
      readonly changeId: string;
      readonly payment: "dev" | ProviderName;
      readonly at: string;
      readonly ids: EventIds;
    }
  | {
      readonly type: "awaitPayment";
      readonly changeId: string;
      readonly provider: ProviderName;
      readonly checkoutId: string;
    }
  /** The checkout page was closed, or was paid before it could be closed. */
  | {
      readonly type: "closeCheckout";
      readonly changeId: string;
      readonly provider: ProviderName;
      readonly checkoutId: string;
      readonly outcome: "closed" | "paid";
    }
  | { readonly type: "scheduleChange"; readonly changeId: string; readonly at: string }
  | {
      readonly type: "applyChange";
      readonly changeId: string;
      readonly payment: "dev" | ProviderName;
      readonly at: string;
      readonly ids: EventIds;
    }
  | { readonly type: "cancelChange"; readonly changeId: string }
  | { readonly type: "failChange"; readonly changeId: string; readonly reason: string }
  /** An operator settles a stuck request. */
  | {
      readonly type: "settleChange";
      readonly changeId: string;
      readonly outcome: "applied" | "failed" | "cancelled";
      readonly reason: string;
      readonly at: string;
      readonly ids: EventIds;
    }
  /** Withdraws a scheduled change or a cancellation before the end of the period. */
  | { readonly type: "withdrawScheduled" };

/**
 * When a change would take effect and what it would cost if requested now. An upgrade takes effect immediately,
 * every other change at the end of the paid period (domain.md, "Plan change").
 */
const previewOf = (
  current: CurrentPlan,
  to: Terms,
  at: string,
): Pick<ChangeRequest, "timing" | "effectiveAt" | "dueCents" | "lines"> => {
  const { terms, period } = current.own;
  const isLater = !isUpgrade(terms, to) && period !== null && period.end > at;
  if (isLater) {
    return { timing: "period_end", effectiveAt: period.end, dueCents: 0, lines: [] };
  }
  return { timing: "now", effectiveAt: at, ...prorationOf(terms, to, period, at) };
};

/** The period after an upgrade: the running one, or a new one if the interval changes. */
export const periodAfter = (current: CurrentPlan, to: Terms, at: string): BillingPeriod | null => {
  const { terms, period } = current.own;
  if (to.interval === null) return null;
  if (period !== null && terms.interval === to.interval && period.end > at) return period;
  return periodAt(at, to.interval, at);
};

/**
 * Whether the subscription that would pay for a scheduled change was cancelled or revoked meanwhile. A change to Free
 * needs no payment.
 */
export const isUnpaidFor = (
  { own, subscriptions }: CurrentPlan,
  { to }: ChangeRequest,
): boolean => {
  if (to.plan === "free") return false;
  const subscription = subscriptions.get(own.subscriptionId ?? "");
  return (
    own.terms.plan === "free" || (subscription && subscription.standing.kind !== "active") === true
  );
};

/**
 * Decides a command about an existing or new change request. Repeating a command records nothing.
 *
 * Throws DomainError `plan.changeUnknown` if there is no such request, `plan.changeFinished` if it is settled,
 * `plan.changeOpen`, `plan.alreadyInForce`, `plan.waitingForPayment`, `plan.notDue`, `plan.nothingToWaitFor`.
 */
export const decideChange = (
  command: ChangeCommand,
  current: CurrentPlan,
): readonly PlanEvent[] => {
  if (command.type === "requestChange") return request(command, current);
  if (command.type === "withdrawScheduled") return withdraw(current);
  const change = getValue(current.changes, command.changeId);
  if (!change) throw new DomainError("plan.changeUnknown", "There is no such plan change.");
  switch (command.type) {
    case "confirmChange":
      return confirm(command, change, current);
    case "awaitPayment":
      return awaitPayment(command, change);
    case "closeCheckout": {
      const { type: _, ...closed } = command;
      return current.checkouts.has(change.id) ? [{ type: "PlanCheckoutClosed", data: closed }] : [];
    }
    case "scheduleChange":
      return schedule(command, change, current);
    case "applyChange":
      return apply(command, change, current);
    case "cancelChange":
      if (change.status === "cancelled") return [];
      mustBe(change, OPEN, "cancelled");
      return [{ type: "PlanChangeCancelled", data: { changeId: change.id } }];
    case "failChange":
      if (!isOpen(change)) return [];
      return [{ type: "PlanChangeFailed", data: { changeId: change.id, reason: command.reason } }];
    case "settleChange":
      return settle(command, change, current);
    default:
      return assertNever(command);
  }
};

type Command<Type extends ChangeCommand["type"]> = Extract<ChangeCommand, { type: Type }>;

const OPEN = ["created", "confirmed", "awaiting_payment", "scheduled"] as const;

const request = (command: Command<"requestChange">, current: CurrentPlan): readonly PlanEvent[] => {
  const { changeId, to, at } = command;
  if (getValue(current.changes, changeId)) return [];
  const { open } = current;
  if (open) {
    throw new DomainError(
      "plan.changeOpen",
      `The change to ${open.to.plan} is ${open.status.replace("_", " ")}: cancel it first or wait until it finishes.`,
      { changeId: open.id },
    );
  }
  const { terms } = current.own;
  if (to.plan === terms.plan && to.interval === terms.interval) {
    throw new DomainError("plan.alreadyInForce", `The plan is already ${to.plan}.`);
  }
  const { timing, effectiveAt, dueCents, lines } = previewOf(current, to, at);
  const expiresAt = new Date(Date.parse(at) + OPEN_FOR_MS).toISOString();
  return [
    {
      type: "PlanChangeCreated",
      data: {
        changeId,
        from: terms,
        to,
        timing,
        dueCents,
        lines: [...lines],
        effectiveAt,
        expiresAt,
      },
    },
  ];
};

/** Confirms a request and schedules it, or applies it if no payment is due. */
const confirm = (
  command: Command<"confirmChange">,
  change: ChangeRequest,
  current: CurrentPlan,
): readonly PlanEvent[] => {
  if (change.status !== "created") {
    mustBe(change, ["confirmed", "awaiting_payment", "scheduled", "applied"], "confirmed");
    return [];
  }
  const { id } = change;
  const confirmed: PlanEvent = { type: "PlanChangeConfirmed", data: { changeId: id } };
  if (change.timing === "period_end") {
    const { to, effectiveAt } = change;
    return [confirmed, { type: "PlanChangeScheduled", data: { changeId: id, to, effectiveAt } }];
  }
  if (change.dueCents > 0 && command.payment !== "dev") return [confirmed];
  return [confirmed, applied(change, current, command.at, command.ids[1] ?? command.ids[0])];
};

const schedule = (
  command: Command<"scheduleChange">,
  change: ChangeRequest,
  current: CurrentPlan,
): readonly PlanEvent[] => {
  if (change.status === "scheduled") return [];
  mustBe(change, ["created", "confirmed"], "scheduled");
  const end = current.own.period?.end ?? null;
  if (end === null || end <= command.at) {
    throw new DomainError(
      "plan.nothingToWaitFor",
      "There is no paid period whose end the change could wait for. Confirm it instead.",
    );
  }
  const { id: changeId, to } = change;
  return [{ type: "PlanChangeScheduled", data: { changeId, to, effectiveAt: end } }];
};

const awaitPayment = (
  { changeId, provider, checkoutId }: Command<"awaitPayment">,
  change: ChangeRequest,
): readonly PlanEvent[] => {
  // The provider's event may arrive before its response.
  if (change.status === "awaiting_payment" || change.status === "applied") return [];
  mustBe(change, ["confirmed"], "put to payment");
  return [{ type: "PlanChangeAwaitingPayment", data: { changeId, provider, checkoutId } }];
};

const apply = (
  command: Command<"applyChange">,
  change: ChangeRequest,
  current: CurrentPlan,
): readonly PlanEvent[] => {
  if (change.status === "applied") return [];
  mustBe(change, OPEN, "applied");
  if (change.dueCents > 0 && command.payment !== "dev") {
    throw new DomainError(
      "plan.waitingForPayment",
      "The change is waiting for payment. It takes effect when the provider reports the payment.",
    );
  }
  if (change.timing === "period_end" && isUnpaidFor(current, change)) {
    throw new DomainError(
      "plan.changeFinished",
      "The subscription that would pay for the change was cancelled. Cancel the change and request a new one.",
    );
  }
  if (change.timing === "period_end" && change.effectiveAt > command.at) {
    throw new DomainError(
      "plan.notDue",
      `The change takes effect on ${change.effectiveAt}, at the end of the paid period.`,
    );
  }
  return [applied(change, current, command.at, command.ids[0])];
};

const settle = (
  command: Command<"settleChange">,
  change: ChangeRequest,
  current: CurrentPlan,
): readonly PlanEvent[] => {
  const { outcome, reason, at, ids } = command;
  if (change.status === outcome) return [];
  mustBe(change, OPEN, "settled");
  switch (outcome) {
    case "applied":
      return [applied(change, current, at, ids[0], reason)];
    case "cancelled":
      return [{ type: "PlanChangeCancelled", data: { changeId: change.id, reason } }];
    case "failed":
      return [{ type: "PlanChangeFailed", data: { changeId: change.id, reason } }];
    default:
      return assertNever(outcome);
  }
};

const withdraw = (current: CurrentPlan): readonly PlanEvent[] => {
  const { open } = current;
  const events: PlanEvent[] = [];
  if (open?.status === "scheduled") {
    events.push({ type: "PlanChangeCancelled", data: { changeId: open.id } });
  }
  const isOurs = [...current.subscriptions.values()].every(
    ({ standing }) => standing.kind !== "cancelled",
  );
  if (current.endsAt !== null && isOurs)
    events.push({ type: "PlanCancellationWithdrawn", data: {} });
  return events;
};

/** Applies a change without a provider's fact. The subscription stays the same. */
const applied = (
  change: ChangeRequest,
  current: CurrentPlan,
  at: string,
  setBy: string,
  reason?: string,
): PlanEvent => {
  const { id: changeId, to } = change;
  const period = periodAfter(current, to, at);
  const subscriptionId = to.plan === "free" ? null : current.own.subscriptionId;
  return {
    type: "PlanChangeApplied",
    data: { setBy, changeId, to, period, subscriptionId, fact: null, endsGrant: true, reason },
  };
};

const mustBe = (
  change: ChangeRequest,
  allowed: readonly ChangeRequest["status"][],
  action: string,
): void => {
  if (allowed.includes(change.status)) return;
  throw new DomainError(
    "plan.changeFinished",
    `The change is ${change.status.replace("_", " ")} and cannot be ${action}. Request a new one.`,
  );
};
