import { DomainError } from "../../domain/kernel/errors.ts";
import type { DomainEvent } from "../../domain/kernel/events.ts";
import {
  AppendOutcomeUnknownError,
  LogUnavailableError,
  StreamDeletedError,
} from "../../platform/eventLog/errors.ts";
import type { Order } from "./decideBatch.ts";

/** The result of a command. `position` and `at` are null if the command recorded no event. */
export type Executed<State, Event> = {
  readonly state: State;
  readonly events: readonly Event[];
  /** The stream's revision after the command, -1n while the stream is empty. */
  readonly revision: bigint;
  readonly position: bigint | null;
  /** When the command's events occurred, as recorded. */
  readonly at: string | null;
};

/** A command for a stream. */
export type SubmittedCommand<State, Command, Event extends DomainEvent> = Order<
  State,
  Command,
  Event
> & {
  /** The ids derive from a cause that may be repeated: the log may already contain these events. */
  readonly mayBeRecorded: boolean;
  /** The ids belong to a request that the caller may repeat: events found under them are its outcome. */
  readonly isKeyed: boolean;
  /** The request is a repetition: the log is searched for its events before the decision. */
  readonly isRepeated: boolean;
};

/** A command in a stream's queue. */
export type QueuedCommand<State, Command, Event extends DomainEvent> = SubmittedCommand<
  State,
  Command,
  Event
> & {
  readonly since: number;
  conflicts: number;
  /** An append of several commands was refused: the command is executed alone. */
  isSeparate: boolean;
  readonly resolve: (executed: Executed<State, Event>) => void;
  readonly reject: (error: unknown) => void;
};

// biome-ignore lint/suspicious/noExplicitAny: a queue holds commands of any decider.
export type AnyQueued = QueuedCommand<any, any, any>;

/** Limits of one command: commands that are decided together, conflicts, and their total time. */
const MAX_BATCH = 64;
const MAX_CONFLICTS = 24;
const MAX_CONFLICTS_MS = 10_000;

/** Moves commands that can be decided with `open` from the queue. Repeated and separate commands are executed alone. */
export const takeNext = (queue: AnyQueued[], open: readonly AnyQueued[]): AnyQueued[] => {
  const taken = [...open];
  while (taken.length < MAX_BATCH) {
    const next = queue[0];
    const first = taken[0];
    if (!next || (first && !canShareBatch(first, next))) break;
    queue.shift();
    taken.push(next);
  }
  return taken;
};

const canShareBatch = (one: AnyQueued, other: AnyQueued): boolean =>
  one.decider === other.decider && !isAlone(one) && !isAlone(other);

const isAlone = ({ isRepeated, isSeparate }: AnyQueued): boolean => isRepeated || isSeparate;

/** Counts a conflict. Returns false and rejects the command with `stream.contended` if there were too many. */
export const canRetryConflict = (command: AnyQueued): boolean => {
  command.conflicts += 1;
  const isTooLong = performance.now() - command.since > MAX_CONFLICTS_MS;
  if (command.conflicts < MAX_CONFLICTS && !isTooLong) return true;
  command.reject(
    new DomainError(
      "stream.contended",
      "Too many changes at once to the same resource. Nothing was changed; try again.",
    ),
  );
  return false;
};

/** Whether the log is unavailable or did not answer. Other errors are about the append itself. */
export const isLogFailure = (error: unknown): boolean =>
  error instanceof LogUnavailableError || error instanceof AppendOutcomeUnknownError;

/** The error of a command that certainly wrote nothing. */
export const notWritten = (error: unknown): unknown => {
  if (error instanceof AppendOutcomeUnknownError) return new LogUnavailableError(error);
  if (error instanceof StreamDeletedError) {
    return new DomainError("stream.deleted", "This was deleted for good, with its history.");
  }
  return error;
};
