import { getValue } from "../../domain/billing/persistentMap.ts";
import type { PlanCommand } from "../../domain/billing/plan.ts";
import { requestedAt } from "../../domain/billing/planChanges.ts";
import { type CurrentPlan, currentPlan } from "../../domain/billing/planState.ts";
import type { Terms } from "../../domain/billing/proration.ts";
import type { ProviderName, Subscription } from "../../domain/billing/subscription.ts";
import { DomainError } from "../../domain/kernel/errors.ts";
import { derivedId, newId } from "../../platform/ids.ts";
import { PaymentError } from "../../platform/payments/port.ts";
import type { CommandContext } from "../kernel/commandLoop.ts";
import { receiptOf } from "../kernel/receipt.ts";
import {
  isSubscription,
  PAYMENT_IDS,
  type PaymentSettings,
  priceIdOf,
  providerApi,
  providerUnavailable,
} from "./paymentProviders.ts";
import { type BillingDeps, type Changed, executePlan, loadPlan, nowOf } from "./planCommands.ts";

/** A confirmed change with its checkout page, if one is open. */
export type Collected = Changed & { readonly checkoutUrl: string | null };

/** Checks before confirmation that terms can be paid. Throws DomainError `payment.noPrice`, `payment.notSetUp`. */
export const mustBeForSale = (settings: PaymentSettings, to: Terms): void => {
  const { provider } = settings;
  if (provider === "dev" || to.interval === null) return;
  providerApi(settings, provider);
  priceIdOf(settings, provider, to);
};

type Payment = {
  readonly deps: BillingDeps;
  readonly context: CommandContext;
  readonly organizationId: string;
  readonly changed: Changed;
  readonly provider: ProviderName;
  readonly priceId: string;
};

/**
 * Collects the payment of a confirmed change: opens a checkout page, or changes the existing subscription. The log
 * records the intent before the provider is called and the result afterwards. A repeated call returns the same page.
 * Throws DomainError `payment.away` if the provider is unavailable, `payment.declined` if it refuses.
 */
export const collectPayment = async (
  deps: BillingDeps,
  context: CommandContext,
  { organizationId, changed }: { readonly organizationId: string; readonly changed: Changed },
): Promise<Collected> => {
  const { provider } = deps.payment;
  const { change } = changed;
  const isUnpaid = change.status === "confirmed" || change.status === "awaiting_payment";
  if (provider === "dev" || !isUnpaid || change.dueCents === 0) {
    return { ...changed, checkoutUrl: null };
  }
  providerApi(deps.payment, provider);
  const priceId = priceIdOf(deps.payment, provider, change.to);
  const current = await loadPlan(deps, organizationId);
  const subscription = subscriptionOf(current, provider);
  const payment = { deps, context, organizationId, changed, provider, priceId };
  try {
    if (!subscription) return await openCheckout(payment);
    if (change.status === "awaiting_payment") return { ...changed, checkoutUrl: null };
    return await changeSubscription(payment, subscription, current);
  } catch (error) {
    return failChange(payment, error);
  }
};

/** The subscription that pays for the plan, if it is active at this provider. */
const subscriptionOf = (current: CurrentPlan, provider: ProviderName): Subscription | null => {
  const { subscriptionId } = current.own;
  const found = subscriptionId === null ? undefined : current.subscriptions.get(subscriptionId);
  const isActive = found?.provider === provider && found.standing.kind === "active";
  return found && isActive && isSubscription(found.id) ? found : null;
};

const openCheckout = async (payment: Payment): Promise<Collected> => {
  const { deps, changed, provider, priceId } = payment;
  const api = providerApi(deps.payment, provider);
  const changeId = changed.change.id;
  const askedAt = requestedAt(changed.change);
  const returnUrl = deps.payment.returnUrl(changeId);
  const { id, url } = await api.openCheckout({ changeId, priceId, askedAt, returnUrl });
  const command = { type: "awaitPayment", changeId, provider, checkoutId: id } as const;
  try {
    return { ...(await record(payment, command)), checkoutUrl: url };
  } catch (error) {
    // The change was cancelled while the page was being opened, so the canceller may not have found the page.
    // If the page stays open and is paid, the provider's event raises attention.
    if (error instanceof DomainError && error.code === "plan.changeFinished") {
      await api.closeCheckout({ changeId, checkoutId: id, askedAt }).catch(() => null);
    }
    throw error;
  }
};

const changeSubscription = async (
  payment: Payment,
  subscription: Subscription,
  current: CurrentPlan,
): Promise<Collected> => {
  const { deps, changed, provider, priceId } = payment;
  const { id: changeId, to: terms } = changed.change;
  const subscriptionId = subscription.id;
  const api = providerApi(deps.payment, provider);
  const answer = await api.changeSubscription({ subscriptionId, priceId, changeId });
  if (!answer.isPaid) {
    const command = {
      type: "awaitPayment",
      changeId,
      provider,
      checkoutId: subscriptionId,
    } as const;
    return { ...(await record(payment, command)), checkoutUrl: null };
  }
  const at = nowOf(deps);
  const command = {
    type: "takeFact",
    fact: {
      provider,
      eventId: `change_${changeId}`,
      occurredAt: at,
      subscriptionId,
      terms,
      period: answer.period ?? current.own.period,
      standing: { kind: "active" },
    },
    changeId,
    adjustment: null,
    at,
    ids: [derivedId(PAYMENT_IDS, `${changeId} paid`), newId()],
  } as const;
  return { ...(await record(payment, command)), checkoutUrl: null };
};

const record = async (payment: Payment, command: PlanCommand): Promise<Changed> => {
  const { deps, context, organizationId, changed } = payment;
  const executed = await executePlan(deps, context, organizationId, command);
  const { changes } = currentPlan(executed.state);
  const change = getValue(changes, changed.change.id) ?? changed.change;
  return { change, receipt: receiptOf(executed) };
};

/** Fails a change that the provider refused. Rethrows every error that a retry may resolve. */
const failChange = async (payment: Payment, error: unknown): Promise<never> => {
  if (!(error instanceof PaymentError)) throw error;
  if (error.kind === "away") throw providerUnavailable(error);
  const { deps, context, organizationId, changed } = payment;
  const reason = error.message;
  const command = { type: "failChange", changeId: changed.change.id, reason } as const;
  await executePlan(deps, context, organizationId, command);
  throw new DomainError("payment.declined", `${reason} The change failed: request it again.`);
};
