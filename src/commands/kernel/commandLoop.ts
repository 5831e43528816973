import type { Decider } from "../../domain/kernel/decider.ts";
import { DomainError } from "../../domain/kernel/errors.ts";
import type { Actor, DomainEvent, EventMetadata } from "../../domain/kernel/events.ts";
import type { Clock } from "../../platform/clock.ts";
import {
  AppendOutcomeUnknownError,
  LogUnavailableError,
  WrongRevisionError,
} from "../../platform/eventLog/errors.ts";
import type { EventLog, NewEvent } from "../../platform/eventLog/port.ts";
import { newId } from "../../platform/ids.ts";
import { pause } from "../../platform/pause.ts";
import { createLru } from "./lru.ts";

/** Who asks, on whose behalf and why: becomes the metadata of what is recorded. */
export type CommandContext = {
  readonly actor: Actor;
  readonly organizationId: string | null;
  readonly correlationId: string;
  readonly causationId: string;
  /** When it happened in the world; now, unless the cause says otherwise. */
  readonly occurredAt?: string;
};

/** What came of a command. `position` is null when nothing had to be recorded. */
export type Executed<State, Event> = {
  readonly state: State;
  readonly events: readonly Event[];
  /** The stream's last revision; -1n while it is empty. */
  readonly revision: bigint;
  readonly position: bigint | null;
};

type Folded<State> = { readonly state: State; readonly revision: bigint };

export type CommandLoop = {
  /**
   * Loads (or takes from memory) a stream, decides, appends at the revision it decided on.
   * A conflict reads forward and decides again; an unknown outcome is tried again with the same ids.
   * `eventId(n)` fixes the ids where the cause can come twice (webhooks, reactors).
   * Throws the decider's DomainError, `stream.contended` after too many conflicts, LogUnavailableError
   * when nothing was written, AppendOutcomeUnknownError when that is not certain.
   */
  execute<State, Command, Event extends DomainEvent>(
    decider: Decider<State, Command, Event>,
    id: string,
    command: Command,
    context: CommandContext,
    options?: { readonly eventId?: (index: number) => string },
  ): Promise<Executed<State, Event>>;
  /** The state of a stream as the log has it now. */
  load<State, Command, Event extends DomainEvent>(
    decider: Decider<State, Command, Event>,
    id: string,
  ): Promise<Folded<State>>;
};

const MAX_ATTEMPTS = 24;

/** The one load → decide → append loop. Streams that are written often stay folded in memory, so that a command costs one append. */
export const createCommandLoop = (deps: {
  log: EventLog;
  clock: Clock;
  hotStreams?: number;
}): CommandLoop => {
  const { log, clock } = deps;
  const hot = createLru<string, Folded<unknown>>(deps.hotStreams ?? 4_096);
  const queues = new Map<string, Promise<unknown>>();

  const readForward = async <State, Command, Event extends DomainEvent>(
    decider: Decider<State, Command, Event>,
    stream: string,
    from: Folded<State>,
  ): Promise<Folded<State> & { seen: ReadonlySet<string>; position: bigint | null }> => {
    let { state, revision } = from;
    let position: bigint | null = null;
    const seen = new Set<string>();
    for await (const recorded of log.readStream(stream, { from: revision + 1n })) {
      state = decider.evolve(
        state,
        decider.codec.decode({
          type: recorded.type,
          data: recorded.data,
          schemaVersion: recorded.metadata.schema_version,
        }),
      );
      revision = recorded.revision;
      position = recorded.position;
      seen.add(recorded.id);
    }
    return { state, revision, seen, position };
  };

  /** Commands on one stream of this process go one after the other: a conflict then means another process. */
  const inTurn = async <T>(stream: string, work: () => Promise<T>): Promise<T> => {
    const previous = queues.get(stream) ?? Promise.resolve();
    const mine = previous.then(work, work);
    const settled = mine.catch(() => undefined);
    queues.set(stream, settled);
    try {
      return await mine;
    } finally {
      if (queues.get(stream) === settled) queues.delete(stream);
    }
  };

  const execute: CommandLoop["execute"] = (decider, id, command, context, options = {}) => {
    const stream = `${decider.category}-${id}`;
    return inTurn(stream, async () => {
      const ids: string[] = [];
      const eventId = (index: number) => {
        ids[index] ??= options.eventId?.(index) ?? newId();
        return ids[index];
      };
      const known = (hot.get(stream) ?? null) as Folded<typeof decider.initial> | null;
      let fresh = known === null;
      let folded =
        known ?? (await readForward(decider, stream, { state: decider.initial, revision: -1n }));

      for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
        const base: Folded<typeof decider.initial> = folded;
        const decision = tryToDecide(decider, command, base.state);
        if (decision.kind !== "events" && !fresh) {
          // A refusal, or "already so", is not checked by an append: look at what others wrote first.
          folded = await readForward(decider, stream, base);
          fresh = true;
          continue;
        }
        if (decision.kind === "refused") throw decision.refusal;
        if (decision.kind === "alreadySo") {
          hot.set(stream, { state: base.state, revision: base.revision });
          return { state: base.state, events: [], revision: base.revision, position: null };
        }
        const { events } = decision;
        const now = clock().toISOString();
        const metadata: EventMetadata = {
          $correlationId: context.correlationId,
          $causationId: context.causationId,
          actor: context.actor,
          organization_id: context.organizationId,
          occurred_at: context.occurredAt ?? now,
          recorded_at: now,
          schema_version: decider.codec.schemaVersion,
        };
        const batch: NewEvent[] = events.map((event, index) => ({
          id: eventId(index),
          type: event.type,
          data: event.data,
          metadata,
        }));
        const expected = base.revision === -1n ? "no_stream" : base.revision;
        const outcome = await appendOrConflict(log, stream, batch, expected);
        if (outcome.kind === "appended") {
          const state = events.reduce(decider.evolve, base.state);
          hot.set(stream, { state, revision: outcome.revision });
          return { state, events, revision: outcome.revision, position: outcome.position };
        }
        hot.delete(stream);
        const ahead = await readForward(decider, stream, base).catch((error: unknown) => {
          throw outcome.perhapsWritten ? outcomeUnknown(error) : error;
        });
        if (outcome.perhapsWritten && ahead.seen.has(eventId(0))) {
          hot.set(stream, { state: ahead.state, revision: ahead.revision });
          return { state: ahead.state, events, revision: ahead.revision, position: ahead.position };
        }
        folded = ahead;
        fresh = true;
        await pause(Math.random() * Math.min(100, 2 ** attempt));
      }
      throw new DomainError(
        "stream.contended",
        "Too many changes at once to the same resource. Nothing was changed; try again.",
      );
    });
  };

  return {
    execute,
    load: async (decider, id) => {
      const stream = `${decider.category}-${id}`;
      const known = (hot.get(stream) ?? null) as Folded<typeof decider.initial> | null;
      const { state, revision } = await readForward(
        decider,
        stream,
        known ?? { state: decider.initial, revision: -1n },
      );
      return { state, revision };
    },
  };
};

type Decision<Event> =
  | { readonly kind: "events"; readonly events: readonly Event[] }
  | { readonly kind: "alreadySo" }
  | { readonly kind: "refused"; readonly refusal: DomainError };

const tryToDecide = <State, Command, Event extends DomainEvent>(
  decider: Decider<State, Command, Event>,
  command: Command,
  state: State,
): Decision<Event> => {
  try {
    const events = decider.decide(command, state);
    return events.length > 0 ? { kind: "events", events } : { kind: "alreadySo" };
  } catch (error) {
    if (error instanceof DomainError) return { kind: "refused", refusal: error };
    throw error;
  }
};

type AppendOutcome =
  | { readonly kind: "appended"; readonly revision: bigint; readonly position: bigint }
  | { readonly kind: "conflict"; readonly perhapsWritten: boolean };

const MAX_UNKNOWN = 5;

/** Appends; an unknown outcome is tried again with the same ids at the same place, which the log takes as the same append. */
const appendOrConflict = async (
  log: EventLog,
  stream: string,
  batch: readonly NewEvent[],
  expected: bigint | "no_stream",
): Promise<AppendOutcome> => {
  for (let unknown = 0; ; ) {
    try {
      return { kind: "appended", ...(await log.append(stream, batch, expected)) };
    } catch (error) {
      if (error instanceof WrongRevisionError)
        return { kind: "conflict", perhapsWritten: unknown > 0 };
      // A log that is away has not written this time; what it did with the first try is still open.
      const isOpen =
        error instanceof AppendOutcomeUnknownError ||
        (error instanceof LogUnavailableError && unknown > 0);
      if (!isOpen) throw error;
      if (unknown >= MAX_UNKNOWN) throw outcomeUnknown(error);
      unknown += 1;
      await pause(50 * 2 ** unknown);
    }
  }
};

/** The log went away before it could say what became of an append. Other errors stay as they are. */
const outcomeUnknown = (error: unknown): unknown =>
  error instanceof LogUnavailableError ? new AppendOutcomeUnknownError(error) : error;
