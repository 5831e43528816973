import type { DomainEvent } from "../../domain/kernel/events.ts";
import type { Clock } from "../../platform/clock.ts";
import type { EventLog } from "../../platform/eventLog/port.ts";
import { createConflictBackoff } from "./conflictBackoff.ts";
import { executeBatch } from "./executeBatch.ts";
import {
  type AnyQueued,
  type Executed,
  isLogFailure,
  notWritten,
  type QueuedCommand,
  type SubmittedCommand,
  takeNext,
} from "./queuedCommand.ts";
import type { StateCache } from "./stateCache.ts";

/** The time in milliseconds after which a waiting command fails with the commands before it. */
const LONG_WAIT_MS = 2_000;

/**
 * Executes the commands of this process on one stream sequentially, so that a conflict always means another
 * process. Commands that wait during an append are decided together, each on the outcome of the ones
 * before it, and appended atomically.
 */
export const createStreamQueues = (deps: {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly cache: StateCache;
}) => {
  const queues = new Map<string, AnyQueued[]>();
  const shared = { ...deps, backoff: createConflictBackoff() };

  const run = async (stream: string, queue: AnyQueued[]): Promise<void> => {
    for (let open = takeNext(queue, []); open.length > 0; open = takeNext(queue, [])) {
      const failure = await executeBatch(shared, stream, open, queue).then(
        () => null,
        (error: unknown) => {
          deps.cache.delete(stream);
          return error;
        },
      );
      if (!isLogFailure(failure)) continue;
      const longAgo = performance.now() - LONG_WAIT_MS;
      while (queue[0] && queue[0].since < longAgo) queue.shift()?.reject(notWritten(failure));
    }
    queues.delete(stream);
  };

  return {
    /** Queues a command on a stream and executes it in its turn. */
    submit: <State, Command, Event extends DomainEvent>(
      stream: string,
      command: SubmittedCommand<State, Command, Event>,
    ): Promise<Executed<State, Event>> =>
      new Promise((resolve, reject) => {
        const since = performance.now();
        const queued: QueuedCommand<State, Command, Event> = {
          ...command,
          resolve,
          reject,
          since,
          conflicts: 0,
          isSeparate: false,
        };
        const queue = queues.get(stream);
        if (queue) {
          queue.push(queued);
          return;
        }
        const created: AnyQueued[] = [queued];
        queues.set(stream, created);
        void run(stream, created);
      }),
  };
};
