import type { Terms } from "../../domain/billing/proration.ts";
import type { ProviderName } from "../../domain/billing/subscription.ts";
import { DomainError } from "../../domain/kernel/errors.ts";
import type { PaymentError, PaymentProvider } from "../../platform/payments/port.ts";

/** The namespace of ids derived from providers' responses, so that a repeated call gives the same id. */
export const PAYMENT_IDS = "0c8f1d5e-6f0b-5a43-8a58-2a5f6f1f7c3d";

/** The payment providers and their prices. */
export type PaymentSettings = {
  /** The provider that collects new payments; `dev`: none. */
  readonly provider: "dev" | ProviderName;
  /** Null: the provider's API is not configured. */
  readonly providers: Readonly<Record<ProviderName, PaymentProvider | null>>;
  /** The terms that each price id of a provider stands for. */
  readonly prices: Readonly<Record<ProviderName, Readonly<Record<string, Terms>>>>;
  /** The page to which a checkout returns. */
  readonly returnUrl: (changeId: string) => string;
};

/** Settings without a payment provider. */
export const noPayments: PaymentSettings = {
  provider: "dev",
  providers: { "provider-a": null, "provider-b": null },
  prices: { "provider-a": {}, "provider-b": {} },
  returnUrl: () => "",
};

/** Throws DomainError `payment.notSetUp` if the provider's API is not configured. */
export const providerApi = (settings: PaymentSettings, provider: ProviderName): PaymentProvider => {
  const found = settings.providers[provider];
  if (found) return found;
  throw new DomainError(
    "payment.notSetUp",
    `The service cannot reach ${provider}: its operator must set the API key.`,
  );
};

/** The price id of terms at a provider. Throws DomainError `payment.noPrice` if there is none. */
export const priceIdOf = (
  settings: PaymentSettings,
  provider: ProviderName,
  { plan, interval }: Terms,
): string => {
  for (const [id, terms] of Object.entries(settings.prices[provider])) {
    if (terms.plan === plan && terms.interval === interval) return id;
  }
  throw new DomainError(
    "payment.noPrice",
    `The plan ${plan} by the ${interval ?? "month"} is not sold here: its operator has configured no price of ${provider} for it.`,
  );
};

/** Whether an id names a subscription. A single payment cannot be changed or cancelled. */
export const isSubscription = (id: string): boolean => id.startsWith("sub_");

/** The error of a call that failed because the provider is unavailable. */
export const providerUnavailable = ({ message }: PaymentError): DomainError =>
  new DomainError("payment.away", `${message} Nothing is lost: try again in a moment.`);
