import { grownGet } from "../../domain/billing/grownMap.ts";
import type { ChangeRequest, Held } from "../../domain/billing/plan.ts";
import { isOpen, requestedAt } from "../../domain/billing/planChanges.ts";
import type { ProviderName, Subscription } from "../../domain/billing/subscription.ts";
import { DomainError } from "../../domain/kernel/errors.ts";
import type { Clock } from "../../platform/clock.ts";
import { derivedId } from "../../platform/ids.ts";
import { PaymentError } from "../../platform/payments/port.ts";
import type { CommandContext, CommandLoop } from "../kernel/commandLoop.ts";
import { nothingRecorded, type Receipt, receiptOf } from "../kernel/receipt.ts";
import {
  away,
  isSubscription,
  PAYMENT_IDS,
  type PaymentSettings,
  providersInReach,
} from "./paymentReach.ts";

/** What a provider is told once something has become of a plan: the log says so first, and what came of it after. */
export const subscriptionCommands = (deps: {
  readonly loop: CommandLoop;
  readonly clock: Clock;
  readonly settings: PaymentSettings;
}) => {
  const { clock, settings } = deps;
  const { execute, heldOf, reach, priceOf } = providersInReach(deps);

  /** Asks a provider about a change. What it refuses for good needs attention. Rejects with PaymentError while it is away. */
  const ask = async (
    about: {
      readonly context: CommandContext;
      readonly organizationId: string;
      readonly provider: ProviderName;
      /** What attention is drawn to, once. */
      readonly id: string;
      readonly what: string;
    },
    act: () => Promise<void>,
  ): Promise<void> => {
    await act().catch(async (error: unknown) => {
      if (!(error instanceof PaymentError) || error.kind === "away") throw error;
      const { context, organizationId, provider, id, what } = about;
      const reason = `${what}: ${error.message}`;
      const command = { type: "raiseAttention", provider, providerEventId: id, reason } as const;
      await execute(context, organizationId, command);
    });
  };

  /** Ends a subscription at once, and notes that it has ended. Rejects with PaymentError. */
  const end = async (
    context: CommandContext,
    organizationId: string,
    { id, provider }: Subscription,
  ): Promise<Receipt> => {
    await reach(provider).cancelSubscription(id, "now");
    const at = clock().toISOString();
    const executed = await execute(context, organizationId, {
      type: "takeFact",
      fact: {
        provider,
        eventId: `cancelled_${id}`,
        occurredAt: at,
        subscriptionId: id,
        terms: null,
        period: null,
        standing: { kind: "cancelled", endsAt: at, at },
      },
      changeId: null,
      adjustment: null,
      at,
      ids: [derivedId(PAYMENT_IDS, `${id} cancelled`)],
    });
    return receiptOf(executed);
  };

  /** Closes the page on which a change that is over could still be paid, and notes what became of it. */
  const closeCheckout = async (
    context: CommandContext,
    organizationId: string,
    held: Held,
    change: ChangeRequest,
  ): Promise<void> => {
    const checkout = held.checkouts.get(change.id);
    const provider = checkout?.provider ?? settings.provider;
    if (!checkout || provider === "dev" || isSubscription(checkout.checkoutId ?? "")) return;
    const { checkoutId } = checkout;
    const changeId = change.id;
    const askedAt = requestedAt(change);
    const what = `The page to pay the change to ${change.to.plan}, which is ${change.status}, could not be closed`;
    const about = { context, organizationId, provider, id: `checkout_${changeId}`, what };
    await ask(about, async () => {
      const closed = await reach(provider).closeCheckout({ changeId, checkoutId, askedAt });
      if (!closed) return;
      const { id, outcome } = closed;
      const noted = { changeId, provider, checkoutId: id, outcome };
      await execute(context, organizationId, { type: "closeCheckout", ...noted });
    });
  };

  return {
    /**
     * Tells the provider what became of a change, as far as it still holds: Free waits for the period's end, or
     * does not any more, or what waited has taken effect by time (`isDue`), or Free is in force
     * (`setBy`) while a subscription goes on; and nobody is to pay for a change that is over. Safe to repeat. What
     * the provider refuses needs attention. Rejects with PaymentError while it is away; throws `payment.notSetUp`,
     * `payment.noPrice`.
     */
    followPlan: async (
      context: CommandContext,
      organizationId: string,
      changeId: string | null,
      told: { readonly setBy: string | null; readonly isDue: boolean },
    ): Promise<void> => {
      const held = await heldOf(organizationId);
      const change = changeId === null ? undefined : grownGet(held.changes, changeId);
      if (!change) return;
      const found = held.subscriptions.get(held.own.subscriptionId ?? "");
      const toFree = change.to.plan === "free";
      const isInForce = change.status === "applied" && held.own.setBy === told.setBy;
      const asking = { context, organizationId, id: `change_${change.id}` };

      if (!isOpen(change)) await closeCheckout(context, organizationId, held, change);
      if (isInForce && toFree) {
        for (const one of goingOn(held)) {
          const what = `The subscription ${one.id} could not be ended with the plan`;
          const about = { ...asking, provider: one.provider, what };
          await ask(about, async () => void (await end(context, organizationId, one)));
        }
      }
      if (found?.standing.kind !== "active" || !isSubscription(found.id)) return;
      const { id, provider } = found;
      const what = `The subscription ${id} could not be changed with the plan`;
      await ask({ ...asking, provider, what }, async () => {
        if (change.status === "scheduled" && toFree) {
          await reach(provider).cancelSubscription(id, "period_end");
        } else if (change.status === "cancelled" && toFree && held.open === null) {
          await reach(provider).resumeSubscription(id);
        } else if (isInForce && told.isDue) {
          const priceId = priceOf(provider, change.to);
          const asked = { subscriptionId: id, priceId, changeId: change.id };
          await reach(provider).changeSubscription(asked);
        }
      });
    },

    /**
     * Ends at once what a provider takes money for, whoever takes it now: for an organisation that is deleted.
     * Does nothing where nothing is paid for. Safe to repeat. Throws `payment.away`, `payment.notSetUp`,
     * `payment.refused`.
     */
    cancelSubscription: async (
      context: CommandContext,
      organizationId: string,
    ): Promise<Receipt> => {
      let receipt = nothingRecorded;
      for (const one of goingOn(await heldOf(organizationId))) {
        receipt = await end(context, organizationId, one).catch((error: unknown) => {
          if (!(error instanceof PaymentError)) throw error;
          throw error.kind === "away" ? away(error) : refused(error);
        });
      }
      return receipt;
    },
  };
};

/** The subscriptions that a provider goes on to take money for. */
const goingOn = ({ subscriptions }: Held): readonly Subscription[] =>
  [...subscriptions.values()].filter(
    ({ id, standing }) => standing.kind === "active" && isSubscription(id),
  );

const refused = ({ message }: PaymentError): DomainError =>
  new DomainError("payment.refused", message);
