import type { PaymentSettings } from "../../commands/billing/paymentProviders.ts";
import type { Config } from "../../platform/config.ts";
import { createProviderA, PROVIDER_A_API } from "../../platform/payments/providerA.ts";

/** Who takes money for plans, as the settings say. A provider whose key is set is reached also where another takes the money now: what it sold before can be ended. */
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
        : // Its package is large, and most services do without.
          (await import("../../platform/payments/providerB.ts")).createProviderB({
            apiUrl: providerB.apiUrl,
            secretKey: providerB.secretKey,
          }),
  },
  prices: { "provider-a": providerA.prices, "provider-b": providerB.prices },
  returnUrl: (changeId) => `${webBase()}/plan?change=${changeId}`,
});
