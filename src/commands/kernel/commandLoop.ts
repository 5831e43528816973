import type { Decider } from "../../domain/kernel/decider.ts";
import type { DomainEvent } from "../../domain/kernel/events.ts";
import type { Clock } from "../../platform/clock.ts";
import type { EventLog } from "../../platform/eventLog/port.ts";
import { newId } from "../../platform/ids.ts";
import type { CommandContext } from "./context.ts";
import { emptyFold, type Folded, readForward } from "./fold.ts";
import { type Executed, notWritten } from "./queuedCommand.ts";
import { createStateCache } from "./stateCache.ts";
import { createStreamQueues } from "./streamQueues.ts";

export type { CommandContext } from "./context.ts";
export type { Executed } from "./queuedCommand.ts";

export type CommandLoop = {
  /**
   * Loads a stream or takes its state from the cache, decides, and appends at the revision of that state.
   * Commands of this process on one stream are executed sequentially; waiting ones are decided together.
   * After a conflict the command is decided again; an append of unknown outcome is repeated with the same ids.
   * `eventId(n)` fixes the event ids for a cause that may be repeated (webhooks, reactors), as does a
   * context with `ids`; with `again`, events in the log with these ids are the result.
   * Throws the decider's DomainError, `stream.contended` after too many conflicts, `stream.deleted`,
   * LogUnavailableError if nothing was written, AppendOutcomeUnknownError if that is uncertain.
   */
  execute<State, Command, Event extends DomainEvent>(
    decider: Decider<State, Command, Event>,
    id: string,
    command: Command,
    context: CommandContext,
    options?: { readonly eventId?: (index: number) => string },
  ): Promise<Executed<State, Event>>;
  /** Reads the current state of a stream. Throws `stream.deleted`. */
  load<State, Command, Event extends DomainEvent>(
    decider: Decider<State, Command, Event>,
    id: string,
  ): Promise<{ readonly state: State; readonly revision: bigint }>;
  /**
   * The result of a command of a repeated request, if its first execution recorded events; otherwise null.
   * The command is not decided again, because its preconditions may no longer hold.
   */
  findDone<State, Command extends { readonly type: string }, Event extends DomainEvent>(
    decider: Decider<State, Command, Event>,
    id: string,
    commandType: Command["type"],
    context: CommandContext,
  ): Promise<Executed<State, Event> | null>;
};

/** Creates the load, decide, append loop. The states of recently written streams are cached, so that a command costs one append. */
export const createCommandLoop = (deps: {
  readonly log: EventLog;
  readonly clock: Clock;
  /** The maximum of cached streams; 4,096 by default. */
  readonly cachedStreams?: number;
}): CommandLoop => {
  const { log, clock } = deps;
  const cache = createStateCache(deps.cachedStreams ?? 4_096);
  const queues = createStreamQueues({ log, clock, cache });

  return {
    execute: (decider, id, command, context, options = {}) => {
      const stream = `${decider.category}-${id}`;
      const fixed = options.eventId ?? fixedIds(context, stream, typeOf(command));
      return queues.submit(stream, {
        decider,
        command,
        context,
        idAt: memoized(fixed ?? newId),
        mayBeRecorded: fixed !== null && context.first !== true,
        isKeyed: options.eventId === undefined && context.ids !== undefined,
        isRepeated: context.again === true && context.ids !== undefined,
      });
    },

    load: async (decider, id) => {
      const stream = `${decider.category}-${id}`;
      const known = cache.get(stream) as Folded<typeof decider.initial> | undefined;
      const reading = readForward(log, decider, stream, known ?? emptyFold(decider));
      const { folded } = await reading.catch(rethrowRead);
      // A command may have cached a newer state meanwhile.
      if (cache.get(stream) === known && folded.revision >= 0n) cache.set(stream, folded);
      return { state: folded.state, revision: folded.revision };
    },

    findDone: async (decider, id, commandType, context) => {
      const stream = `${decider.category}-${id}`;
      const idAt = fixedIds(context, stream, commandType);
      if (context.again !== true || idAt === null) return null;
      const wanted = { idAt };
      const reading = readForward(log, decider, stream, emptyFold(decider), [wanted]);
      const { found } = await reading.catch(rethrowRead);
      return found.get(wanted) ?? null;
    },
  };
};

const rethrowRead = (error: unknown): never => {
  throw notWritten(error);
};

/** The event ids of a command in a request with fixed ids; null otherwise. */
const fixedIds = (
  context: CommandContext,
  stream: string,
  commandType: string,
): ((index: number) => string) | null => {
  const { ids } = context;
  return ids ? (index) => ids(`${stream} ${commandType} ${index}`) : null;
};

const typeOf = (command: unknown): string => {
  const { type } = command as { type?: unknown };
  return typeof type === "string" ? type : "";
};

/** Every decision of a command uses the same ids, so that a repeated append is recognised. */
const memoized = (make: (index: number) => string): ((index: number) => string) => {
  const made: string[] = [];
  return (index) => {
    made[index] ??= make(index);
    return made[index];
  };
};
