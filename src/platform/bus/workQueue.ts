import { createInbox, type Inbox } from "./inbox.ts";
import { DUPLICATE_WINDOW_MS } from "./names.ts";
import type { Job, JobConsumer } from "./port.ts";

type Entry = {
  readonly id: string;
  readonly payload: string;
  readonly headers: Readonly<Record<string, string>>;
  deliveries: number;
};

type Consumer = { readonly inbox: Inbox<Job>; readonly capacity: number; held: number };

/** A work queue of the in-process bus. */
export type WorkQueue = {
  readonly ackWaitMs: number;
  readonly waiting: Entry[];
  /** Times of the recent jobs by id, oldest first. */
  readonly seen: Map<string, number>;
  /** In the order of their turns. */
  readonly consumers: Set<Consumer>;
  readonly timers: Set<NodeJS.Timeout>;
};

/** `ackWaitMs`: the time after which an unacknowledged job is delivered again. */
export const createWorkQueue = (ackWaitMs: number): WorkQueue => ({
  ackWaitMs,
  waiting: [],
  seen: new Map(),
  consumers: new Set(),
  timers: new Set(),
});

/** Adds a job. A job with the id of a recent one is dropped. */
export const putJob = (queue: WorkQueue, job: Omit<Entry, "deliveries">): void => {
  if (isDuplicate(queue.seen, job.id)) return;
  queue.waiting.push({ ...job, deliveries: 0 });
  offer(queue);
};

/** Adds a consumer that holds at most `capacity` jobs. */
export const consumeJobs = (queue: WorkQueue, capacity: number): JobConsumer => {
  const inbox = createInbox<Job>(Number.POSITIVE_INFINITY);
  const consumer: Consumer = { inbox, capacity, held: 0 };
  queue.consumers.add(consumer);
  offer(queue);
  return {
    [Symbol.asyncIterator]: () => inbox[Symbol.asyncIterator](),
    close: async () => {
      queue.consumers.delete(consumer);
      // Unseen jobs go to another consumer at once.
      await Promise.all(inbox.close().map((job) => job.retryLater(0)));
    },
  };
};

export const closeWorkQueue = ({ timers, consumers }: WorkQueue): void => {
  for (const timer of timers) clearTimeout(timer);
  for (const consumer of consumers) consumer.inbox.close();
  consumers.clear();
};

const offer = (queue: WorkQueue): void => {
  const { waiting, consumers } = queue;
  while (waiting.length > 0) {
    const consumer = [...consumers].find(({ held, capacity }) => held < capacity);
    const entry = consumer && waiting.shift();
    if (!entry) return;
    // Round robin: a job that a consumer returns should go to another one.
    consumers.delete(consumer);
    consumers.add(consumer);
    deliver(queue, entry, consumer);
  }
};

const deliver = (queue: WorkQueue, entry: Entry, consumer: Consumer): void => {
  let settled = false;
  entry.deliveries += 1;
  consumer.held += 1;
  const settle = (then: () => void): void => {
    if (settled) return;
    settled = true;
    cancel(queue, expiry);
    consumer.held -= 1;
    then();
    offer(queue);
  };
  const giveBack = (): void => {
    queue.waiting.push(entry);
  };
  const expiry = later(queue, queue.ackWaitMs, () => settle(giveBack));
  consumer.inbox.push({
    id: entry.id,
    payload: entry.payload,
    headers: entry.headers,
    deliveries: entry.deliveries,
    ack: async () => settle(() => undefined),
    retryLater: async (delayMs) =>
      settle(() => {
        later(queue, delayMs, () => {
          giveBack();
          offer(queue);
        });
      }),
  });
};

const isDuplicate = (seen: Map<string, number>, id: string): boolean => {
  const now = Date.now();
  for (const [old, at] of seen) {
    if (now - at < DUPLICATE_WINDOW_MS) break;
    seen.delete(old);
  }
  if (seen.has(id)) return true;
  seen.set(id, now);
  return false;
};

const later = ({ timers }: WorkQueue, ms: number, action: () => void): NodeJS.Timeout => {
  const timer = setTimeout(() => {
    timers.delete(timer);
    action();
  }, ms);
  timer.unref();
  timers.add(timer);
  return timer;
};

const cancel = ({ timers }: WorkQueue, timer: NodeJS.Timeout): void => {
  clearTimeout(timer);
  timers.delete(timer);
};
