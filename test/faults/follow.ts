import { setTimeout as delay } from "node:timers/promises";
import type { EventLog, LogSubscription, RecordedEvent } from "../../src/platform/eventLog/port.ts";

/** A reader that has followed the log from its beginning and remembers every event. */
export type Follower = {
  readonly events: readonly RecordedEvent[];
  stop(): Promise<void>;
};

const AGAIN_MS = 100;

/** Reads along in a log, again from where it was whenever the log was away. */
export const follow = (log: EventLog): Follower => {
  const events: RecordedEvent[] = [];
  let subscription: LogSubscription | null = null;
  let isStopping = false;
  const read = async (): Promise<void> => {
    while (!isStopping) {
      try {
        subscription = log.subscribeAll({ after: events.at(-1)?.position ?? null });
        for await (const event of subscription) events.push(event);
      } catch {
        // It is away, and comes back.
      }
      if (!isStopping) await delay(AGAIN_MS);
    }
  };
  const reading = read();
  return {
    events,
    stop: async () => {
      isStopping = true;
      await subscription?.close();
      await reading;
    },
  };
};

/** The first difference between a fresh read of the log and the followed events; null if there is none. */
export const rewritten = (
  shown: readonly RecordedEvent[],
  events: readonly RecordedEvent[],
): string | null => {
  for (const [index, { id, position, stream, revision }] of shown.entries()) {
    const now = events[index];
    if (now?.id === id && now.position === position && now.revision === revision) continue;
    const there = now ? `${now.id} of ${now.stream}` : "nothing";
    return `position ${position} was ${id}, revision ${revision} of ${stream}, and now there is ${there}`;
  }
  return null;
};
