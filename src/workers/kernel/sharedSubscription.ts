import { LogUnavailableError } from "../../platform/eventLog/errors.ts";
import type { EventLog, LogSubscription, RecordedEvent } from "../../platform/eventLog/port.ts";

/** How many of the newest events are kept for those who follow: who falls further behind reads by itself for a while. */
const KEPT = 256;
/** Who follows hears of events that come in one go together: so many wait for that at most. */
const TOLD_TOGETHER = 64;

/** The newest events, which one subscription brings for all. */
type Tail = {
  /** Of the event before the first that is kept, and of the last. */
  before: bigint;
  last: bigint;
  events: RecordedEvent[];
  /** How many have been dropped: the number of the first that is kept. */
  first: number;
  /** Why it ended; null while it lives. */
  failure: { readonly error: unknown } | null;
  waiting: (() => void)[];
  /** How many of the newest nobody has been told of. */
  untold: number;
  subscription: LogSubscription | null;
  /** Resolves when it is known where it begins, or that it does not. */
  readonly begun: Promise<void>;
};

/** Below every position. */
const NOWHERE = -1n;

/**
 * A log whose subscriptions share one of the log's own once they have caught up: the newest events come
 * over the wire and are decoded once for all who follow in this process. Each still sees every event after
 * its position once and in order; one that is behind has a subscription of its own until it is not.
 */
export const shareSubscription = (log: EventLog): EventLog => {
  let tail: Tail | null = null;
  let followers = 0;

  const pump = async (own: Tail, begin: () => void): Promise<void> => {
    try {
      const head = (await log.head()) ?? NOWHERE;
      own.before = head;
      own.last = head;
      begin();
      if (tail !== own) return;
      own.subscription = log.subscribeAll({ after: head === NOWHERE ? null : head });
      for await (const event of own.subscription) {
        own.events.push(event);
        own.last = event.position;
        if (own.events.length > KEPT) {
          own.before = own.events.shift()?.position ?? own.before;
          own.first += 1;
        }
        own.untold += 1;
        if (own.untold >= TOLD_TOGETHER) wake(own);
        else if (own.untold === 1) setImmediate(wake, own);
      }
      // One that nobody closed ended with its client, which was given up: who follows must not wait for more.
      if (tail === own) own.failure = { error: endedByItself() };
    } catch (error) {
      own.failure = { error };
      begin();
    }
    if (tail === own) tail = null;
    wake(own);
  };

  const enter = (): void => {
    followers += 1;
    if (tail) return;
    let begin: () => void = () => {};
    const made: Tail = {
      before: NOWHERE,
      // Nothing is covered until it is known where it begins.
      last: NOWHERE - 1n,
      events: [],
      first: 0,
      failure: null,
      waiting: [],
      untold: 0,
      subscription: null,
      begun: new Promise((resolve) => {
        begin = resolve;
      }),
    };
    tail = made;
    void pump(made, begin);
  };

  const leave = (): void => {
    followers -= 1;
    if (followers > 0) return;
    const left = tail;
    tail = null;
    void left?.subscription?.close();
  };

  const subscribeAll: EventLog["subscribeAll"] = ({ after }) => {
    let own: LogSubscription | null = null;
    let following: Tail | null = null;
    /** The number of the next event of the tail that is followed. */
    let next = 0;
    let last = after ?? NOWHERE;
    let closed = false;
    enter();

    const close = async (): Promise<void> => {
      if (closed) return;
      closed = true;
      leave();
      if (following) wake(following);
      await own?.close();
    };

    /** The next event of the tail that is followed; undefined where it is not there (yet, or any more). */
    const take = (of: Tail): RecordedEvent | undefined => {
      const event = next < of.first ? undefined : of.events[next - of.first];
      if (event === undefined) return undefined;
      next += 1;
      last = event.position;
      return event;
    };

    /** Events of the tail, until the reader has fallen behind it. Rejects when it breaks. */
    async function* follow(of: Tail): AsyncGenerator<RecordedEvent> {
      const at = of.events.findIndex(({ position }) => position > last);
      next = of.first + (at < 0 ? of.events.length : at);
      while (!closed && next >= of.first) {
        const event = take(of);
        if (event) yield event;
        else if (of.failure) throw of.failure.error;
        else await new Promise<void>((resolve) => of.waiting.push(resolve));
      }
    }

    async function* events(): AsyncGenerator<RecordedEvent> {
      try {
        await tail?.begun;
        while (!closed) {
          following = tail && covers(tail, last) ? tail : null;
          if (following) {
            yield* follow(following);
            continue;
          }
          own = log.subscribeAll({ after: last === NOWHERE ? null : last });
          for await (const event of own) {
            last = event.position;
            yield event;
            if (closed || (tail && covers(tail, last))) break;
          }
          await own.close();
          own = null;
        }
      } finally {
        await close();
      }
    }

    return {
      // What is there is handed over without the generators: they are half of what an event costs those who follow.
      [Symbol.asyncIterator]: () => {
        const slow = events();
        return {
          next: () => {
            const event = closed || !following ? undefined : take(following);
            return event ? Promise.resolve({ value: event, done: false }) : slow.next();
          },
          return: () => slow.return(undefined),
        };
      },
      close,
    };
  };

  return { ...log, subscribeAll };
};

const covers = (tail: Tail, position: bigint): boolean =>
  tail.failure === null && position >= tail.before && position <= tail.last;

const endedByItself = (): LogUnavailableError =>
  new LogUnavailableError(new Error("The subscription to the log ended"));

const wake = (tail: Tail): void => {
  const { waiting } = tail;
  tail.waiting = [];
  tail.untold = 0;
  for (const each of waiting) each();
};
