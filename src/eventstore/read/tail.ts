import type { StoredEvent } from "../records.ts";

/** The end of the log that is kept in memory for live subscribers; slower subscribers read the database. */
const MAX_EVENTS = 4096;
const MAX_BYTES = 8 * 1024 * 1024;

/**
 * The newest events of the log, without gaps, and a wake-up for waiting subscribers. A subscriber reads
 * after its own position, so it neither misses an event nor receives one twice.
 */
export type Tail = {
  /** The last committed position, 0 when the log is empty. */
  head(): number;
  /** Committed events after `position` in order, or null if not all of them are in memory. */
  after(position: number, limit: number): readonly StoredEvent[] | null;
  /** Adds newly committed events. Throws unless the first one follows the head. */
  push(events: readonly StoredEvent[]): void;
  /** Empties the tail and sets its head to a position read from the database. */
  reset(head: number): void;
  /** Resolves when the head is past `position`, or when `signal` aborts. */
  waitPast(position: number, signal: AbortSignal): Promise<void>;
};

/** Creates an empty tail. Call `reset` with the head of the database before use. */
export const createTail = (): Tail => {
  let events: StoredEvent[] = [];
  let bytes = 0;
  let head = 0;
  let waiters = new Set<() => void>();

  const wake = (): void => {
    const woken = waiters;
    waiters = new Set();
    for (const waiter of woken) waiter();
  };

  return {
    head: () => head,
    after: (position, limit) => {
      if (position >= head) return [];
      const first = events[0]?.position ?? head + 1;
      if (position + 1 < first) return null;
      const start = position + 1 - first;
      return events.slice(start, start + limit);
    },
    push: (added) => {
      for (const event of added) {
        if (event.position !== head + 1) {
          throw new Error(`Position ${event.position} does not follow ${head}`);
        }
        events.push(event);
        bytes += sizeOf(event);
        head = event.position;
      }
      const dropped = excessOf(events, bytes);
      if (dropped.length > 0) {
        events = events.slice(dropped.length);
        bytes -= totalSize(dropped);
      }
      wake();
    },
    reset: (to) => {
      events = [];
      bytes = 0;
      head = to;
      wake();
    },
    waitPast: (position, signal) =>
      new Promise((resolve) => {
        if (head > position || signal.aborted) {
          resolve();
          return;
        }
        const done = (): void => {
          signal.removeEventListener("abort", done);
          waiters.delete(done);
          resolve();
        };
        signal.addEventListener("abort", done);
        waiters.add(done);
      }),
  };
};

/** The oldest events that exceed the limits. Found in blocks: removing single events would be quadratic. */
const excessOf = (events: readonly StoredEvent[], bytes: number): readonly StoredEvent[] => {
  if (events.length <= 2 * MAX_EVENTS && bytes <= 2 * MAX_BYTES) return [];
  let drop = 0;
  let left = bytes;
  for (const event of events) {
    if (events.length - drop <= MAX_EVENTS && left <= MAX_BYTES) break;
    left -= sizeOf(event);
    drop += 1;
  }
  return events.slice(0, drop);
};

const totalSize = (events: readonly StoredEvent[]): number =>
  events.reduce((sum, event) => sum + sizeOf(event), 0);

const sizeOf = (event: StoredEvent): number => event.data.length + event.metadata.length + 200;
