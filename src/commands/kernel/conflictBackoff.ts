import { createLru } from "./lru.ts";

/** The contention of a stream with other processes. */
type StreamContention = {
  /** Conflicts in a row. */
  readonly conflicts: number;
  /** The maximum wait in turns of other writers; the average wait is half of it. */
  readonly level: number;
  /** The time of the last conflict, by performance.now(). */
  readonly at: number;
  /** The recent duration of a turn (an append, or a conflict and the following read) in milliseconds. */
  readonly turnMs: number;
};

export type ConflictBackoff = {
  /** The time to wait before the next append in milliseconds; 0 without contention. */
  waitFor(stream: string): number;
  /** Reports a conflict. `tookMs`: the duration of the failed append. */
  conflicted(stream: string, tookMs: number): void;
  /** Reports a successful append. */
  succeeded(stream: string, tookMs: number): void;
};

/**
 * Conflicts in a row after which the backoff starts. The embedded log schedules conflicting writers itself:
 * an earlier backoff would make a writer miss its turn.
 */
const FREE_CONFLICTS = 8;
/** The maximum that a conflict counts as the duration of a turn: the embedded log may hold its response. */
const MAX_CONFLICT_MS = 50;
const MIN_LEVEL = 2;
const MAX_LEVEL = 64;
/** The time after the last conflict for which contention is assumed, in milliseconds. */
const CONTENDED_MS = 1_000;
/** The maximum of one wait in milliseconds. */
const MAX_WAIT_MS = 1_500;

/**
 * Randomised exponential backoff between processes that write to the same stream. A process backs off also
 * after a success for a while: otherwise the one with the newest state in its cache would win forever.
 */
export const createConflictBackoff = (random: () => number = Math.random): ConflictBackoff => {
  const streams = createLru<string, StreamContention>(1_024);
  return {
    waitFor: (stream) => {
      const contention = streams.get(stream);
      if (!contention) return 0;
      if (performance.now() - contention.at > CONTENDED_MS + contention.level * contention.turnMs) {
        streams.delete(stream);
        return 0;
      }
      return random() * Math.min(MAX_WAIT_MS, contention.level * contention.turnMs);
    },
    conflicted: (stream, answeredMs) => {
      const before = streams.get(stream);
      const tookMs = Math.min(answeredMs, MAX_CONFLICT_MS);
      const conflicts = (before?.conflicts ?? 0) + 1;
      const level = before && before.level > 0 ? before.level * 1.5 : MIN_LEVEL;
      streams.set(stream, {
        conflicts,
        level: conflicts < FREE_CONFLICTS ? 0 : Math.min(MAX_LEVEL, level),
        at: performance.now(),
        turnMs: before ? (3 * before.turnMs + tookMs) / 4 : tookMs,
      });
    },
    succeeded: (stream, tookMs) => {
      const before = streams.get(stream);
      if (!before) return;
      if (before.level === 0) {
        streams.delete(stream);
        return;
      }
      const turnMs = (3 * before.turnMs + tookMs) / 4;
      streams.set(stream, { ...before, level: Math.max(MIN_LEVEL, before.level * 0.7), turnMs });
    },
  };
};
