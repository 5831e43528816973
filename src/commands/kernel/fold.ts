import type { Decider } from "../../domain/kernel/decider.ts";
import type { DomainEvent } from "../../domain/kernel/events.ts";
import type { EventLog } from "../../platform/eventLog/port.ts";

/** The state of a stream at a revision. `lastId` is the id of the event at the revision, null without one. */
export type Folded<State> = {
  readonly state: State;
  /** -1n while the stream is empty. */
  readonly revision: bigint;
  readonly lastId: string | null;
};

/** The recorded events of a command, and the state after the last of them. */
export type FoundEvents<State, Event> = {
  readonly state: State;
  readonly events: readonly Event[];
  readonly revision: bigint;
  readonly position: bigint;
  /** When they occurred, as recorded. */
  readonly at: string;
};

/** The event ids of a command, by index. */
export type Wanted = { readonly idAt: (index: number) => string };

type AnyDecider<State, Event extends DomainEvent> = Pick<
  Decider<State, never, Event>,
  "initial" | "codec" | "evolve"
>;

export const emptyFold = <State>(decider: { readonly initial: State }): Folded<State> => ({
  state: decider.initial,
  revision: -1n,
  lastId: null,
});

/**
 * Folds the new events of a stream, and finds the events of the wanted commands among them. The event at
 * `from` is read again as a check: if it differs, the stream was deleted, truncated or restored, and is
 * folded from its start.
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
    const soFar = current && found.get(current);
    const goesOn = current && recorded.id === current.idAt(soFar?.events.length ?? 0);
    if (!goesOn) current = first.get(recorded.id) ?? null;
    if (current) {
      found.set(current, {
        state,
        events: [...(goesOn ? (soFar?.events ?? []) : []), event],
        revision,
        position: recorded.position,
        at: recorded.metadata.occurred_at,
      });
    }
  }
  if (!isChecked) return readForward(log, decider, stream, emptyFold(decider), wanted);
  return { folded: { state, revision, lastId }, found };
};
