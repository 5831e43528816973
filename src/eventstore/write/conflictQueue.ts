import type { Append } from "../records.ts";

/** So many writes to a stream in a row are one writer's; then the next of those who were refused has its turn. */
const RUN = 8;
/** If nobody writes for this part of the time that the stream is kept, its turn comes at once. */
const IDLE_PART = 1 / 8;
/**
 * So long the stream is kept for who has its turn: it has to read what is new, and to decide again. Where that
 * takes longer, it is kept for as long as it takes, up to a bound.
 */
const LEAST_KEPT_MS = 30;
const MOST_KEPT_MS = 300;
/** Where those who are refused do not come back, so many in a row, the stream is kept for nobody. */
const MAX_MISSES = 2;
/** No refusal is held for longer, nor past so long before its caller's deadline. */
const MAX_HOLD_MS = 2_000;
const DEADLINE_MARGIN_MS = 100;

type Refused = { readonly id: string; readonly dueAt: number; answer(): void };

/** Those who were refused on one stream. */
type Line = {
  readonly stream: string;
  waiting: Refused[];
  /** The first event of the append that the stream is kept for. */
  keptFor: string | null;
  /** The one that did not come back in time, if it was the last. */
  late: { readonly id: string; readonly givenAt: number } | null;
  /** When the last turn was given, by performance.now(). */
  givenAt: number;
  /** How many writes there were since the last turn was given. */
  written: number;
  misses: number;
  timer: NodeJS.Timeout | undefined;
};

/** Lets those who write to the same stream at a revision each have their turn. */
export type Turnstile = {
  /** Whether an append has to wait, for the stream is kept for another. */
  bars(append: Append): boolean;
  /** An append was refused for its revision: `answer` is called now, or when its turn has come. */
  refuse(append: Append, deadline: number | undefined, answer: () => void): void;
  /** An append was written. */
  wrote(append: Append): void;
  /** Answers all that wait. */
  flush(): void;
};

/**
 * Of several who write to one stream only one can be right about its revision. Were the others told at once,
 * they would all read, decide and be wrong again, but for one; and who wrote last, with nothing to read,
 * would always be the first. So they are told one after the other, in the order in which they came, and
 * the stream is kept for a moment for the one that was told: it is known again by the ids of its events,
 * which stay the same. `wake` is called when an append that was barred may be taken.
 */
export const createTurnstile = (wake: () => void): Turnstile => {
  const lines = new Map<string, Line>();
  /** Four times what it took lately to come back. */
  let keptMs = LEAST_KEPT_MS;
  const idleMs = (): number => keptMs * IDLE_PART;
  const cameBack = (tookMs: number): void => {
    keptMs = Math.max(LEAST_KEPT_MS, 0.9 * keptMs + 0.1 * 4 * Math.min(tookMs, MOST_KEPT_MS / 4));
  };

  const after = (line: Line, ms: number, act: (line: Line) => void): void => {
    clearTimeout(line.timer);
    line.timer = setTimeout(() => act(line), ms).unref();
  };
  const end = (line: Line): void => {
    clearTimeout(line.timer);
    lines.delete(line.stream);
  };
  /** Gives the next its turn, and with it those who can wait no longer an answer. */
  const giveTurn = (line: Line): void => {
    const next = line.waiting.shift();
    if (!next) {
      end(line);
      return;
    }
    const now = Date.now();
    const late = line.waiting.filter(({ dueAt }) => dueAt <= now);
    if (late.length > 0) line.waiting = line.waiting.filter(({ dueAt }) => dueAt > now);
    line.written = 0;
    line.givenAt = performance.now();
    if (line.misses < MAX_MISSES) {
      line.keptFor = next.id;
      after(line, keptMs, missed);
    } else after(line, idleMs(), giveTurn);
    for (const one of [next, ...late]) one.answer();
  };
  const missed = (line: Line): void => {
    if (line.keptFor !== null) line.late = { id: line.keptFor, givenAt: line.givenAt };
    line.keptFor = null;
    line.misses += 1;
    after(line, idleMs(), giveTurn);
    wake();
  };

  return {
    bars: (append) => {
      const line = lines.get(append.stream);
      if (!line || append.expected.kind !== "revision") return false;
      const id = append.events[0]?.id;
      const now = performance.now();
      if (line.late !== null && line.late.id === id) {
        keptMs = Math.min(MOST_KEPT_MS, Math.max(keptMs, 2 * (now - line.late.givenAt)));
        line.late = null;
        line.misses = 0;
      }
      if (line.keptFor === null) return false;
      if (id !== line.keptFor) return true;
      cameBack(now - line.givenAt);
      line.keptFor = null;
      line.misses = 0;
      after(line, keptMs, giveTurn);
      return false;
    },
    refuse: (append, deadline = Number.POSITIVE_INFINITY, answer) => {
      const { stream, expected, events } = append;
      const id = events[0]?.id;
      if (expected.kind !== "revision" || id === undefined) {
        answer();
        return;
      }
      const dueAt = Math.min(Date.now() + MAX_HOLD_MS, deadline - DEADLINE_MARGIN_MS);
      const refused = { id, dueAt, answer };
      const line = lines.get(stream);
      if (line) {
        line.waiting.push(refused);
        if (line.keptFor === null) after(line, idleMs(), giveTurn);
        return;
      }
      const begun: Line = {
        ...{ stream, waiting: [refused], keptFor: null, late: null },
        ...{ givenAt: 0, written: 0, misses: 0, timer: undefined },
      };
      lines.set(stream, begun);
      giveTurn(begun);
    },
    wrote: ({ stream }) => {
      const line = lines.get(stream);
      if (!line || line.keptFor !== null) return;
      line.written += 1;
      if (line.written >= RUN) giveTurn(line);
      else after(line, idleMs(), giveTurn);
    },
    flush: () => {
      for (const line of [...lines.values()]) {
        end(line);
        for (const { answer } of line.waiting) answer();
      }
    },
  };
};
