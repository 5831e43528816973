import { setTimeout as delay } from "node:timers/promises";
import { connect, type NatsConnection } from "nats";
import { addressOf } from "../credentials.ts";
import type { Logger } from "../logger.ts";
import { type PartHealth, PartUnavailableError, untrackedParts } from "../partHealth.ts";
import { diagnoseSetting, settingError } from "../settingFailure.ts";
import { createInbox } from "./inbox.ts";
import {
  ACK_WAIT_MS,
  checkPattern,
  checkQueueName,
  checkSubject,
  SUBSCRIPTION_LIMIT,
} from "./names.ts";
import { watchConnection } from "./natsConnectionState.ts";
import { toHeaders, toMessage } from "./natsMessages.ts";
import { natsQueues } from "./natsQueues.ts";
import { natsConnection } from "./natsUrl.ts";
import type { Bus, BusMessage, BusSubscription } from "./port.ts";

const CONNECT_PATIENCE_MS = 30_000;
/** One try to connect: a server that hangs takes the connection and says nothing. */
const DIAL_MS = 2_000;
const PING_PATIENCE_MS = 2_000;
/** A server that has left two of these unanswered is gone: within 5 s, also when the network says nothing. */
const HEARTBEAT_MS = 1_500;

/**
 * The bus of a service of many processes, on NATS 2.9 or newer with JetStream. Reconnects for ever;
 * streams and consumers are made when missing, also when the server has lost them since.
 * Rejects when no server answers in time (30 s), when it refuses us, and when JetStream is off.
 */
export const natsBus = async (options: {
  url: string;
  logger?: Logger;
  parts?: PartHealth;
  ackWaitMs?: number;
  /** How long the first connection is waited for. */
  patienceMs?: number;
}): Promise<Bus> => {
  const parts = options.parts ?? untrackedParts;
  const connection = await connectPatiently(
    options.url,
    options.patienceMs ?? CONNECT_PATIENCE_MS,
    options.logger,
  );
  const line = watchConnection(connection, parts);
  const queues = await natsQueues({
    connection,
    ackWaitMs: options.ackWaitMs ?? ACK_WAIT_MS,
    line,
    ...(options.logger ? { logger: options.logger } : {}),
  }).catch(async (error: unknown) => {
    await connection.close();
    throw error;
  });

  return {
    publish: (subject, payload, headers = {}) => {
      checkSubject(subject);
      // What is published to nobody is lost by contract; kept for later it would only pile up.
      if (!line.isUp()) return;
      connection.publish(subject, payload, { headers: toHeaders(headers) });
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
    enqueue: async (queue, id, payload, headers = {}) => {
      checkQueueName(queue);
      await queues.enqueue(queue, id, payload, toHeaders(headers)).catch((error: unknown) => {
        throw new PartUnavailableError("bus", "does not take work", error);
      });
    },
    consume: async (queue, { capacity }) => queues.consume(checkQueueName(queue), capacity),
    onBack: line.onBack,
    ping: async () => {
      if (connection.isClosed()) throw new Error("The bus is closed");
      if (!line.isUp()) throw new PartUnavailableError("bus", "cannot be reached");
      const late = delay(PING_PATIENCE_MS, "late", { ref: false });
      if ((await Promise.race([connection.flush(), late])) === "late") {
        throw new PartUnavailableError("bus", "does not answer");
      }
    },
    close: async () => {
      await queues.close();
      if (!connection.isClosed()) await connection.close();
    },
  };
};

const connectPatiently = async (
  url: string,
  patienceMs: number,
  logger: Logger | undefined,
): Promise<NatsConnection> => {
  const deadline = Date.now() + patienceMs;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await connect({
        ...natsConnection(url),
        name: "runledger",
        maxReconnectAttempts: -1,
        // A server that is being set up anew may refuse us for a while: that must not be for ever.
        ignoreAuthErrorAbort: true,
        reconnectTimeWait: 250,
        reconnectJitter: 100,
        pingInterval: HEARTBEAT_MS,
        maxPingOut: 2,
        timeout: DIAL_MS,
      });
    } catch (cause) {
      const trouble = diagnoseSetting("NATS_URL", addressOf(url), cause);
      const mayPass = trouble.kind === "absent" || trouble.kind === "unclear";
      if (!mayPass || Date.now() > deadline) {
        throw settingError("NATS_URL", addressOf(url), cause, trouble);
      }
      if (attempt === 1) {
        logger?.warn({ setting: "NATS_URL", why: trouble.why }, "waiting for NATS");
      }
      await delay(250);
    }
  }
};
