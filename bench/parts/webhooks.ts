import { createHmac, randomUUID } from "node:crypto";
import { openHttpClient } from "../harness/httpClient.ts";

const SECRET = "pdl_ntfset_a_secret_for_benches";

/** Settings that enable the webhooks of provider A. */
export const webhookSettings = {
  PROVIDER_A_WEBHOOK_SECRET: SECRET,
  PROVIDER_A_PRICES: JSON.stringify({
    pri_starter: { plan: "starter", interval: "month" },
    pri_team: { plan: "team", interval: "month" },
  }),
} as const;

/** A provider's event. `createSender` signs it. */
export type ProviderEvent = { readonly body: string };

const event = (type: string, at: number, data: object): ProviderEvent => ({
  body: JSON.stringify({
    event_id: `evt_${randomUUID()}`,
    event_type: type,
    occurred_at: new Date(at).toISOString(),
    data,
  }),
});

const START = Date.parse("2026-01-01T00:00:00Z");
const period = { starts_at: "2026-01-01T00:00:00Z", ends_at: "2036-02-01T00:00:00Z" };

/** The first payment of a subscription, which completes a plan change. */
export const purchaseEvent = (subscription: string, changeId: string): ProviderEvent =>
  event("transaction.completed", START, {
    id: `txn_${subscription}`,
    subscription_id: subscription,
    origin: "web",
    custom_data: { plan_change_request_id: changeId },
    items: [{ price: { id: "pri_starter" }, quantity: 1 }],
    billing_period: period,
  });

/** The nth tier change of a subscription. Tiers alternate, so that each event changes the plan. */
export const tierChangeEvent = (subscription: string, nth: number): ProviderEvent =>
  event("subscription.updated", START + nth * 1_000, {
    id: subscription,
    status: "active",
    custom_data: null,
    items: [{ price: { id: nth % 2 === 0 ? "pri_starter" : "pri_team" }, quantity: 1 }],
    current_billing_period: period,
  });

/** A partial refund. The effects of refunds do not depend on their order. */
export const refundEvent = (subscription: string): ProviderEvent =>
  event("adjustment.created", START, {
    id: `adj_${randomUUID()}`,
    action: "refund",
    status: "approved",
    transaction_id: `txn_${subscription}`,
    subscription_id: subscription,
  });

export const eventIdOf = ({ body }: ProviderEvent): string => JSON.parse(body).event_id;

/** Signs and sends events over keep-alive connections. `send` returns the body of a 200 and rejects on any other status. */
export const createSender = (url: string, connections: number) => {
  const client = openHttpClient(url, connections);
  const { host } = new URL(url);
  const send = async ({ body }: ProviderEvent): Promise<string> => {
    const ts = Math.floor(Date.now() / 1_000);
    const h1 = createHmac("sha256", SECRET).update(`${ts}:${body}`).digest("hex");
    const { status, text } = await client.send(
      `POST /api/v1/webhooks/provider-a HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\n` +
        `content-length: ${Buffer.byteLength(body)}\r\npaddle-signature: ts=${ts};h1=${h1}\r\n\r\n${body}`,
    );
    if (status !== 200) throw new Error(`${status}: ${text}`);
    return text;
  };
  return { send, close: client.close };
};
