import { createHmac, randomUUID } from "node:crypto";
import { providerBKey } from "./localProviderB.ts";

/** Settings of a service that accepts events of provider A. */
export const providerSettings = {
  PROVIDER_A_WEBHOOK_SECRET: "pdl_ntfset_a_secret_for_tests",
  PROVIDER_A_PRICES: JSON.stringify({
    pri_starter: { plan: "starter", interval: "month" },
    pri_team: { plan: "team", interval: "month" },
    pri_business_year: { plan: "business", interval: "year" },
  }),
} as const;

/** Returns provider A's signature `h1` of `ts:body`. */
export const hmacOfProviderA = (
  body: string | Buffer,
  ts: string | number,
  secret: string = providerSettings.PROVIDER_A_WEBHOOK_SECRET,
): string => createHmac("sha256", secret).update(`${ts}:`).update(body).digest("hex");

/** Returns a signed event of provider A. Missing fields of the envelope are generated. */
export const signedByProviderA = (
  event: Readonly<Record<string, unknown>>,
  ts: number = Math.floor(Date.now() / 1_000),
): { body: string; headers: Record<string, string> } => {
  const body = JSON.stringify({
    event_id: `evt_${randomUUID()}`,
    occurred_at: "2026-01-31T10:00:00.123456Z",
    data: {},
    ...event,
  });
  const signature = `ts=${ts};h1=${hmacOfProviderA(body, ts)}`;
  return { body, headers: { "paddle-signature": signature } };
};

export const providerBSecret = "whsec_a_secret_for_tests";

/** Settings of a service that takes payments with provider B. */
export const providerBSettings = {
  PAYMENT_PROVIDER: "provider-b",
  PROVIDER_B_SECRET_KEY: providerBKey,
  PROVIDER_B_WEBHOOK_SECRET: providerBSecret,
  PROVIDER_B_PRICES: JSON.stringify({
    price_starter: { plan: "starter", interval: "month" },
    price_team: { plan: "team", interval: "month" },
  }),
} as const;
