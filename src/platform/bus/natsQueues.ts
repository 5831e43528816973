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

/** The time limit of a request to JetStream. */
const REQUEST_MS = 2_000;
const ENQUEUE_ATTEMPTS = 5;
const OPEN_ATTEMPTS = 5;
const CONSUMER = "workers";

export type NatsQueues = {
  enqueue(queue: string, id: string, payload: string, headers: MsgHdrs): Promise<void>;
  consume(queue: string, capacity: number): Promise<JobConsumer>;
  close(): Promise<void>;
};

/** Work queues on JetStream: a stream with `workqueue` retention and a durable pull consumer each. Rejects with SettingError if JetStream is disabled. */
export const natsQueues = async (deps: {
  readonly connection: NatsConnection;
  readonly ackWaitMs: number;
  readonly state: ConnectionState;
  readonly logger?: Logger;
}): Promise<NatsQueues> => {
  const { connection, ackWaitMs, state, logger } = deps;
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
        // Repetitions are deduplicated by id. The stream may be missing.
        await ensureQueue(manager, queue, ackWaitMs).catch(() => delay(200 * attempt));
      }
    }
  };

  const consume: NatsQueues["consume"] = async (queue, capacity) => {
    // If the server is unavailable, the consumer creates the queue after the reconnection.
    await ensureQueue(manager, queue, ackWaitMs).catch((error: unknown) => {
      logger?.warn({ err: error, queue }, "the work queue cannot be reached yet");
    });
    const consumer = pullConsumer({
      connection,
      requestSubject: `$JS.API.CONSUMER.MSG.NEXT.${streamOf(queue)}.${CONSUMER}`,
      capacity,
      ackWaitMs,
      state,
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

/** JetStream starts later than its server: retry. */
const openManager = async (connection: NatsConnection): Promise<JetStreamManager> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await connection.jetstreamManager({ timeout: REQUEST_MS });
    } catch (cause) {
      if (attempt === OPEN_ATTEMPTS)
        throw new SettingError(
          "The NATS server at NATS_URL has no JetStream: start it with `-js`.",
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
  await createUnlessExists(
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
  await createUnlessExists(
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

const createUnlessExists = async (
  look: () => Promise<unknown>,
  make: () => Promise<unknown>,
): Promise<void> => {
  try {
    await look();
  } catch (error) {
    if (!(error instanceof NatsError) || error.api_error?.code !== 404) throw error;
    // Another process may have created it concurrently.
    await make().catch(async (failure: unknown) => {
      await look().catch(() => {
        throw failure;
      });
    });
  }
};
