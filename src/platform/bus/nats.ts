import { setTimeout as delay } from "node:timers/promises";
import { connect, type NatsConnection } from "nats";
import { withoutCredentials } from "../credentials.ts";
import type { Logger } from "../logger.ts";
import { createInbox } from "./inbox.ts";
import {
  ACK_WAIT_MS,
  checkPattern,
  checkQueueName,
  checkSubject,
  SUBSCRIPTION_LIMIT,
} from "./names.ts";
import { toHeaders, toMessage } from "./natsMessages.ts";
import { natsQueues } from "./natsQueues.ts";
import type { Bus, BusMessage, BusSubscription } from "./port.ts";

const CONNECT_PATIENCE_MS = 10_000;
const PING_PATIENCE_MS = 2_000;

/**
 * The bus of a service of many processes, on NATS 2.9 or newer with JetStream. Reconnects for ever;
 * streams and consumers are made when missing, also when the server has lost them since.
 * Rejects when no server answers in time (10 s), or when JetStream is off.
 */
export const natsBus = async (options: {
  url: string;
  logger?: Logger;
  ackWaitMs?: number;
  /** How long the first connection is waited for. */
  patienceMs?: number;
}): Promise<Bus> => {
  const connection = await connectPatiently(options.url, options.patienceMs ?? CONNECT_PATIENCE_MS);
  watchStatus(connection, options.logger);
  const queues = await natsQueues(
    connection,
    options.ackWaitMs ?? ACK_WAIT_MS,
    options.logger,
  ).catch(async (error: unknown) => {
    await connection.close();
    throw error;
  });

  return {
    publish: (subject, payload, headers = {}) => {
      connection.publish(checkSubject(subject), payload, { headers: toHeaders(headers) });
    },
    subscribe: (subject): BusSubscription => {
      const inbox = createInbox<BusMessage>(SUBSCRIPTION_LIMIT);
      const subscription = connection.subscribe(checkPattern(subject), {
        callback: (error, message) => {
          if (error) options.logger?.warn({ err: error, subject }, "a NATS subscription failed");
          else inbox.push(toMessage(message));
        },
      });
      return {
        [Symbol.asyncIterator]: () => inbox[Symbol.asyncIterator](),
        close: () => {
          subscription.unsubscribe();
          inbox.close();
        },
      };
    },
    enqueue: async (queue, id, payload, headers = {}) =>
      queues.enqueue(checkQueueName(queue), id, payload, toHeaders(headers)),
    consume: async (queue, { capacity }) => queues.consume(checkQueueName(queue), capacity),
    ping: async () => {
      if (connection.isClosed()) throw new Error("The bus is closed");
      const late = delay(PING_PATIENCE_MS, "late", { ref: false });
      if ((await Promise.race([connection.flush(), late])) === "late") {
        throw new Error("NATS does not answer");
      }
    },
    close: async () => {
      await queues.close();
      if (!connection.isClosed()) await connection.close();
    },
  };
};

const connectPatiently = async (url: string, patienceMs: number): Promise<NatsConnection> => {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    try {
      return await connect({
        servers: url.split(",").map((server) => server.trim()),
        name: "runledger",
        maxReconnectAttempts: -1,
        reconnectTimeWait: 250,
        reconnectJitter: 100,
        pingInterval: 20_000,
        timeout: 5_000,
      });
    } catch (cause) {
      if (Date.now() > deadline) {
        throw new Error(
          `No NATS server answers at NATS_URL (${withoutCredentials(url)}). Start one (\`nats-server -js\`), or unset NATS_URL for the bus inside the process.`,
          { cause },
        );
      }
      await delay(250);
    }
  }
};

const watchStatus = (connection: NatsConnection, logger: Logger | undefined): void => {
  const watch = async (): Promise<void> => {
    for await (const { type } of connection.status()) {
      if (type === "disconnect") logger?.warn("NATS is gone: connecting again until it is back");
      if (type === "reconnect") logger?.info("NATS is back");
    }
  };
  void watch();
};
