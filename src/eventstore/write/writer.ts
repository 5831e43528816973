import { streamDeleted, unavailable } from "../failures.ts";
import type { Tail } from "../read/tail.ts";
import type { Append, AppendResult } from "../records.ts";
import { createConflictQueue } from "./conflictQueue.ts";
import { connect, disconnect, failQueued } from "./connection.ts";
import type { GroupCommit } from "./groupCommit.ts";
import {
  type Caller,
  createPendingAppend,
  failOverdue,
  type PendingAppend,
  takeGroup,
} from "./pendingAppends.ts";
import type { WriterSession } from "./session.ts";
import type { EngineLogger, WriterState } from "./writerState.ts";

const SWEEP_MS = 100;

/** The time limit of a commit: after a network failure its response may never arrive. */
const COMMIT_MS = 10_000;

export type Writer = {
  /** Opens the log for writing. Rejects if the database or the lock is not available in time. */
  start(): Promise<void>;
  /** Decides and commits an append. Rejects with CallFailure. */
  append(append: Append, caller: Caller): Promise<AppendResult>;
  /** Finishes the commit in flight, fails the queued appends and releases the lock. */
  stop(): Promise<void>;
};

/**
 * Creates the one writer of a log. Appends that arrive during a commit form the next transaction (group
 * commit): the log has a total order, positions have no gaps, and appends share the cost of a commit.
 */
export const createWriter = (deps: {
  databaseUrl: string;
  tail: Tail;
  logger: EngineLogger;
  lockTimeoutMs: number;
}): Writer => {
  const { databaseUrl, tail, logger, lockTimeoutMs } = deps;
  const writer: WriterState = {
    ...{ databaseUrl, tail, logger },
    conflicts: createConflictQueue(() => writer.wake()),
    wake: () => startCommitting(writer),
    stopping: new AbortController(),
    session: null,
    groupCommit: null,
    queue: [],
    inFlight: [],
    committing: null,
    reconnecting: null,
  };
  const sweep = setInterval(() => {
    failOverdue(writer.inFlight);
    failOverdue(writer.queue);
  }, SWEEP_MS);
  sweep.unref();
  return {
    start: () => connect(writer, lockTimeoutMs),
    append: (append, caller) => enqueue(writer, append, caller),
    stop: async () => {
      clearInterval(sweep);
      await stop(writer);
    },
  };
};

const enqueue = (writer: WriterState, append: Append, caller: Caller): Promise<AppendResult> =>
  new Promise((resolve, reject) => {
    if (writer.stopping.signal.aborted) return reject(unavailable("the event log is stopping"));
    if (!writer.session) return reject(unavailable("the database cannot be reached"));
    writer.queue.push(createPendingAppend(append, caller, resolve, reject));
    startCommitting(writer);
  });

/** Commits the queue in groups, one after the other, until it is empty or all of it must wait. */
const startCommitting = (writer: WriterState): void => {
  writer.committing ??= (async () => {
    // One turn of the event loop, so that appends of the same turn form one group.
    await new Promise((resolve) => setImmediate(resolve));
    while (writer.session && writer.groupCommit) {
      const { group, rest } = takeGroup(writer.queue, writer.conflicts);
      writer.queue = rest;
      // Appends that must wait are committed by the next append or by the conflict queue's wake-up.
      if (group.length === 0) break;
      await commitGroup(writer, writer.session, writer.groupCommit, group);
    }
    writer.committing = null;
  })();
};

const commitGroup = async (
  writer: WriterState,
  session: WriterSession,
  groupCommit: GroupCommit,
  group: readonly PendingAppend[],
): Promise<void> => {
  const { conflicts, tail } = writer;
  writer.inFlight = group;
  try {
    const committing = groupCommit.commit(group.map(({ append }) => append));
    const { results, written } = await withTimeout(committing);
    if (written.length > 0) tail.push(written);
    for (const [i, pending] of group.entries()) {
      const { append, caller } = pending;
      const result = results[i];
      if (result?.kind === "stream_deleted") pending.settle(streamDeleted(append.stream));
      else if (result?.kind === "wrong_expected_version") {
        conflicts.hold(append, caller.deadline, () => pending.settle(result));
      } else if (result) {
        pending.settle(result);
        conflicts.recordWrite(append);
      }
    }
  } catch (error) {
    disconnect(writer, session, error);
  } finally {
    writer.inFlight = [];
  }
};

/** Rejects if a commit is not answered in time. Its outcome is unknown then. */
const withTimeout = <T>(commit: Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error("The database does not answer a commit")),
      COMMIT_MS,
    );
    commit.then(resolve, reject).finally(() => clearTimeout(timer));
  });

const stop = async (writer: WriterState): Promise<void> => {
  writer.stopping.abort();
  writer.conflicts.releaseAll();
  failQueued(writer, "the event log is stopping");
  await writer.committing;
  await writer.reconnecting;
  const last = writer.session;
  writer.session = null;
  await last?.close();
};
