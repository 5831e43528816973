import { headers as createHeaders, type Msg, type MsgHdrs, type NatsConnection, nanos } from "nats";
import type { BusMessage, Job } from "./port.ts";

const ACK_MS = 5_000;

export const toHeaders = (record: Readonly<Record<string, string>>): MsgHdrs => {
  const result = createHeaders();
  for (const [name, value] of Object.entries(record)) result.set(name, value);
  return result;
};

export const toMessage = (message: Msg): BusMessage => ({
  subject: message.subject,
  payload: message.string(),
  headers: fromHeaders(message.headers),
});

/** Converts a JetStream delivery to a job. `release` is called once, after it was acknowledged or returned. */
export const toJob = (connection: NatsConnection, message: Msg, release: () => void): Job => ({
  id: message.headers?.get("Nats-Msg-Id") ?? "",
  payload: message.string(),
  headers: fromHeaders(message.headers),
  deliveries: deliveriesOf(message.reply ?? ""),
  ack: async () => {
    try {
      // Acknowledged with a response: a lost acknowledgement would deliver the job again.
      await connection.request(message.reply ?? "", "+ACK", { timeout: ACK_MS });
    } finally {
      release();
    }
  },
  retryLater: async (delayMs) => {
    message.respond(delayMs > 0 ? `-NAK {"delay": ${nanos(delayMs)}}` : "-NAK");
    release();
  },
});

/** Without the headers of NATS itself (`Nats-…`). */
const fromHeaders = (headers: MsgHdrs | undefined): Record<string, string> => {
  const result: Record<string, string> = {};
  for (const [name, values] of headers ?? []) {
    if (!name.startsWith("Nats-")) result[name] = values[0] ?? "";
  }
  return result;
};

/** The number of deliveries in the reply subject `$JS.ACK.<stream>.<consumer>.<deliveries>.…`. Newer servers add domain and account before the stream. */
const deliveriesOf = (reply: string): number => {
  const tokens = reply.split(".");
  return Number(tokens.length === 9 ? tokens[4] : tokens[6]);
};
