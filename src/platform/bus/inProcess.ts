import { createInbox, type Inbox } from "./inbox.ts";
import {
  ACK_WAIT_MS,
  checkPattern,
  checkQueueName,
  checkSubject,
  fits,
  SUBSCRIPTION_LIMIT,
} from "./names.ts";
import type { Bus, BusMessage, BusSubscription } from "./port.ts";
import {
  closeWorkQueue,
  consumeJobs,
  createWorkQueue,
  putJob,
  type WorkQueue,
} from "./workQueue.ts";

/** The bus of a single-process service. Its contents are lost with the process; the dispatcher restores jobs from the log. */
export const inProcessBus = (options: { ackWaitMs?: number } = {}): Bus => {
  const ackWaitMs = options.ackWaitMs ?? ACK_WAIT_MS;
  const subscriptions = new Set<{ pattern: string; inbox: Inbox<BusMessage> }>();
  const queues = new Map<string, WorkQueue>();
  let closed = false;

  const queueOf = (name: string): WorkQueue => {
    if (closed) throw new Error("The bus is closed");
    const queue = queues.get(checkQueueName(name)) ?? createWorkQueue(ackWaitMs);
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
      putJob(queueOf(queue), { id, payload, headers });
    },
    consume: async (queue, { capacity }) => consumeJobs(queueOf(queue), capacity),
    // The in-process bus has no outages.
    onBack: () => () => undefined,
    ping: async () => {
      if (closed) throw new Error("The bus is closed");
    },
    close: async () => {
      closed = true;
      for (const { inbox } of subscriptions) inbox.close();
      subscriptions.clear();
      for (const queue of queues.values()) closeWorkQueue(queue);
      queues.clear();
    },
  };
};
