import type { Codec, DomainEvent } from "./events.ts";

/**
 * An aggregate: pure functions over one stream `category-id`.
 *
 * `decide` returns the events of a command, `[]` if the state is as requested already, and throws DomainError if a
 * rule forbids the command. It runs again after a conflict, so it must be pure: time, ids, prices and external facts
 * are in the command.
 */
export type Decider<State, Command, Event extends DomainEvent> = {
  /** The category of the stream, without a dash. */
  readonly category: string;
  readonly initial: State;
  readonly codec: Codec<Event>;
  evolve(state: State, event: Event): State;
  decide(command: Command, state: State): readonly Event[];
};

/** Folds a history into a state. */
export const fold = <State, Event extends DomainEvent>(
  decider: Pick<Decider<State, never, Event>, "initial" | "evolve">,
  events: Iterable<Event>,
): State => {
  let state = decider.initial;
  for (const event of events) state = decider.evolve(state, event);
  return state;
};
