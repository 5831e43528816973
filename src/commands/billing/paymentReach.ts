import { type Held, heldBy, type PlanCommand, planDecider } from "../../domain/billing/plan.ts";
import type { Terms } from "../../domain/billing/proration.ts";
import type { ProviderName } from "../../domain/billing/subscription.ts";
import { DomainError } from "../../domain/kernel/errors.ts";
import type { PaymentError, PaymentProvider } from "../../platform/payments/port.ts";
import type { CommandContext, CommandLoop } from "../kernel/commandLoop.ts";

/** Of the ids of what comes of a provider's answers: the same however often it is asked. */
export const PAYMENT_IDS = "0c8f1d5e-6f0b-5a43-8a58-2a5f6f1f7c3d";

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

/** The providers as far as they are set up, and the plan that is asked of them for. */
export const providersInReach = (deps: {
  readonly loop: CommandLoop;
  readonly settings: PaymentSettings;
}) => {
  const { loop, settings } = deps;

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

  return { execute, heldOf, reach, priceOf };
};

/** The provider's own: a single payment has no subscription that could be changed or ended. */
export const isSubscription = (id: string): boolean => id.startsWith("sub_");

/** What somebody is told who asked for something while the provider was away. */
export const away = ({ message }: PaymentError): DomainError =>
  new DomainError("payment.away", `${message} Nothing is lost: ask again in a moment.`);
