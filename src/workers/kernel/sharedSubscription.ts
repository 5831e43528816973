import { LogUnavailableError } from "../../platform/eventLog/errors.ts";
import type { EventLog, LogSubscription, RecordedEvent } from "../../platform/eventLog/port.ts";

/** The number of newest events in memory. A subscriber further behind uses its own subscription. */
const KEPT = 256;
/** Subscribers are woken once for events that arrive together, at the latest after this many. */
const WAKE_EVERY = 64;

/** The newest events, from one subscription for all subscribers. */
type Tail = {
  /** The position of the event before the first one in memory, and of the last one. */
  before: bigint;
  last: bigint;
  events: RecordedEvent[];
  /** The number of dropped events, which is the index of the first one in memory. */
  first: number;
  /** Why the subscription ended; null while it is open. */
  failure: { readonly error: unknown } | null;
  waiting: (() => void)[];
  /** Events that arrived since subscribers were last woken. */
  unreported: number;
  subscription: LogSubscription | null;
  /** Resolves when the start of the tail is known, or the subscription failed. */
  readonly begun: Promise<void>;
};

/** The tail and the number of open subscriptions. */
type Shared = { readonly log: EventLog; tail: Tail | null; subscribers: number };

/** Below every position. */
const NOWHERE = -1n;

/**
 * An event log whose subscriptions share one subscription of `log` after they have caught up, so that new
 * events are transferred and decoded once per process. Every subscriber still gets each event once and in
 * order; one that is behind uses its own subscription until it has caught up.
 */
export const shareSubscription = (log: EventLog): EventLog => {
  const shared: Shared = { log, tail: null, subscribers: 0 };
  return { ...log, subscribeAll: ({ after }) => subscribe(shared, after) };
};

const enter = (shared: Shared): void => {
  shared.subscribers += 1;
  if (shared.tail) return;
  let begin: () => void = () => {};
  const tail: Tail = {
    before: NOWHERE,
    // Covers no position until its start is known.
    last: NOWHERE - 1n,
    events: [],
    first: 0,
    failure: null,
    waiting: [],
    unreported: 0,
    subscription: null,
    begun: new Promise((resolve) => {
      begin = resolve;
    }),
  };
  shared.tail = tail;
  void fill(shared, tail, begin);
};

const leave = (shared: Shared): void => {
  shared.subscribers -= 1;
  if (shared.subscribers > 0) return;
  const { tail } = shared;
  shared.tail = null;
  void tail?.subscription?.close();
};

/** Adds events to a tail until its subscription ends. */
const fill = async (shared: Shared, tail: Tail, begin: () => void): Promise<void> => {
  try {
    const head = (await shared.log.head()) ?? NOWHERE;
    tail.before = head;
    tail.last = head;
    begin();
    if (shared.tail !== tail) return;
    tail.subscription = shared.log.subscribeAll({ after: head === NOWHERE ? null : head });
    for await (const event of tail.subscription) {
      tail.events.push(event);
      tail.last = event.position;
      if (tail.events.length > KEPT) {
        tail.before = tail.events.shift()?.position ?? tail.before;
        tail.first += 1;
      }
      tail.unreported += 1;
      if (tail.unreported >= WAKE_EVERY) wake(tail);
      else if (tail.unreported === 1) setImmediate(wake, tail);
    }
    // The client was replaced: subscribers must not wait for more events.
    if (shared.tail === tail) tail.failure = { error: subscriptionEnded() };
  } catch (error) {
    tail.failure = { error };
    begin();
  }
  if (shared.tail === tail) shared.tail = null;
  wake(tail);
};

const wake = (tail: Tail): void => {
  const { waiting } = tail;
  tail.waiting = [];
  tail.unreported = 0;
  for (const each of waiting) each();
};

const covers = (tail: Tail, position: bigint): boolean =>
  tail.failure === null && position >= tail.before && position <= tail.last;

const subscriptionEnded = (): LogUnavailableError =>
  new LogUnavailableError(new Error("The subscription to the log ended"));

/** One subscriber. */
type Subscriber = {
  /** Its own subscription while it is behind the tail. */
  own: LogSubscription | null;
  /** The tail that it follows after it has caught up. */
  following: Tail | null;
  /** The index of the next event of that tail. */
  next: number;
  /** The position of its last event. */
  last: bigint;
  isClosed: boolean;
};

const subscribe = (shared: Shared, after: bigint | null): LogSubscription => {
  const subscriber: Subscriber = {
    own: null,
    following: null,
    next: 0,
    last: after ?? NOWHERE,
    isClosed: false,
  };
  enter(shared);
  return {
    [Symbol.asyncIterator]: () => {
      const events = readEvents(shared, subscriber);
      return {
        // Events in memory bypass the generators, which would double the cost of an event.
        next: () => {
          const { following, isClosed } = subscriber;
          const event = isClosed || !following ? undefined : take(subscriber, following);
          return event ? Promise.resolve({ value: event, done: false }) : events.next();
        },
        return: () => events.return(undefined),
      };
    },
    close: () => close(shared, subscriber),
  };
};

const close = async (shared: Shared, subscriber: Subscriber): Promise<void> => {
  if (subscriber.isClosed) return;
  subscriber.isClosed = true;
  leave(shared);
  if (subscriber.following) wake(subscriber.following);
  await subscriber.own?.close();
};

/** Takes the next event of the tail; undefined if it is not there yet or was dropped. */
const take = (subscriber: Subscriber, tail: Tail): RecordedEvent | undefined => {
  const { next } = subscriber;
  const event = next < tail.first ? undefined : tail.events[next - tail.first];
  if (event === undefined) return undefined;
  subscriber.next = next + 1;
  subscriber.last = event.position;
  return event;
};

async function* readEvents(shared: Shared, subscriber: Subscriber): AsyncGenerator<RecordedEvent> {
  try {
    await shared.tail?.begun;
    while (!subscriber.isClosed) {
      const { tail } = shared;
      subscriber.following = tail && covers(tail, subscriber.last) ? tail : null;
      if (subscriber.following) {
        yield* follow(subscriber, subscriber.following);
        continue;
      }
      // Not a generator of its own: delegation would add a promise per event.
      const after = subscriber.last === NOWHERE ? null : subscriber.last;
      subscriber.own = shared.log.subscribeAll({ after });
      for await (const event of subscriber.own) {
        subscriber.last = event.position;
        yield event;
        if (subscriber.isClosed || (shared.tail && covers(shared.tail, subscriber.last))) break;
      }
      await subscriber.own.close();
      subscriber.own = null;
    }
  } finally {
    await close(shared, subscriber);
  }
}

/** Returns events of the tail until the subscriber has fallen behind it. Rejects if its subscription fails. */
async function* follow(subscriber: Subscriber, tail: Tail): AsyncGenerator<RecordedEvent> {
  const at = tail.events.findIndex(({ position }) => position > subscriber.last);
  subscriber.next = tail.first + (at < 0 ? tail.events.length : at);
  while (!subscriber.isClosed && subscriber.next >= tail.first) {
    const event = take(subscriber, tail);
    if (event) yield event;
    else if (tail.failure) throw tail.failure.error;
    else await new Promise<void>((resolve) => tail.waiting.push(resolve));
  }
}
