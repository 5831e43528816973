import { setTimeout as delay } from "node:timers/promises";
import {
  AckPolicy,
  type JetStreamManager,
  type MsgHdrs,
  type NatsConnection,
  NatsError,
  nanos,
  RetentionPolicy,
  StorageType,
} from "nats";
import type { Logger } from "../logger.ts";
import { SettingError } from "../settingError.ts";
import { DUPLICATE_WINDOW_MS } from "./names.ts";
import type { ConnectionState } from "./natsConnectionState.ts";
import { pullConsumer } from "./natsConsumer.ts";
import type { JobConsumer } from "./port.ts";

/** How long one request to JetStream is waited for: one that a server took to its grave is asked again. */
const REQUEST_MS = 2_000;
const ENQUEUE_ATTEMPTS = 5;
const OPEN_ATTEMPTS = 5;
const CONSUMER = "workers";

export type NatsQueues = {
  enqueue(queue: string, id: string, payload: string, headers: MsgHdrs): Promise<void>;
  consume(queue: string, capacity: number): Promise<JobConsumer>;
  close(): Promise<void>;
};

/** Work queues on JetStream: a stream of retention `workqueue` and one durable pull consumer for each. Rejects when JetStream is off. */
export const natsQueues = async (deps: {
  readonly connection: NatsConnection;
  readonly ackWaitMs: number;
  readonly line: ConnectionState;
  readonly logger?: Logger;
}): Promise<NatsQueues> => {
  const { connection, ackWaitMs, line, logger } = deps;
  const manager = await openManager(connection);
  const jetstream = connection.jetstream();
  const consumers = new Set<JobConsumer>();

  const enqueue: NatsQueues["enqueue"] = async (queue, id, payload, headers) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await jetstream.publish(subjectOf(queue), payload, {
          msgID: id,
          headers,
          timeout: REQUEST_MS,
        });
        return;
      } catch (error) {
        if (attempt === ENQUEUE_ATTEMPTS || connection.isClosed()) throw error;
        // The id makes a repeat harmless; the stream may be missing, from the start or since the server lost it.
        await ensureQueue(manager, queue, ackWaitMs).catch(() => delay(200 * attempt));
      }
    }
  };

  const consume: NatsQueues["consume"] = async (queue, capacity) => {
    // While the server is away there is nothing to make: the consumer does it when it is back.
    await ensureQueue(manager, queue, ackWaitMs).catch((error: unknown) => {
      logger?.warn({ err: error, queue }, "the work queue cannot be reached yet");
    });
    const consumer = pullConsumer({
      connection,
      requestSubject: `$JS.API.CONSUMER.MSG.NEXT.${streamOf(queue)}.${CONSUMER}`,
      capacity,
      ackWaitMs,
      line,
      repair: () => ensureQueue(manager, queue, ackWaitMs),
      ...(logger ? { logger } : {}),
    });
    consumers.add(consumer);
    return {
      [Symbol.asyncIterator]: () => consumer[Symbol.asyncIterator](),
      close: async () => {
        consumers.delete(consumer);
        await consumer.close();
      },
    };
  };

  return {
    enqueue,
    consume,
    close: async () => {
      await Promise.all([...consumers].map((consumer) => consumer.close()));
      consumers.clear();
    },
  };
};

/** JetStream comes up a moment after its server: one that does not answer yet is asked again. */
const openManager = async (connection: NatsConnection): Promise<JetStreamManager> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await connection.jetstreamManager({ timeout: REQUEST_MS });
    } catch (cause) {
      if (attempt === OPEN_ATTEMPTS)
        throw new SettingError(
          "The NATS server at NATS_URL does not answer as JetStream: start it with `-js`.",
          cause,
        );
      await delay(200 * attempt);
    }
  }
};

const streamOf = (queue: string): string => `WORK_${queue}`;
const subjectOf = (queue: string): string => `work.${queue}`;

const ensureQueue = async (
  manager: JetStreamManager,
  queue: string,
  ackWaitMs: number,
): Promise<void> => {
  const stream = streamOf(queue);
  await unlessThere(
    () => manager.streams.info(stream),
    () =>
      manager.streams.add({
        name: stream,
        subjects: [subjectOf(queue)],
        retention: RetentionPolicy.Workqueue,
        storage: StorageType.File,
        duplicate_window: nanos(DUPLICATE_WINDOW_MS),
      }),
  );
  await unlessThere(
    () => manager.consumers.info(stream, CONSUMER),
    () =>
      manager.consumers.add(stream, {
        durable_name: CONSUMER,
        ack_policy: AckPolicy.Explicit,
        ack_wait: nanos(ackWaitMs),
        max_ack_pending: 10_000,
      }),
  );
};

const unlessThere = async (
  look: () => Promise<unknown>,
  make: () => Promise<unknown>,
): Promise<void> => {
  try {
    await look();
  } catch (error) {
    if (!(error instanceof NatsError) || error.api_error?.code !== 404) throw error;
    // Another process may make it at this moment: then it is there.
    await make().catch(async (failure: unknown) => {
      await look().catch(() => {
        throw failure;
      });
    });
  }
};
