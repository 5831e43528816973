import type { PartHealth } from "../partHealth.ts";
import { LogUnavailableError } from "./errors.ts";
import type { EventLog, LogSubscription, RecordedEvent } from "./port.ts";

/** The default time limit of a response. */
const ANSWER_MS = 3_000;
/** The interval of probes while there are subscriptions, or after a timeout: a cut network reports no error. */
const PROBE_MS = 1_500;

type State = {
  readonly connect: () => EventLog;
  readonly parts: PartHealth;
  readonly answerMs: number;
  /** The current client. */
  log: EventLog;
  isClosed: boolean;
  /** A client timed out, and no client has answered since. */
  isSuspect: boolean;
  /** Clients that were replaced. Their calls are cancelled, which they report as a normal end: it means nothing. */
  readonly replaced: WeakSet<EventLog>;
  /** Replaced clients that are still closing. */
  readonly closing: Set<Promise<void>>;
  readonly subscriptions: Set<LogSubscription>;
};

/**
 * An event log whose reads have time limits. A client that does not answer is replaced by a new one, because
 * its connection may be dead. The subscriptions of a replaced client end; subscribe again.
 */
export const eventLogWithTimeouts = (deps: {
  readonly connect: () => EventLog;
  readonly parts: PartHealth;
  readonly answerMs?: number;
}): EventLog => {
  const state: State = {
    ...{ connect: deps.connect, parts: deps.parts, answerMs: deps.answerMs ?? ANSWER_MS },
    log: deps.connect(),
    isClosed: false,
    isSuspect: false,
    replaced: new WeakSet(),
    closing: new Set(),
    subscriptions: new Set(),
  };
  const probe = setInterval(() => {
    if (state.subscriptions.size > 0 || state.isSuspect)
      void readHead(state).catch(() => undefined);
  }, PROBE_MS);
  probe.unref();

  return {
    append: (stream, events, expected) =>
      state.parts.call("event_log", async () => {
        // Instances of the client share one list of pending appends, which the disposal of an instance
        // empties: a response to an append that is no longer in it would end the process.
        while (state.closing.size > 0) await Promise.all(state.closing);
        return state.log.append(stream, events, expected);
      }),
    readStream: (stream, options) => read(state, (log) => log.readStream(stream, options)),
    readStreamBackwards: (stream, options) =>
      read(state, (log) => log.readStreamBackwards(stream, options)),
    readAll: (options) => read(state, (log) => log.readAll(options)),
    head: () => readHead(state),
    subscribeAll: (options) => subscribe(state, options),
    close: async () => {
      state.isClosed = true;
      clearInterval(probe);
      await Promise.all([state.log.close(), ...state.closing]);
    },
  };
};

const readHead = (state: State): Promise<bigint | null> => {
  const { log, parts, answerMs } = state;
  return parts.call(
    "event_log",
    () =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          handleTimeout(state, log);
          reject(timedOut());
        }, answerMs);
        log
          .head()
          .then((head) => {
            if (state.replaced.has(log)) throw timedOut();
            handleAnswer(state, log);
            return head;
          })
          .then(resolve, reject)
          .finally(() => clearTimeout(timer));
      }),
  );
};

/** Limits the time between two events. One timer per read: a read may have hundreds of thousands of events. */
async function* read(
  state: State,
  start: (log: EventLog) => AsyncIterable<RecordedEvent>,
): AsyncGenerator<RecordedEvent> {
  const { log, parts, answerMs } = state;
  const events = start(log)[Symbol.asyncIterator]();
  let requestedAt = 0;
  let fail: ((error: Error) => void) | null = null;
  const timer = setInterval(() => {
    if (!fail || performance.now() - requestedAt < answerMs) return;
    handleTimeout(state, log);
    fail(timedOut());
  }, answerMs / 4);
  let isOver = false;
  const next = (): Promise<IteratorResult<RecordedEvent>> =>
    new Promise((resolve, reject) => {
      requestedAt = performance.now();
      fail = reject;
      events
        .next()
        .then((result) => {
          if (state.replaced.has(log)) throw timedOut();
          return result;
        })
        .then(resolve, reject);
    });
  try {
    // Only the first response counts for the availability of the log.
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
    // The consumer left early: the read is cancelled without a wait.
    void Promise.resolve(isOver ? null : events.return?.()).catch(() => undefined);
  }
}

const subscribe = (state: State, options: { after: bigint | null }): LogSubscription => {
  const inner = state.log.subscribeAll(options);
  state.subscriptions.add(inner);
  return {
    [Symbol.asyncIterator]: () => inner[Symbol.asyncIterator](),
    close: async () => {
      state.subscriptions.delete(inner);
      await inner.close();
    },
  };
};

const handleTimeout = (state: State, log: EventLog): void => {
  state.isSuspect = true;
  replace(state, log);
};

/** After an outage, the client may still wait for a connection or for appends that are never answered: it is replaced too. */
const handleAnswer = (state: State, log: EventLog): void => {
  if (!state.isSuspect) return;
  state.isSuspect = false;
  replace(state, log);
};

const replace = (state: State, old: EventLog): void => {
  if (state.isClosed || state.log !== old) return;
  const next = tryConnect(state);
  if (next === null) return;
  state.replaced.add(old);
  state.log = next;
  const closing = old
    .close()
    .catch(() => undefined)
    .finally(() => state.closing.delete(closing));
  state.closing.add(closing);
};

/** null if a certificate file cannot be read at present; the next timeout tries again. */
const tryConnect = ({ connect }: State): EventLog | null => {
  try {
    return connect();
  } catch {
    return null;
  }
};

const timedOut = (): LogUnavailableError =>
  new LogUnavailableError(new Error("The event log does not answer"));
