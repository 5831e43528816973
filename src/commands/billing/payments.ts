import { grownGet } from "../../domain/billing/grownMap.ts";
import { type Held, heldBy, type PlanCommand } from "../../domain/billing/plan.ts";
import { requestedAt } from "../../domain/billing/planChanges.ts";
import type { Terms } from "../../domain/billing/proration.ts";
import type { ProviderName, Subscription } from "../../domain/billing/subscription.ts";
import { DomainError } from "../../domain/kernel/errors.ts";
import type { Clock } from "../../platform/clock.ts";
import { derivedId, newId } from "../../platform/ids.ts";
import { PaymentError } from "../../platform/payments/port.ts";
import type { CommandContext, CommandLoop } from "../kernel/commandLoop.ts";
import { receiptOf } from "../kernel/receipt.ts";
import type { Changed } from "./billing.ts";
import {
  away,
  isSubscription,
  PAYMENT_IDS,
  type PaymentSettings,
  providersInReach,
} from "./paymentReach.ts";

/** A change whose payment is under way, with the page to pay it on, where there is one. */
export type Collected = Changed & { readonly checkoutUrl: string | null };

/** What is asked of payment providers. The intent is in the log before it is asked, and what came of it after. */
export const paymentCommands = (deps: {
  loop: CommandLoop;
  clock: Clock;
  settings: PaymentSettings;
}) => {
  const { clock, settings } = deps;
  const { execute, heldOf, reach, priceOf } = providersInReach(deps);

  /** Tells the caller what a provider did not do. A change that it will never do fails. */
  const failed = async (
    context: CommandContext,
    organizationId: string,
    changeId: string,
    error: unknown,
  ): Promise<never> => {
    if (!(error instanceof PaymentError)) throw error;
    if (error.kind === "away") throw away(error);
    const reason = error.message;
    await execute(context, organizationId, { type: "failChange", changeId, reason });
    throw new DomainError("payment.declined", `${reason} The change has failed: ask for it again.`);
  };

  const record = async (
    context: CommandContext,
    organizationId: string,
    command: PlanCommand & { readonly changeId: string | null },
    before: Changed,
  ): Promise<Changed> => {
    const executed = await execute(context, organizationId, command);
    const change = grownGet(heldBy(executed.state).changes, before.change.id) ?? before.change;
    return { change, receipt: receiptOf(executed) };
  };

  return {
    /** Throws `payment.noPrice`, `payment.notSetUp` where a change could not be paid: better before it is confirmed. */
    mustBeForSale: (to: Terms): void => {
      const { provider } = settings;
      if (provider === "dev" || to.interval === null) return;
      reach(provider);
      priceOf(provider, to);
    },

    /**
     * Has a confirmed change paid: opens the page for it, or has the subscription that is there changed. Asked
     * again, it leads to the same page. Throws `payment.away` (503), `payment.declined` (409).
     */
    collect: async (
      context: CommandContext,
      organizationId: string,
      changed: Changed,
    ): Promise<Collected> => {
      const { provider } = settings;
      const { change } = changed;
      const isWaiting = change.status === "confirmed" || change.status === "awaiting_payment";
      if (provider === "dev" || !isWaiting || change.dueCents === 0) {
        return { ...changed, checkoutUrl: null };
      }
      const [api, priceId] = [reach(provider), priceOf(provider, change.to)];
      const held = await heldOf(organizationId);
      const subscription = subscriptionOf(held, provider);
      const changeId = change.id;
      try {
        if (!subscription) {
          const askedAt = requestedAt(change);
          const returnUrl = settings.returnUrl(changeId);
          const { id, url } = await api.openCheckout({ changeId, priceId, askedAt, returnUrl });
          const command = { type: "awaitPayment", changeId, provider, checkoutId: id } as const;
          try {
            const recorded = await record(context, organizationId, command, changed);
            return { ...recorded, checkoutUrl: url };
          } catch (error) {
            // Given up while the page was being opened: who looked for it then may not have found it. Should it
            // stay open, and be paid on, the provider's event draws attention.
            if (error instanceof DomainError && error.code === "plan.changeFinished") {
              await api.closeCheckout({ changeId, checkoutId: id, askedAt }).catch(() => null);
            }
            throw error;
          }
        }
        if (change.status === "awaiting_payment") return { ...changed, checkoutUrl: null };
        const subscriptionId = subscription.id;
        const { isPaid, period } = await api.changeSubscription({
          subscriptionId,
          priceId,
          changeId,
        });
        const at = clock().toISOString();
        const setBy = derivedId(PAYMENT_IDS, `${changeId} paid`);
        const command: PlanCommand & { readonly changeId: string } = isPaid
          ? {
              type: "takeFact",
              fact: {
                provider,
                eventId: `change_${changeId}`,
                occurredAt: at,
                subscriptionId,
                terms: change.to,
                period: period ?? held.own.period,
                standing: { kind: "active" },
              },
              changeId,
              adjustment: null,
              at,
              ids: [setBy, newId()],
            }
          : { type: "awaitPayment", changeId, provider, checkoutId: subscriptionId };
        const recorded = await record(context, organizationId, command, changed);
        return { ...recorded, checkoutUrl: null };
      } catch (error) {
        return failed(context, organizationId, changeId, error);
      }
    },
  };
};

/** The subscription that gives the plan, where the provider that takes the money now has it. */
const subscriptionOf = (held: Held, provider: ProviderName): Subscription | null => {
  const { subscriptionId } = held.own;
  const found = subscriptionId === null ? undefined : held.subscriptions.get(subscriptionId);
  const goesOn = found?.provider === provider && found.standing.kind === "active";
  return found && goesOn && isSubscription(found.id) ? found : null;
};
