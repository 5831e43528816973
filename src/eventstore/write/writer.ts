import { setTimeout as delay } from "node:timers/promises";
import {
  asFailure,
  type CallFailure,
  outcomeUnknown,
  streamDeleted,
  timedOut,
  unavailable,
} from "../failures.ts";
import { createGroup, type Group } from "./groupCommit.ts";
import type { Append, AppendResult } from "../records.ts";
import { openWriterSession, type WriterSession } from "./session.ts";
import type { Tail } from "../read/tail.ts";
import { createTurnstile } from "./conflictQueue.ts";
import { sizeOf } from "../protocol/fields.ts";

/** At most this many appends, and about this many bytes, are committed in one transaction. */
const MAX_GROUP = 256;
const MAX_GROUP_BYTES = 8 * 1024 * 1024;
const RECONNECT_MS = 200;
const SWEEP_MS = 100;

/** A commit that is not answered by then is not answered any more: the network may be cut without a word. */
const COMMIT_MS = 10_000;

/** What the engine tells its surroundings. A pino logger fits. */
export type EngineLogger = {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
};

/** How long the caller waits: to a deadline (milliseconds since the epoch), and while it is there at all. */
export type Patience = { readonly deadline: number | undefined; isGone(): boolean };

export type Writer = {
  /** Opens the log for writing. Rejects when the database or the lock cannot be had in time. */
  start(): Promise<void>;
  /** Decides and commits an append. Rejects with a CallFailure. */
  append(append: Append, patience: Patience): Promise<AppendResult>;
  /** Commits what is in flight, refuses the rest and lets go of the lock. */
  stop(): Promise<void>;
};

type Pending = {
  readonly append: Append;
  readonly patience: Patience;
  readonly bytes: number;
  settled: boolean;
  settle(result: AppendResult | CallFailure): void;
};

/**
 * The one writer. Appends that arrive while a transaction commits gather for the next one, so the log
 * has a single order, positions have no gaps, and the cost of a commit is shared (group commit).
 */
export const createWriter = (deps: {
  databaseUrl: string;
  tail: Tail;
  logger: EngineLogger;
  lockTimeoutMs: number;
}): Writer => {
  const { databaseUrl, tail, logger, lockTimeoutMs } = deps;
  let session: WriterSession | null = null;
  let group: Group | null = null;
  let stopping = false;
  let queue: Pending[] = [];
  let inFlight: readonly Pending[] = [];
  let pumping: Promise<void> | null = null;
  let reconnecting: Promise<void> | null = null;
  const stopped = new AbortController();
  const turnstile = createTurnstile(() => pump());

  const open = async (timeoutMs: number): Promise<void> => {
    const opened = await openWriterSession({
      databaseUrl,
      lockTimeoutMs: timeoutMs,
      signal: stopped.signal,
      onLost: (error) => lose(opened, error),
    });
    if (opened.lost()) throw new Error("The database connection broke as it was opened");
    // Whatever was decided before is void: another writer, or an unknown commit, may have moved the log.
    group = createGroup({ session: opened, head: opened.head });
    tail.reset(opened.head);
    session = opened;
  };

  /**
   * What is being committed is answered before what only waits: a caller's appends share a connection
   * that ends with the first answer, and "nothing was written" must not be it while a commit is unknown.
   */
  const lose = (lost: WriterSession, error: unknown): void => {
    if (session !== lost) return;
    const unknown = group?.outcomeUnknown(error) ?? true;
    session = null;
    group = null;
    void lost.close();
    turnstile.flush();
    for (const pending of inFlight) {
      pending.settle(unknown ? outcomeUnknown() : unavailable(asFailure(error).message));
    }
    if (stopping) return;
    logger.warn(
      { err: error },
      "The event log lost its database; appends are refused until it is back",
    );
    const refused = queue;
    queue = [];
    for (const pending of refused) pending.settle(unavailable("the database cannot be reached"));
    reconnecting ??= reconnect();
  };

  const reconnect = async (): Promise<void> => {
    while (!stopping && !session) {
      try {
        await open(RECONNECT_MS);
        logger.info({ head: tail.head() }, "The event log has its database back");
      } catch {
        await delay(RECONNECT_MS, undefined, { signal: stopped.signal }).catch(() => undefined);
      }
    }
    reconnecting = null;
    // The new session may have broken while this loop was ending.
    if (!stopping && !session) reconnecting = reconnect();
    else pump();
  };

  const takeGroup = (): Pending[] => {
    const taken: Pending[] = [];
    const barred: Pending[] = [];
    let bytes = 0;
    let considered = 0;
    for (const pending of queue) {
      if (
        taken.length === MAX_GROUP ||
        (taken.length > 0 && bytes + pending.bytes > MAX_GROUP_BYTES)
      ) {
        break;
      }
      considered += 1;
      if (pending.patience.isGone()) pending.settle(timedOut());
      if (pending.settled) continue;
      if (turnstile.bars(pending.append)) {
        barred.push(pending);
        continue;
      }
      taken.push(pending);
      bytes += pending.bytes;
    }
    queue = [...barred, ...queue.slice(considered)];
    return taken;
  };

  const commit = async (
    current: WriterSession,
    decider: Group,
    taken: readonly Pending[],
  ): Promise<void> => {
    inFlight = taken;
    try {
      const committing = decider.commit(inFlight.map((pending) => pending.append));
      const { results, written } = await answered(committing);
      if (written.length > 0) tail.push(written);
      for (const [i, pending] of inFlight.entries()) {
        const { append, patience } = pending;
        const result = results[i];
        if (result?.kind === "stream_deleted") pending.settle(streamDeleted(append.stream));
        else if (result?.kind === "wrong_expected_version") {
          turnstile.refuse(append, patience.deadline, () => pending.settle(result));
        } else if (result) {
          pending.settle(result);
          turnstile.wrote(append);
        }
      }
    } catch (error) {
      lose(current, error);
    } finally {
      inFlight = [];
    }
  };

  const pump = (): void => {
    pumping ??= (async () => {
      // One turn of the event loop, so that what arrives together is committed together.
      await new Promise((resolve) => setImmediate(resolve));
      while (session && group) {
        const taken = takeGroup();
        // What is left is barred: whoever it waits for, or the turnstile, pumps again.
        if (taken.length === 0) break;
        await commit(session, group, taken);
      }
      pumping = null;
    })();
  };

  const sweep = setInterval(() => {
    const now = Date.now();
    for (const pending of [...inFlight, ...queue]) {
      if (pending.patience.deadline !== undefined && pending.patience.deadline <= now) {
        pending.settle(timedOut());
      }
    }
  }, SWEEP_MS);
  sweep.unref();

  return {
    start: () => open(lockTimeoutMs),
    append: (append, patience) =>
      new Promise((resolve, reject) => {
        if (stopping) return reject(unavailable("the event log is stopping"));
        if (!session) return reject(unavailable("the database cannot be reached"));
        const pending: Pending = {
          append,
          patience,
          bytes: append.events.reduce((sum, event) => sum + sizeOf(event), 0),
          settled: false,
          settle: (result) => {
            if (pending.settled) return;
            pending.settled = true;
            if (result instanceof Error) reject(result);
            else resolve(result);
          },
        };
        queue.push(pending);
        pump();
      }),
    stop: async () => {
      stopping = true;
      stopped.abort();
      clearInterval(sweep);
      turnstile.flush();
      const refused = queue;
      queue = [];
      for (const pending of refused) pending.settle(unavailable("the event log is stopping"));
      await pumping;
      await reconnecting;
      const last = session;
      session = null;
      await last?.close();
    },
  };
};

/** The answer to a commit; rejects when it does not come in time. What became of it is open then. */
const answered = <T>(commit: Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    const late = setTimeout(
      () => reject(new Error("The database does not answer a commit")),
      COMMIT_MS,
    );
    commit.then(resolve, reject).finally(() => clearTimeout(late));
  });
