import { DomainError } from "../../domain/kernel/errors.ts";
import type { DomainEvent } from "../../domain/kernel/events.ts";
import type { Clock } from "../../platform/clock.ts";
import {
  AppendOutcomeUnknownError,
  LogUnavailableError,
  StreamDeletedError,
} from "../../platform/eventLog/errors.ts";
import type { EventLog } from "../../platform/eventLog/port.ts";
import { sleep } from "../../platform/sleep.ts";
import { type AppendOutcome, appendBatch, outcomeUnknown } from "./appendBatch.ts";
import { createConflictBackoff } from "./conflictBackoff.ts";
import { type Decided, decideBatch, eventsToAppend, type Order } from "./decideBatch.ts";
import { emptyFold, type Folded, readForward } from "./fold.ts";
import type { StateCache } from "./stateCache.ts";

/** What came of a command. `position` and `at` are null when nothing had to be recorded. */
export type Executed<State, Event> = {
  readonly state: State;
  readonly events: readonly Event[];
  /** The stream's revision after it; -1n while it is empty. */
  readonly revision: bigint;
  readonly position: bigint | null;
  /** When it happened, as recorded. */
  readonly at: string | null;
};

/** A command on its stream, until it is settled. */
export type Waiting<State, Command, Event extends DomainEvent> = Order<State, Command, Event> & {
  /** Its ids are those of a cause that may come twice: the log may have them. */
  readonly perhapsThere: boolean;
  /** What the log has under its ids is its outcome, of then: it is a request's, that the caller may send again. */
  readonly keyed: boolean;
  /** That request comes again: the log is asked before anything is decided. */
  readonly again: boolean;
  readonly resolve: (executed: Executed<State, Event>) => void;
  readonly reject: (error: unknown) => void;
};

type Queued<State, Command, Event extends DomainEvent> = Waiting<State, Command, Event> & {
  readonly since: number;
  conflicts: number;
  /** The log refused an append that it was part of: it goes by itself. */
  alone: boolean;
};

// biome-ignore lint/suspicious/noExplicitAny: a stream's decider decides what its commands are; the queue holds any.
type AnyQueued = Queued<any, any, any>;

/** So many commands are decided together at most. */
const MAX_TOGETHER = 64;
/** After so many conflicts, or so many milliseconds of them, a command is given up: the caller may try again. */
const MAX_CONFLICTS = 24;
const MAX_CONFLICTS_MS = 10_000;
/** Who has waited so long behind an append that failed, in milliseconds, hears of it too. */
const WAITED_LONG_MS = 2_000;

/**
 * Commands on one stream of this process go one after the other: a conflict then means another process.
 * Those that come while an append is under way are decided in turn, each on what the ones before it do,
 * and appended at once, all or nothing.
 */
export const createStreamQueues = (deps: {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly hot: StateCache;
}) => {
  const { log, clock, hot } = deps;
  const lanes = new Map<string, AnyQueued[]>();
  const contention = createConflictBackoff();

  const run = async (stream: string, queue: AnyQueued[]): Promise<void> => {
    for (let open = takeNext(queue, []); open.length > 0; open = takeNext(queue, [])) {
      const failure = await settleAll(stream, open, queue).then(
        () => null,
        (error: unknown) => {
          hot.delete(stream);
          return error;
        },
      );
      if (!isTrouble(failure)) continue;
      const longAgo = performance.now() - WAITED_LONG_MS;
      while (queue[0] && queue[0].since < longAgo) queue.shift()?.reject(notWritten(failure));
    }
    lanes.delete(stream);
  };

  /** Takes commands of one decider to their end. Rejects, once they are settled, when the log failed. */
  const settleAll = async (
    stream: string,
    taken: AnyQueued[],
    queue: AnyQueued[],
  ): Promise<void> => {
    let open = taken;
    const { decider } = open[0] as AnyQueued;
    const known = hot.get(stream);
    let base: Folded<unknown> = known ?? emptyFold(decider);
    // Whether the log was read since the last of these came: less is no ground for recording nothing.
    let isFresh = false;
    // How far the stream goes although it shows no event: they were truncated, or are too old.
    let hidden: bigint | null = null;
    // After a conflict, and whose events may then stand there.
    let mustLook = false;
    let suspects: readonly AnyQueued[] = [];
    // Whose events may be in the log although no answer said so.
    let unsettled: readonly AnyQueued[] = [];

    const look = async (from: Folded<unknown>, suspects: readonly AnyQueued[]): Promise<void> => {
      const { folded, found } = await readForward(log, decider, stream, from, suspects);
      base = folded;
      isFresh = true;
      hot.set(stream, folded);
      mustLook = false;
      unsettled = [];
      for (const [one, outcome] of found) (one as AnyQueued).resolve(outcome);
      open = open.filter((one) => !found.has(one));
    };

    try {
      if (open[0]?.again) await look(emptyFold(decider), open);
      // A log that has these ids would take an append of them at the start for the same once more.
      else if (!known && open.some(mayBeThere)) await look(base, []);

      while (open.length > 0) {
        const wait = contention.waitFor(stream);
        if (wait > 0) await sleep(wait);
        // Where others write too, what is remembered is most likely behind.
        if (wait > 0 || mustLook) await look(base, suspects);
        const decided = decideBatch(open, base.state);
        open = decided.map(({ order }) => order);
        const batch = eventsToAppend(decided, clock);
        if (batch.length === 0) {
          if (isFresh) return settle(decided, base.revision, null);
          await look(base, []);
          continue;
        }
        const isGuess = !known && !isFresh;
        const expected: bigint | "no_stream" =
          base.revision === -1n ? (hidden ?? "no_stream") : base.revision;
        const writing = decided.filter(hasEvents).map(({ order }) => order);
        const began = performance.now();
        const outcome: AppendOutcome = await appendBatch(log, stream, batch, expected).catch(
          (error: unknown) => {
            if (error instanceof AppendOutcomeUnknownError) unsettled = writing;
            throw error;
          },
        );
        const tookMs = performance.now() - began;
        if (outcome.kind === "appended") {
          contention.succeeded(stream, tookMs);
          const state = decided.at(-1)?.state;
          const lastId = batch.at(-1)?.id ?? null;
          hot.set(stream, { state, revision: outcome.revision, lastId });
          return settle(decided, outcome.revision - BigInt(batch.length), outcome.position);
        }
        hidden = outcome.actual;
        if (outcome.perhapsWritten) {
          unsettled = writing;
          suspects = writing;
          await look(base, writing);
        } else if (!isGuess) {
          contention.conflicted(stream, tookMs);
        }
        suspects = open.filter(isKeyed);
        open = takeNext(queue, open.filter(hasPatience));
        mustLook = true;
      }
    } catch (error) {
      if (!isTrouble(error) && open.length > 1) {
        // One of them, or all together: each by itself tells.
        for (const one of open) one.alone = true;
        queue.unshift(...open);
        return;
      }
      for (const one of open) {
        one.reject(unsettled.includes(one) ? outcomeUnknown(error) : notWritten(error));
      }
      throw error;
    }
  };

  return {
    /** Executes a command on a stream, in its turn. */
    enter: <State, Command, Event extends DomainEvent>(
      stream: string,
      order: Omit<Waiting<State, Command, Event>, "resolve" | "reject">,
    ): Promise<Executed<State, Event>> =>
      new Promise((resolve, reject) => {
        const since = performance.now();
        const queued: Queued<State, Command, Event> = {
          ...order,
          resolve,
          reject,
          since,
          conflicts: 0,
          alone: false,
        };
        const queue = lanes.get(stream);
        if (queue) {
          queue.push(queued);
          return;
        }
        const mine: AnyQueued[] = [queued];
        lanes.set(stream, mine);
        void run(stream, mine);
      }),
  };
};

/** Adds to those that are open who may be decided with them. One that comes again, or goes alone, has company of none. */
const takeNext = (queue: AnyQueued[], open: readonly AnyQueued[]): AnyQueued[] => {
  const taken = [...open];
  while (taken.length < MAX_TOGETHER) {
    const next = queue[0];
    const first = taken[0];
    if (!next) break;
    const goes = !first || (!first.again && !first.alone && !next.again && !next.alone);
    if (!goes || (first && next.decider !== first.decider)) break;
    queue.shift();
    taken.push(next);
  }
  return taken;
};

/** Counts a conflict; one too many ends it. */
const hasPatience = (one: AnyQueued): boolean => {
  one.conflicts += 1;
  const isLong = performance.now() - one.since > MAX_CONFLICTS_MS;
  if (one.conflicts < MAX_CONFLICTS && !isLong) return true;
  one.reject(
    new DomainError(
      "stream.contended",
      "Too many changes at once to the same resource. Nothing was changed; try again.",
    ),
  );
  return false;
};

/** Tells each what came of it. `before` is the stream's revision before the first of their events. */
const settle = (
  decided: readonly Decided<AnyQueued>[],
  before: bigint,
  position: bigint | null,
): void => {
  let revision = before;
  for (const { order, events, state, refusal, at } of decided) {
    revision += BigInt(events.length);
    if (refusal !== null) order.reject(refusal);
    else if (events.length === 0)
      order.resolve({ state, events: [], revision, position: null, at: null });
    else order.resolve({ state, events, revision, position, at });
  }
};

const hasEvents = ({ events }: Decided<AnyQueued>): boolean => events.length > 0;

const mayBeThere = (one: AnyQueued): boolean => one.perhapsThere;

const isKeyed = (one: AnyQueued): boolean => one.keyed;

/** The log is away, or was when it should have answered. Anything else is about what was asked of it. */
const isTrouble = (error: unknown): boolean =>
  error instanceof LogUnavailableError || error instanceof AppendOutcomeUnknownError;

/** What a command is told of a failure that cannot have left anything of it in the log. */
export const notWritten = (error: unknown): unknown => {
  if (error instanceof AppendOutcomeUnknownError) return new LogUnavailableError(error);
  if (error instanceof StreamDeletedError) {
    return new DomainError("stream.deleted", "This was deleted for good, with its history.");
  }
  return error;
};
