import { assertNever, DomainError } from "../kernel/errors.ts";
import { type BillingPeriod, periodAt } from "./calendar.ts";
import { grownGet } from "./grownMap.ts";
import type { ChangeRequest, EventIds, Held, PlanEvent } from "./plan.ts";
import { isUpgrade, prorationOf, type Terms } from "./proration.ts";
import type { ProviderName } from "./subscription.ts";

/** A request that nobody confirms, or pays, is given up after a day. */
const OPEN_FOR_MS = 24 * 60 * 60 * 1000;

/** When a request was made: a day before it runs out. */
export const requestedAt = ({ expiresAt }: Pick<ChangeRequest, "expiresAt">): string =>
  new Date(Date.parse(expiresAt) - OPEN_FOR_MS).toISOString();

/** What an organisation asks of its own plan. `at` is now; `payment` says who takes the money, `dev` nobody. */
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
  /** The page to pay it on has been closed, or had been paid on. */
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
  /** An operator ends a request that is stuck. */
  | {
      readonly type: "settleChange";
      readonly changeId: string;
      readonly outcome: "applied" | "failed" | "cancelled";
      readonly reason: string;
      readonly at: string;
      readonly ids: EventIds;
    }
  /** Takes back what waits for the period's end: a smaller plan, or a cancellation. */
  | { readonly type: "withdrawScheduled" };

/** Whether a change can still come to something. */
export const isOpen = ({ status }: ChangeRequest): boolean =>
  status === "created" ||
  status === "confirmed" ||
  status === "awaiting_payment" ||
  status === "scheduled";

/**
 * What a change would come to, were it asked for now: when it takes place and what it costs. An upgrade
 * takes place at once, everything else when what is paid for ends (domain.md, "Plan change").
 */
const previewOf = (
  held: Held,
  to: Terms,
  at: string,
): Pick<ChangeRequest, "timing" | "effectiveAt" | "dueCents" | "lines"> => {
  const { terms, period } = held.own;
  const isLater = !isUpgrade(terms, to) && period !== null && period.end > at;
  if (isLater) {
    return { timing: "period_end", effectiveAt: period.end, dueCents: 0, lines: [] };
  }
  return { timing: "now", effectiveAt: at, ...prorationOf(terms, to, period, at) };
};

/** The period that an upgrade at an instant puts in force: the same one, or a new one where the interval changes. */
export const periodAfter = (held: Held, to: Terms, at: string): BillingPeriod | null => {
  const { terms, period } = held.own;
  if (to.interval === null) return null;
  if (period !== null && terms.interval === to.interval && period.end > at) return period;
  return periodAt(at, to.interval, at);
};

/**
 * Whether a change waits for the end of something that was cancelled, or taken back, meanwhile: nobody would take
 * money for what it comes to. Free needs none.
 */
export const isUnpaidFor = ({ own, subscriptions }: Held, { to }: ChangeRequest): boolean => {
  if (to.plan === "free") return false;
  const subscription = subscriptions.get(own.subscriptionId ?? "");
  return (
    own.terms.plan === "free" || (subscription && subscription.standing.kind !== "active") === true
  );
};

/** Decides what an organisation asks of its own plan. Repeating a command records nothing. */
export const decideChange = (command: ChangeCommand, held: Held): readonly PlanEvent[] => {
  if (command.type === "requestChange") return request(command, held);
  if (command.type === "withdrawScheduled") return withdraw(held);
  const change = grownGet(held.changes, command.changeId);
  if (!change) throw new DomainError("plan.changeUnknown", "There is no such plan change.");
  switch (command.type) {
    case "confirmChange":
      return confirm(command, change, held);
    case "awaitPayment": {
      const { changeId, provider, checkoutId } = command;
      // The provider's event may have been quicker than its answer.
      if (change.status === "awaiting_payment" || change.status === "applied") return [];
      mustBe(change, ["confirmed"], "put to payment");
      return [{ type: "PlanChangeAwaitingPayment", data: { changeId, provider, checkoutId } }];
    }
    case "closeCheckout": {
      const { type: _, ...closed } = command;
      if (!held.checkouts.has(change.id)) return [];
      return [{ type: "PlanCheckoutClosed", data: closed }];
    }
    case "scheduleChange":
      return schedule(command, change, held);
    case "applyChange": {
      if (change.status === "applied") return [];
      mustBe(change, ["created", "confirmed", "awaiting_payment", "scheduled"], "applied");
      const isOwed = change.dueCents > 0 && command.payment !== "dev";
      if (isOwed) {
        throw new DomainError(
          "plan.waitingForPayment",
          "The change is waiting for payment: it applies by itself when the provider says that it is paid.",
        );
      }
      if (change.timing === "period_end" && isUnpaidFor(held, change)) {
        throw new DomainError(
          "plan.changeFinished",
          "What the change waited for was cancelled: cancel it, and ask for a new one.",
        );
      }
      if (change.timing === "period_end" && change.effectiveAt > command.at) {
        throw new DomainError(
          "plan.notDue",
          `The change takes place on ${change.effectiveAt}, when what is paid for ends.`,
        );
      }
      return [applied(change, held, command.at, command.ids[0])];
    }
    case "cancelChange":
      if (change.status === "cancelled") return [];
      mustBe(change, ["created", "confirmed", "awaiting_payment", "scheduled"], "cancelled");
      return [{ type: "PlanChangeCancelled", data: { changeId: change.id } }];
    case "failChange":
      if (!isOpen(change)) return [];
      return [{ type: "PlanChangeFailed", data: { changeId: change.id, reason: command.reason } }];
    case "settleChange": {
      const { outcome, reason, at, ids } = command;
      if (change.status === outcome) return [];
      mustBe(change, ["created", "confirmed", "awaiting_payment", "scheduled"], "settled");
      if (outcome === "applied") return [applied(change, held, at, ids[0], reason)];
      if (outcome === "cancelled")
        return [{ type: "PlanChangeCancelled", data: { changeId: change.id, reason } }];
      return [{ type: "PlanChangeFailed", data: { changeId: change.id, reason } }];
    }
    default:
      return assertNever(command);
  }
};

const request = (
  command: Extract<ChangeCommand, { type: "requestChange" }>,
  held: Held,
): readonly PlanEvent[] => {
  const { changeId, to, at } = command;
  if (grownGet(held.changes, changeId)) return [];
  const { open } = held;
  if (open) {
    throw new DomainError(
      "plan.changeOpen",
      `The change to ${open.to.plan} is ${open.status.replace("_", " ")}: cancel it first, or let it finish.`,
      { changeId: open.id },
    );
  }
  const { terms } = held.own;
  if (to.plan === terms.plan && to.interval === terms.interval) {
    throw new DomainError("plan.alreadyInForce", `The plan is ${to.plan} already.`);
  }
  const { timing, effectiveAt, dueCents, lines } = previewOf(held, to, at);
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

/** To the natural next state: applied where nothing is owed or nobody takes money, scheduled where it waits, else confirmed, and paid. */
const confirm = (
  command: Extract<ChangeCommand, { type: "confirmChange" }>,
  change: ChangeRequest,
  held: Held,
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
  return [confirmed, applied(change, held, command.at, command.ids[1] ?? command.ids[0])];
};

const schedule = (
  command: Extract<ChangeCommand, { type: "scheduleChange" }>,
  change: ChangeRequest,
  held: Held,
): readonly PlanEvent[] => {
  if (change.status === "scheduled") return [];
  mustBe(change, ["created", "confirmed"], "scheduled");
  const end = held.own.period?.end ?? null;
  if (end === null || end <= command.at) {
    throw new DomainError(
      "plan.nothingToWaitFor",
      "Nothing is paid for whose end the change could wait for: confirm it instead.",
    );
  }
  const { id: changeId, to } = change;
  return [{ type: "PlanChangeScheduled", data: { changeId, to, effectiveAt: end } }];
};

const withdraw = (held: Held): readonly PlanEvent[] => {
  const { open } = held;
  const events: PlanEvent[] = [];
  if (open?.status === "scheduled") {
    events.push({ type: "PlanChangeCancelled", data: { changeId: open.id } });
  }
  const isOurs = [...held.subscriptions.values()].every(
    ({ standing }) => standing.kind !== "cancelled",
  );
  if (held.endsAt !== null && isOurs) events.push({ type: "PlanCancellationWithdrawn", data: {} });
  return events;
};

/** What is applied without a provider's word about it: the subscription that is paid for goes on to be the one. */
const applied = (
  change: ChangeRequest,
  held: Held,
  at: string,
  setBy: string,
  reason?: string,
): PlanEvent => {
  const { id: changeId, to } = change;
  const period = periodAfter(held, to, at);
  const subscriptionId = to.plan === "free" ? null : held.own.subscriptionId;
  return {
    type: "PlanChangeApplied",
    data: { setBy, changeId, to, period, subscriptionId, fact: null, endsGrant: true, reason },
  };
};

const mustBe = (
  change: ChangeRequest,
  allowed: readonly ChangeRequest["status"][],
  what: string,
): void => {
  if (allowed.includes(change.status)) return;
  throw new DomainError(
    "plan.changeFinished",
    `The change is ${change.status.replace("_", " ")} and cannot be ${what}: ask for a new one.`,
  );
};
