import { setTimeout as delay } from "node:timers/promises";
import { connect, type NatsConnection } from "nats";
import { addressOf } from "../credentials.ts";
import type { Logger } from "../logger.ts";
import { type PartHealth, PartUnavailableError, untrackedParts } from "../partHealth.ts";
import { diagnoseSetting, settingError } from "../settingFailure.ts";
import { within } from "../within.ts";
import { createInbox } from "./inbox.ts";
import {
  ACK_WAIT_MS,
  checkPattern,
  checkQueueName,
  checkSubject,
  SUBSCRIPTION_LIMIT,
} from "./names.ts";
import { type ConnectionState, watchConnection } from "./natsConnectionState.ts";
import { toHeaders, toMessage } from "./natsMessages.ts";
import { natsQueues } from "./natsQueues.ts";
import { natsConnection } from "./natsUrl.ts";
import type { Bus, BusMessage, BusSubscription } from "./port.ts";

/** The default time limit of the first connection. */
const CONNECT_MS = 30_000;
/** The time limit of one attempt to connect: a hanging server accepts the connection and sends nothing. */
const DIAL_MS = 2_000;
const PING_MS = 2_000;
/** Two unanswered pings in a row mean a lost connection: detected within 5 s. */
const HEARTBEAT_MS = 1_500;

/**
 * The bus of a multi-process service, on NATS 2.9 or newer with JetStream. It reconnects without a limit, and
 * creates missing streams and consumers, also if the server has lost them.
 * Rejects with SettingError if no server answers in time (30 s), the server refuses the user, or JetStream is disabled.
 */
export const natsBus = async (options: {
  url: string;
  logger?: Logger;
  parts?: PartHealth;
  ackWaitMs?: number;
  /** The time limit of the first connection. */
  patienceMs?: number;
}): Promise<Bus> => {
  const parts = options.parts ?? untrackedParts;
  const connection = await connectWithRetries(
    options.url,
    options.patienceMs ?? CONNECT_MS,
    options.logger,
  );
  const state = watchConnection(connection, parts);
  const queues = await natsQueues({
    connection,
    ackWaitMs: options.ackWaitMs ?? ACK_WAIT_MS,
    state,
    ...(options.logger ? { logger: options.logger } : {}),
  }).catch(async (error: unknown) => {
    await connection.close();
    throw error;
  });

  return {
    publish: (subject, payload, headers = {}) => {
      checkSubject(subject);
      // Messages of an outage may be lost: a buffer would only grow.
      if (!state.isUp()) return;
      connection.publish(subject, payload, { headers: toHeaders(headers) });
    },
    subscribe: (subject) => subscribe(connection, subject, options.logger),
    enqueue: async (queue, id, payload, headers = {}) => {
      checkQueueName(queue);
      await queues.enqueue(queue, id, payload, toHeaders(headers)).catch((error: unknown) => {
        throw new PartUnavailableError("bus", "does not take work", error);
      });
    },
    consume: async (queue, { capacity }) => queues.consume(checkQueueName(queue), capacity),
    onBack: state.onBack,
    ping: () => ping(connection, state),
    close: async () => {
      await queues.close();
      if (!connection.isClosed()) await connection.close();
    },
  };
};

const subscribe = (
  connection: NatsConnection,
  subject: string,
  logger: Logger | undefined,
): BusSubscription => {
  const inbox = createInbox<BusMessage>(SUBSCRIPTION_LIMIT);
  const subscription = connection.subscribe(checkPattern(subject), {
    callback: (error, message) => {
      if (error) logger?.warn({ err: error, subject }, "a NATS subscription failed");
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
};

const ping = async (connection: NatsConnection, state: ConnectionState): Promise<void> => {
  if (connection.isClosed()) throw new Error("The bus is closed");
  if (!state.isUp()) throw new PartUnavailableError("bus", "cannot be reached");
  await within(connection.flush(), PING_MS, () => {
    throw new PartUnavailableError("bus", "does not answer");
  });
};

const connectWithRetries = async (
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
        // A server that is being reconfigured may refuse the user temporarily.
        ignoreAuthErrorAbort: true,
        reconnectTimeWait: 250,
        reconnectJitter: 100,
        pingInterval: HEARTBEAT_MS,
        maxPingOut: 2,
        timeout: DIAL_MS,
      });
    } catch (cause) {
      const failure = diagnoseSetting("NATS_URL", addressOf(url), cause);
      const isTemporary = failure.kind === "absent" || failure.kind === "unclear";
      if (!isTemporary || Date.now() > deadline) {
        throw settingError("NATS_URL", addressOf(url), cause, failure);
      }
      if (attempt === 1) {
        logger?.warn({ setting: "NATS_URL", why: failure.why }, "waiting for NATS");
      }
      await delay(250);
    }
  }
};
