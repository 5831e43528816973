import { createHmac, randomUUID } from "node:crypto";
import { openWires } from "../harness/httpClient.ts";

const SECRET = "pdl_ntfset_a_secret_for_benches";

/** What a service is told so that it takes provider A's events. */
export const webhookSettings = {
  PROVIDER_A_WEBHOOK_SECRET: SECRET,
  PROVIDER_A_PRICES: JSON.stringify({
    pri_starter: { plan: "starter", interval: "month" },
    pri_team: { plan: "team", interval: "month" },
  }),
} as const;

/** An event of a provider as it is sent, signed when it is. */
export type Told = { readonly body: string };

const event = (type: string, at: number, data: object): Told => ({
  body: JSON.stringify({
    event_id: `evt_${randomUUID()}`,
    event_type: type,
    occurred_at: new Date(at).toISOString(),
    data,
  }),
});

const START = Date.parse("2026-01-01T00:00:00Z");
const period = { starts_at: "2026-01-01T00:00:00Z", ends_at: "2036-02-01T00:00:00Z" };

/** That a change was paid: the first of a subscription. */
export const bought = (subscription: string, changeId: string): Told =>
  event("transaction.completed", START, {
    id: `txn_${subscription}`,
    subscription_id: subscription,
    origin: "web",
    custom_data: { plan_change_request_id: changeId },
    items: [{ price: { id: "pri_starter" }, quantity: 1 }],
    billing_period: period,
  });

/** The nth change of a subscription's tier: to and fro, so that each has an effect. */
export const changed = (subscription: string, nth: number): Told =>
  event("subscription.updated", START + nth * 1_000, {
    id: subscription,
    status: "active",
    custom_data: null,
    items: [{ price: { id: nth % 2 === 0 ? "pri_starter" : "pri_team" }, quantity: 1 }],
    current_billing_period: period,
  });

/** That money of a subscription went back, in some part: each is noted by itself, in whatever order they come. */
export const refunded = (subscription: string): Told =>
  event("adjustment.created", START, {
    id: `adj_${randomUUID()}`,
    action: "refund",
    status: "approved",
    transaction_id: `txn_${subscription}`,
    subscription_id: subscription,
  });

/** The event's own id. */
export const idOf = ({ body }: Told): string => JSON.parse(body).event_id;

/** Sends events over connections that stay open. Answers what the service answers: the text of a 200. */
export const createSender = (url: string, connections: number) => {
  const wires = openWires(url, connections);
  const { host } = new URL(url);
  const send = async ({ body }: Told): Promise<string> => {
    const ts = Math.floor(Date.now() / 1_000);
    const h1 = createHmac("sha256", SECRET).update(`${ts}:${body}`).digest("hex");
    const { status, text } = await wires.ask(
      `POST /api/v1/webhooks/provider-a HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\n` +
        `content-length: ${Buffer.byteLength(body)}\r\npaddle-signature: ts=${ts};h1=${h1}\r\n\r\n${body}`,
    );
    if (status !== 200) throw new Error(`${status}: ${text}`);
    return text;
  };
  return { send, close: wires.close };
};
