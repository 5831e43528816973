import type { Decider } from "../../domain/kernel/decider.ts";
import type { DomainEvent } from "../../domain/kernel/events.ts";
import type { EventLog } from "../../platform/eventLog/port.ts";

/** A stream folded up to a revision. `lastId` is the id of the event there; null where none was seen. */
export type Folded<State> = {
  readonly state: State;
  /** -1n while the stream is empty. */
  readonly revision: bigint;
  readonly lastId: string | null;
};

/** Events of a command that stand in the log already, and the state after the last of them. */
export type FoundEvents<State, Event> = {
  readonly state: State;
  readonly events: readonly Event[];
  readonly revision: bigint;
  readonly position: bigint;
  /** When they occurred, as it was recorded. */
  readonly at: string;
};

/** Looks for one command's events: its ids by index, in order. */
export type Wanted = { readonly idAt: (index: number) => string };

type AnyDecider<State, Event extends DomainEvent> = Pick<
  Decider<State, never, Event>,
  "initial" | "codec" | "evolve"
>;

/** What a stream is before anything was read of it. */
export const emptyFold = <State>(decider: { readonly initial: State }): Folded<State> => ({
  state: decider.initial,
  revision: -1n,
  lastId: null,
});

/**
 * Brings a folded stream up to what the log has now, and finds there what is wanted. The event that
 * was last is read again: is it not there any more, or another, the stream was deleted, truncated or
 * restored behind our back, and is folded anew.
 */
export const readForward = async <State, Event extends DomainEvent>(
  log: Pick<EventLog, "readStream">,
  decider: AnyDecider<State, Event>,
  stream: string,
  from: Folded<State>,
  wanted: readonly Wanted[] = [],
): Promise<{
  readonly folded: Folded<State>;
  readonly found: ReadonlyMap<Wanted, FoundEvents<State, Event>>;
}> => {
  const found = new Map<Wanted, FoundEvents<State, Event>>();
  const first = new Map(wanted.map((one) => [one.idAt(0), one]));
  let { state, revision, lastId } = from;
  let current: Wanted | null = null;
  let isChecked = lastId === null;
  if (isChecked) ({ state, revision, lastId } = emptyFold(decider));

  for await (const recorded of log.readStream(stream, isChecked ? {} : { from: revision })) {
    if (!isChecked) {
      if (recorded.revision !== revision || recorded.id !== lastId) break;
      isChecked = true;
      continue;
    }
    const event = decider.codec.decode({
      type: recorded.type,
      data: recorded.data,
      schemaVersion: recorded.metadata.schema_version,
    });
    state = decider.evolve(state, event);
    ({ revision, id: lastId } = recorded);
    const sofar = current && found.get(current);
    const goesOn = current && recorded.id === current.idAt(sofar?.events.length ?? 0);
    if (!goesOn) current = first.get(recorded.id) ?? null;
    if (current) {
      found.set(current, {
        state,
        events: [...(goesOn ? (sofar?.events ?? []) : []), event],
        revision,
        position: recorded.position,
        at: recorded.metadata.occurred_at,
      });
    }
  }
  if (!isChecked) return readForward(log, decider, stream, emptyFold(decider), wanted);
  return { folded: { state, revision, lastId }, found };
};
