import { createLru } from "./lru.ts";

/** How much others write to a stream that this process writes to as well. */
type Heat = {
  /** How many conflicts there were in a row. */
  readonly conflicts: number;
  /** How many turns of others are waited for at most; on average half as many. */
  readonly level: number;
  /** When the last conflict was, by performance.now(). */
  readonly at: number;
  /** What an append, or a conflict and the look that follows it, took lately, in milliseconds. */
  readonly turnMs: number;
};

export type ConflictBackoff = {
  /** How long to wait before the next append to a stream, in milliseconds; 0 where nobody else writes to it. */
  waitFor(stream: string): number;
  /** An append met another writer. `tookMs`: it, and finding out what the other wrote. */
  conflicted(stream: string, tookMs: number): void;
  /** An append went through. */
  succeeded(stream: string, tookMs: number): void;
};

/**
 * After so many conflicts in a row room is made. The embedded log tells those whom it refuses one after the
 * other, each when its turn has come: to wait longer would only be to miss it.
 */
const PATIENT_CONFLICTS = 8;
/** What a conflict takes at most, as far as it says how fast the log is: the embedded one may have held its answer. */
const MAX_CONFLICT_MS = 50;
const MIN_LEVEL = 2;
const MAX_LEVEL = 64;
/** Others are reckoned with for so long after the last conflict, in milliseconds. */
const REMEMBERED_MS = 1_000;
/** However slow the log is, nobody waits longer than this in one go. */
const MAX_WAIT_MS = 1_500;

/**
 * Makes room between processes that write to the same stream, as stations on one wire do: who met another
 * waits at random, longer with each conflict, and who got through gives way for a while. Without the latter
 * the one who has the newest state in memory would win for ever.
 */
export const createConflictBackoff = (random: () => number = Math.random): ConflictBackoff => {
  const heats = createLru<string, Heat>(1_024);
  return {
    waitFor: (stream) => {
      const heat = heats.get(stream);
      if (!heat) return 0;
      if (performance.now() - heat.at > REMEMBERED_MS + heat.level * heat.turnMs) {
        heats.delete(stream);
        return 0;
      }
      return random() * Math.min(MAX_WAIT_MS, heat.level * heat.turnMs);
    },
    conflicted: (stream, answeredMs) => {
      const before = heats.get(stream);
      const tookMs = Math.min(answeredMs, MAX_CONFLICT_MS);
      const conflicts = (before?.conflicts ?? 0) + 1;
      const level = before && before.level > 0 ? before.level * 1.5 : MIN_LEVEL;
      heats.set(stream, {
        conflicts,
        level: conflicts < PATIENT_CONFLICTS ? 0 : Math.min(MAX_LEVEL, level),
        at: performance.now(),
        turnMs: before ? (3 * before.turnMs + tookMs) / 4 : tookMs,
      });
    },
    succeeded: (stream, tookMs) => {
      const before = heats.get(stream);
      if (!before) return;
      if (before.level === 0) {
        heats.delete(stream);
        return;
      }
      const turnMs = (3 * before.turnMs + tookMs) / 4;
      heats.set(stream, { ...before, level: Math.max(MIN_LEVEL, before.level * 0.7), turnMs });
    },
  };
};
