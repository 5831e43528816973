import type { Append } from "../records.ts";

/** Writes in a row after which the next held caller gets its turn. */
const MAX_RUN = 8;
/** The part of the reservation time after which an idle stream is given to the next held caller. */
const IDLE_PART = 1 / 8;
/**
 * Bounds of the reservation: the time in which a caller has to read the new events and append again.
 * It follows the time that callers take.
 */
const MIN_RESERVED_MS = 30;
const MAX_RESERVED_MS = 300;
/** Missed reservations in a row after which a stream is no longer reserved. */
const MAX_MISSES = 2;
/** Bounds of the time for which a conflict is held: a maximum, and a margin before the caller's deadline. */
const MAX_HOLD_MS = 2_000;
const DEADLINE_MARGIN_MS = 100;

/** A caller whose append conflicted and that has not been told so yet. */
type Held = { readonly id: string; readonly dueAt: number; answer(): void };

/** The conflicts of one stream. */
type StreamConflicts = {
  readonly stream: string;
  held: Held[];
  /** The id of the first event of the append that the stream is reserved for. */
  reservedFor: string | null;
  /** The last reservation, if it was missed. */
  missed: { readonly id: string; readonly givenAt: number } | null;
  /** When the last turn was given, by performance.now(). */
  givenAt: number;
  /** Writes since the last turn was given. */
  written: number;
  misses: number;
  timer: NodeJS.Timeout | undefined;
};

/** Schedules the writers of a contended stream fairly. */
export type ConflictQueue = {
  /** Whether an append must wait because its stream is reserved for another one. */
  mustWait(append: Append): boolean;
  /** Holds a conflict: `answer` is called at once, or when it is the caller's turn. */
  hold(append: Append, deadline: number | undefined, answer: () => void): void;
  /** Reports a written append. */
  recordWrite(append: Append): void;
  /** Answers all held callers. */
  releaseAll(): void;
};

type State = {
  readonly streams: Map<string, StreamConflicts>;
  /** The current reservation time: four times the recent time between an answer and the next append. */
  reservedMs: number;
  wake(): void;
};

/**
 * Of several writers that append to one stream at a revision, one succeeds and the others conflict. If all
 * of them were answered at once, they would all read and conflict again, except one; and the last writer,
 * which has nothing to read, would always be first. So conflicts are answered one by one in FIFO order,
 * and the stream is reserved for a moment for the caller that was answered. A repeated append is
 * recognised by the ids of its events. `wake` is called when a waiting append may be taken.
 */
export const createConflictQueue = (wake: () => void): ConflictQueue => {
  const state: State = { streams: new Map(), reservedMs: MIN_RESERVED_MS, wake };
  return {
    mustWait: (append) => mustWait(state, append),
    hold: (append, deadline, answer) => hold(state, append, deadline, answer),
    recordWrite: ({ stream }) => {
      const conflicts = state.streams.get(stream);
      if (!conflicts || conflicts.reservedFor !== null) return;
      conflicts.written += 1;
      if (conflicts.written >= MAX_RUN) giveTurn(state, conflicts);
      else startTimer(conflicts, idleMs(state), () => giveTurn(state, conflicts));
    },
    releaseAll: () => {
      for (const conflicts of [...state.streams.values()]) {
        end(state, conflicts);
        for (const { answer } of conflicts.held) answer();
      }
    },
  };
};

const mustWait = (state: State, append: Append): boolean => {
  const conflicts = state.streams.get(append.stream);
  if (!conflicts || append.expected.kind !== "revision") return false;
  const id = append.events[0]?.id;
  const now = performance.now();
  const { missed } = conflicts;
  if (missed !== null && missed.id === id) {
    const tookMs = now - missed.givenAt;
    state.reservedMs = Math.min(MAX_RESERVED_MS, Math.max(state.reservedMs, 2 * tookMs));
    conflicts.missed = null;
    conflicts.misses = 0;
  }
  if (conflicts.reservedFor === null) return false;
  if (id !== conflicts.reservedFor) return true;
  recordReturn(state, now - conflicts.givenAt);
  conflicts.reservedFor = null;
  conflicts.misses = 0;
  startTimer(conflicts, state.reservedMs, () => giveTurn(state, conflicts));
  return false;
};

const hold = (
  state: State,
  append: Append,
  deadline: number | undefined,
  answer: () => void,
): void => {
  const { stream, expected, events } = append;
  const id = events[0]?.id;
  if (expected.kind !== "revision" || id === undefined) {
    answer();
    return;
  }
  const latest = deadline === undefined ? Number.POSITIVE_INFINITY : deadline - DEADLINE_MARGIN_MS;
  const held: Held = { id, dueAt: Math.min(Date.now() + MAX_HOLD_MS, latest), answer };
  const conflicts = state.streams.get(stream);
  if (conflicts) {
    conflicts.held.push(held);
    if (conflicts.reservedFor === null) {
      startTimer(conflicts, idleMs(state), () => giveTurn(state, conflicts));
    }
    return;
  }
  const created: StreamConflicts = {
    ...{ stream, held: [held], reservedFor: null, missed: null },
    ...{ givenAt: 0, written: 0, misses: 0, timer: undefined },
  };
  state.streams.set(stream, created);
  giveTurn(state, created);
};

/** Answers the next held caller, and those that cannot wait any longer. */
const giveTurn = (state: State, conflicts: StreamConflicts): void => {
  const next = conflicts.held.shift();
  if (!next) {
    end(state, conflicts);
    return;
  }
  const now = Date.now();
  const overdue = conflicts.held.filter(({ dueAt }) => dueAt <= now);
  if (overdue.length > 0) conflicts.held = conflicts.held.filter(({ dueAt }) => dueAt > now);
  conflicts.written = 0;
  conflicts.givenAt = performance.now();
  if (conflicts.misses < MAX_MISSES) {
    conflicts.reservedFor = next.id;
    startTimer(conflicts, state.reservedMs, () => endReservation(state, conflicts));
  } else startTimer(conflicts, idleMs(state), () => giveTurn(state, conflicts));
  for (const one of [next, ...overdue]) one.answer();
};

/** The caller did not append again in time. */
const endReservation = (state: State, conflicts: StreamConflicts): void => {
  const { reservedFor, givenAt } = conflicts;
  if (reservedFor !== null) conflicts.missed = { id: reservedFor, givenAt };
  conflicts.reservedFor = null;
  conflicts.misses += 1;
  startTimer(conflicts, idleMs(state), () => giveTurn(state, conflicts));
  state.wake();
};

const recordReturn = (state: State, tookMs: number): void => {
  const recent = 4 * Math.min(tookMs, MAX_RESERVED_MS / 4);
  state.reservedMs = Math.max(MIN_RESERVED_MS, 0.9 * state.reservedMs + 0.1 * recent);
};

const idleMs = ({ reservedMs }: State): number => reservedMs * IDLE_PART;

const startTimer = (conflicts: StreamConflicts, ms: number, act: () => void): void => {
  clearTimeout(conflicts.timer);
  conflicts.timer = setTimeout(act, ms).unref();
};

const end = ({ streams }: State, conflicts: StreamConflicts): void => {
  clearTimeout(conflicts.timer);
  streams.delete(conflicts.stream);
};
