import type { Decider } from "../../domain/kernel/decider.ts";
import type { DomainEvent } from "../../domain/kernel/events.ts";
import type { Clock } from "../../platform/clock.ts";
import type { EventLog } from "../../platform/eventLog/port.ts";
import { newId } from "../../platform/ids.ts";
import type { CommandContext } from "./context.ts";
import { emptyFold, type Folded, readForward } from "./fold.ts";
import { createStateCache } from "./stateCache.ts";
import { createStreamQueues, type Executed, notWritten } from "./streamQueues.ts";

export type { CommandContext } from "./context.ts";
export type { Executed } from "./streamQueues.ts";

export type CommandLoop = {
  /**
   * Loads (or takes from memory) a stream, decides, appends at the revision it decided on. Commands on
   * one stream of this process go in turn; those that wait are decided together and appended at once.
   * A conflict reads forward and decides again; an unknown outcome is tried again with the same ids.
   * `eventId(n)` fixes the ids where the cause can come twice (webhooks, reactors); a context with `ids`
   * does the same, and with `again` what stands in the log under them is the outcome.
   * Throws the decider's DomainError, `stream.contended` after too many conflicts, `stream.deleted`,
   * LogUnavailableError when nothing was written, AppendOutcomeUnknownError when that is not certain.
   */
  execute<State, Command, Event extends DomainEvent>(
    decider: Decider<State, Command, Event>,
    id: string,
    command: Command,
    context: CommandContext,
    options?: { readonly eventId?: (index: number) => string },
  ): Promise<Executed<State, Event>>;
  /** The state of a stream as the log has it now. Throws `stream.deleted`. */
  load<State, Command, Event extends DomainEvent>(
    decider: Decider<State, Command, Event>,
    id: string,
  ): Promise<{ readonly state: State; readonly revision: bigint }>;
  /**
   * What came of a command of a request that comes again, where it was recorded the time before; null where
   * it was not. What it rested on then need not hold any more.
   */
  findDone<State, Command extends { readonly type: string }, Event extends DomainEvent>(
    decider: Decider<State, Command, Event>,
    id: string,
    commandType: Command["type"],
    context: CommandContext,
  ): Promise<Executed<State, Event> | null>;
};

/** The one load → decide → append loop. Streams that are written often stay folded in memory, so that a command costs one append. */
export const createCommandLoop = (deps: {
  readonly log: EventLog;
  readonly clock: Clock;
  /** How many streams stay folded, at most (4,096). */
  readonly hotStreams?: number;
}): CommandLoop => {
  const { log, clock } = deps;
  const hot = createStateCache(deps.hotStreams ?? 4_096);
  const lanes = createStreamQueues({ log, clock, hot });

  return {
    execute: (decider, id, command, context, options = {}) => {
      const stream = `${decider.category}-${id}`;
      const fixed = options.eventId ?? fixedIds(context, stream, typeOf(command));
      return lanes.enter(stream, {
        decider,
        command,
        context,
        idAt: remembered(fixed ?? newId),
        // Ids of a cause that may come twice: the log may have them.
        perhapsThere: fixed !== null && context.first !== true,
        keyed: options.eventId === undefined && context.ids !== undefined,
        again: context.again === true && context.ids !== undefined,
      });
    },

    load: async (decider, id) => {
      const stream = `${decider.category}-${id}`;
      const known = hot.get(stream) as Folded<typeof decider.initial> | undefined;
      const reading = readForward(log, decider, stream, known ?? emptyFold(decider));
      const { folded } = await reading.catch(told);
      // What a command has put there meanwhile is as new, or newer.
      if (hot.get(stream) === known && folded.revision >= 0n) hot.set(stream, folded);
      return { state: folded.state, revision: folded.revision };
    },

    findDone: async (decider, id, commandType, context) => {
      const stream = `${decider.category}-${id}`;
      const idAt = fixedIds(context, stream, commandType);
      if (context.again !== true || idAt === null) return null;
      const wanted = { idAt };
      const reading = readForward(log, decider, stream, emptyFold(decider), [wanted]);
      const { found } = await reading.catch(told);
      return found.get(wanted) ?? null;
    },
  };
};

/** Throws what a caller is told of a read that failed. */
const told = (error: unknown): never => {
  throw notWritten(error);
};

/** The ids of a command's events where the request has ids of its own; null otherwise. */
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

/** Ids stay the same however often a command is decided: that is how an unknown outcome is settled. */
const remembered = (make: (index: number) => string): ((index: number) => string) => {
  const made: string[] = [];
  return (index) => {
    made[index] ??= make(index);
    return made[index];
  };
};
