import { grownGet } from "../domain/billing/grownMap.ts";
import { type Held, heldBy, type PlanCommand, planDecider } from "../domain/billing/plan.ts";
import { requestedAt } from "../domain/billing/planChanges.ts";
import type { Terms } from "../domain/billing/proration.ts";
import type { ProviderName, Subscription } from "../domain/billing/subscription.ts";
import { DomainError } from "../domain/kernel/errors.ts";
import type { Clock } from "../platform/clock.ts";
import { derivedId, newId } from "../platform/ids.ts";
import { PaymentError, type PaymentProvider } from "../platform/payments/port.ts";
import type { Changed } from "./billing.ts";
import type { CommandContext, CommandLoop } from "./kernel/commandLoop.ts";
import { nothingRecorded, type Receipt, receiptOf } from "./kernel/receipt.ts";

/** Of the ids of what comes of a provider's answers: the same however often it is asked. */
const NAMESPACE = "0c8f1d5e-6f0b-5a43-8a58-2a5f6f1f7c3d";

/** Who takes money for plans, and at which prices. */
export type PaymentSettings = {
  /** Who takes it from now on; `dev`: nobody. */
  readonly provider: "dev" | ProviderName;
  /** null: what reaches it is not set. */
  readonly providers: Readonly<Record<ProviderName, PaymentProvider | null>>;
  /** Which price at each provider is which plan. */
  readonly prices: Readonly<Record<ProviderName, Readonly<Record<string, Terms>>>>;
  /** Where people are sent back to. */
  readonly returnUrl: (changeId: string) => string;
};

/** Where nobody takes money. */
export const nobodyPays: PaymentSettings = {
  provider: "dev",
  providers: { "provider-a": null, "provider-b": null },
  prices: { "provider-a": {}, "provider-b": {} },
  returnUrl: () => "",
};

/** A change whose payment is under way, with the page to pay it on, where there is one. */
export type Collected = Changed & { readonly checkoutUrl: string | null };

/** What is asked of payment providers. The intent is in the log before it is asked, and what came of it after. */
export const paymentCommands = (deps: {
  loop: CommandLoop;
  clock: Clock;
  settings: PaymentSettings;
}) => {
  const { loop, clock, settings } = deps;

  const execute = (context: CommandContext, organizationId: string, command: PlanCommand) =>
    loop.execute(planDecider, organizationId, command, { ...context, command: command.type });

  const heldOf = async (organizationId: string): Promise<Held> =>
    heldBy((await loop.load(planDecider, organizationId)).state);

  const reach = (provider: ProviderName): PaymentProvider => {
    const found = settings.providers[provider];
    if (found) return found;
    throw new DomainError(
      "payment.notSetUp",
      `The service is not set up to reach ${provider}: its operator must set the key of its API.`,
    );
  };

  const priceOf = (provider: ProviderName, to: Terms): string => {
    for (const [id, { plan, interval }] of Object.entries(settings.prices[provider])) {
      if (plan === to.plan && interval === to.interval) return id;
    }
    throw new DomainError(
      "payment.noPrice",
      `The plan ${to.plan} by the ${to.interval ?? "month"} is not sold here: its operator has named no price of ${provider} for it.`,
    );
  };

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
          const recorded = await record(context, organizationId, command, changed);
          return { ...recorded, checkoutUrl: url };
        }
        if (change.status === "awaiting_payment") return { ...changed, checkoutUrl: null };
        const subscriptionId = subscription.id;
        const { isPaid, period } = await api.changeSubscription({
          subscriptionId,
          priceId,
          changeId,
        });
        const at = clock().toISOString();
        const setBy = derivedId(NAMESPACE, `${changeId} paid`);
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

    /**
     * Tells the provider what became of a change, as far as it still holds: Free waits for the period's end, or
     * does not any more, or what waited has taken effect by time (`dueEventId` set it). Safe to repeat. What the
     * provider refuses needs attention. Rejects with PaymentError while it is away; throws `payment.notSetUp`,
     * `payment.noPrice`.
     */
    followPlan: async (
      context: CommandContext,
      organizationId: string,
      changeId: string | null,
      dueEventId: string | null,
    ): Promise<void> => {
      const held = await heldOf(organizationId);
      const change = changeId === null ? undefined : grownGet(held.changes, changeId);
      const found = held.subscriptions.get(held.own.subscriptionId ?? "");
      if (!change || found?.standing.kind !== "active" || !isSubscription(found.id)) return;
      const { id, provider } = found;
      const toFree = change.to.plan === "free";
      const act = async (): Promise<void> => {
        if (change.status === "scheduled" && toFree) {
          await reach(provider).cancelSubscription(id, "period_end");
        } else if (change.status === "cancelled" && toFree && held.open === null) {
          await reach(provider).resumeSubscription(id);
        } else if (change.status === "applied" && held.own.setBy === dueEventId) {
          const priceId = priceOf(provider, change.to);
          const asked = { subscriptionId: id, priceId, changeId: change.id };
          await reach(provider).changeSubscription(asked);
        }
      };
      await act().catch(async (error: unknown) => {
        if (!(error instanceof PaymentError) || error.kind === "away") throw error;
        const providerEventId = `change_${change.id}`;
        const reason = `The subscription ${id} could not be changed with the plan: ${error.message}`;
        const command = { type: "raiseAttention", provider, providerEventId, reason } as const;
        await execute(context, organizationId, command);
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
      const held = await heldOf(organizationId);
      const receipts: Receipt[] = [];
      for (const { id, provider, standing } of held.subscriptions.values()) {
        if (standing.kind !== "active" || !isSubscription(id)) continue;
        await reach(provider)
          .cancelSubscription(id, "now")
          .catch((error: unknown) => {
            if (!(error instanceof PaymentError)) throw error;
            throw error.kind === "away" ? away(error) : refused(error);
          });
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
          ids: [derivedId(NAMESPACE, `${id} cancelled`)],
        });
        receipts.push(receiptOf(executed));
      }
      return receipts.at(-1) ?? nothingRecorded;
    },
  };
};

/** The provider's own: a single payment has no subscription that could be changed or ended. */
const isSubscription = (id: string): boolean => id.startsWith("sub_");

/** The subscription that gives the plan, where the provider that takes the money now has it. */
const subscriptionOf = (held: Held, provider: ProviderName): Subscription | null => {
  const { subscriptionId } = held.own;
  const found = subscriptionId === null ? undefined : held.subscriptions.get(subscriptionId);
  const goesOn = found?.provider === provider && found.standing.kind === "active";
  return found && goesOn && isSubscription(found.id) ? found : null;
};

const away = ({ message }: PaymentError): DomainError =>
  new DomainError("payment.away", `${message} Nothing is lost: ask again in a moment.`);

const refused = ({ message }: PaymentError): DomainError =>
  new DomainError("payment.refused", message);
