import { setTimeout as delay } from "node:timers/promises";
import { asFailure, outcomeUnknown, unavailable } from "../failures.ts";
import { createGroupCommit } from "./groupCommit.ts";
import { openWriterSession, type WriterSession } from "./session.ts";
import type { WriterState } from "./writerState.ts";

const RECONNECT_MS = 200;

/** Takes the writer's lock and reads the head. Rejects if the database or the lock is not available in time. */
export const connect = async (writer: WriterState, lockTimeoutMs: number): Promise<void> => {
  const opened = await openWriterSession({
    databaseUrl: writer.databaseUrl,
    lockTimeoutMs,
    signal: writer.stopping.signal,
    onLost: (error) => disconnect(writer, opened, error),
  });
  if (opened.lost()) throw new Error("The database connection broke while it was opened");
  // Another writer or a commit of unknown outcome may have moved the log: all cached heads are void.
  writer.groupCommit = createGroupCommit({ session: opened, head: opened.head });
  writer.tail.reset(opened.head);
  writer.session = opened;
};

/**
 * Fails all appends after the connection broke, and reconnects. The appends in flight are failed first:
 * the first failure ends a caller's connection with all of its appends, and must not say "nothing was
 * written" while the outcome of a commit is unknown.
 */
export const disconnect = (writer: WriterState, lost: WriterSession, error: unknown): void => {
  if (writer.session !== lost) return;
  const isUnknown = writer.groupCommit?.isOutcomeUnknown(error) ?? true;
  writer.session = null;
  writer.groupCommit = null;
  void lost.close();
  writer.conflicts.releaseAll();
  for (const pending of writer.inFlight) {
    pending.settle(isUnknown ? outcomeUnknown() : unavailable(asFailure(error).message));
  }
  if (writer.stopping.signal.aborted) return;
  writer.logger.warn(
    { err: error },
    "The event log lost its database; appends are refused until it is back",
  );
  failQueued(writer, "the database cannot be reached");
  writer.reconnecting ??= reconnect(writer);
};

export const failQueued = (writer: WriterState, reason: string): void => {
  const failed = writer.queue;
  writer.queue = [];
  for (const pending of failed) pending.settle(unavailable(reason));
};

const reconnect = async (writer: WriterState): Promise<void> => {
  const { signal } = writer.stopping;
  while (!signal.aborted && !writer.session) {
    try {
      await connect(writer, RECONNECT_MS);
      writer.logger.info({ head: writer.tail.head() }, "The event log has its database back");
    } catch {
      await delay(RECONNECT_MS, undefined, { signal }).catch(() => undefined);
    }
  }
  writer.reconnecting = null;
  // The new session may have broken while this loop was ending.
  if (!signal.aborted && !writer.session) writer.reconnecting = reconnect(writer);
  else writer.wake();
};
