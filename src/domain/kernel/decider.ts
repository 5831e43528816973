import type { Codec, DomainEvent } from "./events.ts";

/**
 * An aggregate: pure functions over one stream `category-id`.
 *
 * `decide` returns the events that a command causes, `[]` when it is already so, and throws a
 * DomainError when a rule forbids it. It is re-run on a conflict, so it does nothing but decide:
 * time, ids, prices and facts from elsewhere arrive in the command.
 */
export type Decider<State, Command, Event extends DomainEvent> = {
  /** The stream's category: no dash in it. */
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
