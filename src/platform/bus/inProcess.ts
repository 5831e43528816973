import { createInbox, type Inbox } from "./inbox.ts";
import {
  ACK_WAIT_MS,
  checkPattern,
  checkQueueName,
  checkSubject,
  DUPLICATE_WINDOW_MS,
  fits,
  SUBSCRIPTION_LIMIT,
} from "./names.ts";
import type { Bus, BusMessage, BusSubscription, Job, JobConsumer } from "./port.ts";

/** The bus of a single-process service. Its contents are lost with the process; the dispatcher restores jobs from the log. */
export const inProcessBus = (options: { ackWaitMs?: number } = {}): Bus => {
  const ackWaitMs = options.ackWaitMs ?? ACK_WAIT_MS;
  const subscriptions = new Set<{ pattern: string; inbox: Inbox<BusMessage> }>();
  const queues = new Map<string, WorkQueue>();
  let closed = false;

  const queueOf = (name: string): WorkQueue => {
    if (closed) throw new Error("The bus is closed");
    const queue = queues.get(checkQueueName(name)) ?? workQueue(ackWaitMs);
    queues.set(name, queue);
    return queue;
  };

  return {
    publish: (subject, payload, headers = {}) => {
      checkSubject(subject);
      for (const { pattern, inbox } of subscriptions) {
        if (fits(pattern, subject)) inbox.push({ subject, payload, headers });
      }
    },
    subscribe: (subject): BusSubscription => {
      const entry = {
        pattern: checkPattern(subject),
        inbox: createInbox<BusMessage>(SUBSCRIPTION_LIMIT),
      };
      subscriptions.add(entry);
      return {
        [Symbol.asyncIterator]: () => entry.inbox[Symbol.asyncIterator](),
        close: () => {
          subscriptions.delete(entry);
          entry.inbox.close();
        },
      };
    },
    enqueue: async (queue, id, payload, headers = {}) => {
      queueOf(queue).put({ id, payload, headers, deliveries: 0 });
    },
    consume: async (queue, { capacity }) => queueOf(queue).consume(capacity),
    // The in-process bus has no outages.
    onBack: () => () => undefined,
    ping: async () => {
      if (closed) throw new Error("The bus is closed");
    },
    close: async () => {
      closed = true;
      for (const { inbox } of subscriptions) inbox.close();
      subscriptions.clear();
      for (const queue of queues.values()) queue.close();
      queues.clear();
    },
  };
};

type Entry = {
  readonly id: string;
  readonly payload: string;
  readonly headers: Readonly<Record<string, string>>;
  deliveries: number;
};

type Consumer = { readonly inbox: Inbox<Job>; readonly capacity: number; held: number };

type WorkQueue = {
  put(entry: Entry): void;
  consume(capacity: number): JobConsumer;
  close(): void;
};

const workQueue = (ackWaitMs: number): WorkQueue => {
  const waiting: Entry[] = [];
  const seen = new Map<string, number>();
  const consumers = new Set<Consumer>();
  const timers = new Set<NodeJS.Timeout>();

  const later = (ms: number, action: () => void): NodeJS.Timeout => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      action();
    }, ms);
    timer.unref();
    timers.add(timer);
    return timer;
  };
  const cancel = (timer: NodeJS.Timeout): void => {
    clearTimeout(timer);
    timers.delete(timer);
  };

  const offer = (): void => {
    while (waiting.length > 0) {
      const consumer = [...consumers].find(({ held, capacity }) => held < capacity);
      const entry = consumer && waiting.shift();
      if (!entry) return;
      // Round robin: a job that a consumer returns should go to another one.
      consumers.delete(consumer);
      consumers.add(consumer);
      deliver(entry, consumer);
    }
  };

  const deliver = (entry: Entry, consumer: Consumer): void => {
    let settled = false;
    entry.deliveries += 1;
    consumer.held += 1;
    const settle = (then: () => void): void => {
      if (settled) return;
      settled = true;
      cancel(expiry);
      consumer.held -= 1;
      then();
      offer();
    };
    const giveBack = (): void => {
      waiting.push(entry);
    };
    const expiry = later(ackWaitMs, () => settle(giveBack));
    consumer.inbox.push({
      id: entry.id,
      payload: entry.payload,
      headers: entry.headers,
      deliveries: entry.deliveries,
      ack: async () => settle(() => undefined),
      retryLater: async (delayMs) =>
        settle(() => {
          later(delayMs, () => {
            giveBack();
            offer();
          });
        }),
    });
  };

  const isDuplicate = (id: string): boolean => {
    const now = Date.now();
    for (const [old, at] of seen) {
      if (now - at < DUPLICATE_WINDOW_MS) break;
      seen.delete(old);
    }
    if (seen.has(id)) return true;
    seen.set(id, now);
    return false;
  };

  return {
    put: (entry) => {
      if (isDuplicate(entry.id)) return;
      waiting.push(entry);
      offer();
    },
    consume: (capacity) => {
      const consumer: Consumer = {
        inbox: createInbox(Number.POSITIVE_INFINITY),
        capacity,
        held: 0,
      };
      consumers.add(consumer);
      offer();
      return {
        [Symbol.asyncIterator]: () => consumer.inbox[Symbol.asyncIterator](),
        close: async () => {
          consumers.delete(consumer);
          // Unseen jobs go to another consumer at once.
          await Promise.all(consumer.inbox.close().map((job) => job.retryLater(0)));
        },
      };
    },
    close: () => {
      for (const timer of timers) clearTimeout(timer);
      for (const consumer of consumers) consumer.inbox.close();
      consumers.clear();
    },
  };
};
