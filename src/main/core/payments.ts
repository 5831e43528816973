import type { PaymentSettings } from "../../commands/billing/paymentProviders.ts";
import type { Config } from "../../platform/config.ts";
import { createProviderA, PROVIDER_A_API } from "../../platform/payments/providerA.ts";

/** The payment providers of the settings. A provider with a key is created even if PAYMENT_PROVIDER names the other one: its earlier subscriptions can still be ended. */
export const createPayments = async (
  { paymentProvider, providerA, providerB }: Config,
  webBase: () => string,
): Promise<PaymentSettings> => ({
  provider: paymentProvider,
  providers: {
    "provider-a":
      providerA.apiKey === null
        ? null
        : createProviderA({
            apiUrl: providerA.apiUrl ?? PROVIDER_A_API,
            apiKey: providerA.apiKey,
          }),
    "provider-b":
      providerB.secretKey === null
        ? null
        : // Loaded on demand: the package is large and rarely needed.
          (await import("../../platform/payments/providerB.ts")).createProviderB({
            apiUrl: providerB.apiUrl,
            secretKey: providerB.secretKey,
          }),
  },
  prices: { "provider-a": providerA.prices, "provider-b": providerB.prices },
  returnUrl: (changeId) => `${webBase()}/plan?change=${changeId}`,
});
