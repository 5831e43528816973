import type { PartHealth } from "../partHealth.ts";
import { LogUnavailableError } from "./errors.ts";
import type { EventLog, LogSubscription, RecordedEvent } from "./port.ts";

/** A read that has said nothing for so long says nothing any more. */
const ANSWER_MS = 3_000;
/** So often a log that somebody subscribes to, or that fell silent, is asked whether it is there: a cut network says nothing. */
const PROBE_MS = 1_500;

/**
 * A log on which nothing is waited for without end. A client that leaves a read unanswered is given up for
 * a new one: its connection may be one that nobody serves any more. Its subscriptions end then, and whoever
 * holds them subscribes again.
 */
export const eventLogWithTimeouts = (deps: {
  readonly connect: () => EventLog;
  readonly parts: PartHealth;
  readonly answerMs?: number;
}): EventLog => {
  const { connect, parts } = deps;
  const answerMs = deps.answerMs ?? ANSWER_MS;
  let log = connect();
  let closed = false;
  let isSuspect = false;
  const open = new Set<LogSubscription>();
  const goodbyes = new Set<Promise<void>>();

  /** Those given up. Their calls are cancelled, which the client takes for their end: what they say means nothing. */
  const givenUp = new WeakSet<EventLog>();

  /** null when it cannot be tried just now: a file of certificates is being replaced. The next silence asks again. */
  const connectAgain = (): EventLog | null => {
    try {
      return connect();
    } catch {
      return null;
    }
  };

  const replace = (old: EventLog): void => {
    if (closed || log !== old) return;
    const next = connectAgain();
    if (next === null) return;
    givenUp.add(old);
    log = next;
    const goodbye = old
      .close()
      .catch(() => undefined)
      .finally(() => goodbyes.delete(goodbye));
    goodbyes.add(goodbye);
  };

  const giveUp = (silent: EventLog): void => {
    isSuspect = true;
    replace(silent);
  };
  /** The client of the time of silence may still wait for a connection, or for appends that nobody will answer. */
  const trustAgain = (asked: EventLog): void => {
    if (!isSuspect) return;
    isSuspect = false;
    replace(asked);
  };

  const inTime = <T>(asked: EventLog, work: () => Promise<T>): Promise<T> =>
    parts.call(
      "event_log",
      () =>
        new Promise<T>((resolve, reject) => {
          const timer = setTimeout(() => {
            giveUp(asked);
            reject(silence());
          }, answerMs);
          work()
            .then((answer) => {
              if (givenUp.has(asked)) throw silence();
              trustAgain(asked);
              return answer;
            })
            .then(resolve, reject)
            .finally(() => clearTimeout(timer));
        }),
    );

  /** Reads on as long as something comes. One timer a read: events may come by the hundred thousand. */
  async function* read(
    start: (from: EventLog) => AsyncIterable<RecordedEvent>,
  ): AsyncGenerator<RecordedEvent> {
    const asked = log;
    const events = start(asked)[Symbol.asyncIterator]();
    let askedAt = 0;
    let fail: ((error: Error) => void) | null = null;
    const timer = setInterval(() => {
      if (!fail || performance.now() - askedAt < answerMs) return;
      giveUp(asked);
      fail(silence());
    }, answerMs / 4);
    let isOver = false;
    const next = (): Promise<IteratorResult<RecordedEvent>> =>
      new Promise((resolve, reject) => {
        askedAt = performance.now();
        fail = reject;
        events
          .next()
          .then((result) => {
            if (givenUp.has(asked)) throw silence();
            return result;
          })
          .then(resolve, reject);
      });
    try {
      // The first answer says whether the log is there; what comes after it is a matter of this read.
      let result = await parts.call("event_log", next);
      for (;;) {
        fail = null;
        if (result.done) {
          isOver = true;
          return;
        }
        yield result.value;
        result = await next();
      }
    } catch (error) {
      isOver = true;
      throw error;
    } finally {
      clearInterval(timer);
      // Left early, or silent: the read is let go of, and nobody waits for it.
      void Promise.resolve(isOver ? null : events.return?.()).catch(() => undefined);
    }
  }

  const probe = setInterval(() => {
    if (open.size === 0 && !isSuspect) return;
    const asked = log;
    void inTime(asked, () => asked.head()).catch(() => undefined);
  }, PROBE_MS);
  probe.unref();

  return {
    append: (stream, events, expected) =>
      parts.call("event_log", async () => {
        // The client's instances keep their appends in one list, which the end of one empties: an answer to what
        // is in it no more would end the process.
        while (goodbyes.size > 0) await Promise.all(goodbyes);
        return log.append(stream, events, expected);
      }),
    readStream: (stream, options) => read((from) => from.readStream(stream, options)),
    readStreamBackwards: (stream, options) =>
      read((from) => from.readStreamBackwards(stream, options)),
    readAll: (options) => read((from) => from.readAll(options)),
    head: () => {
      const asked = log;
      return inTime(asked, () => asked.head());
    },
    subscribeAll: (options) => {
      const inner = log.subscribeAll(options);
      open.add(inner);
      return {
        [Symbol.asyncIterator]: () => inner[Symbol.asyncIterator](),
        close: async () => {
          open.delete(inner);
          await inner.close();
        },
      };
    },
    close: async () => {
      closed = true;
      clearInterval(probe);
      await Promise.all([log.close(), ...goodbyes]);
    },
  };
};

const silence = (): LogUnavailableError =>
  new LogUnavailableError(new Error("The event log does not answer"));
