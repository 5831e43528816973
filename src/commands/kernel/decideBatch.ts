import type { Decider } from "../../domain/kernel/decider.ts";
import { DomainError } from "../../domain/kernel/errors.ts";
import type { DomainEvent, EventMetadata } from "../../domain/kernel/events.ts";
import type { Clock } from "../../platform/clock.ts";
import type { NewEvent } from "../../platform/eventLog/port.ts";
import type { CommandContext } from "./context.ts";

/** A command with its decider, context and event ids. */
export type Order<State, Command, Event extends DomainEvent> = {
  readonly decider: Decider<State, Command, Event>;
  readonly command: Command;
  readonly context: CommandContext;
  /** The ids of its events, equal for every decision. */
  readonly idAt: (index: number) => string;
};

// biome-ignore lint/suspicious/noExplicitAny: the decider depends on the stream.
type AnyOrder = Order<any, any, any> & { readonly reject: (error: unknown) => void };

/** The decision on one command. */
export type Decided<One extends AnyOrder> = {
  readonly order: One;
  readonly events: readonly DomainEvent[];
  /** The state after its events. */
  // biome-ignore lint/suspicious/noExplicitAny: the decider depends on the stream.
  readonly state: any;
  readonly refusal: DomainError | null;
  /** When its events occurred; set by `eventsToAppend`. */
  at: string | null;
};

/** Decides commands in order, each on the outcome of the ones before it. A command whose decider throws anything but DomainError is rejected and left out. */
export const decideBatch = <One extends AnyOrder>(
  orders: readonly One[],
  from: unknown,
): Decided<One>[] => {
  const decided: Decided<One>[] = [];
  let state = from;
  for (const order of orders) {
    const { decider, command } = order;
    try {
      const events: readonly DomainEvent[] = decider.decide(command, state);
      state = events.reduce(decider.evolve, state);
      decided.push({ order, events, state, refusal: null, at: null });
    } catch (error) {
      if (error instanceof DomainError)
        decided.push({ order, events: [], state, refusal: error, at: null });
      else order.reject(error);
    }
  }
  return decided;
};

/** The events of all decisions in order, with metadata. */
export const eventsToAppend = (
  decided: readonly Decided<AnyOrder>[],
  clock: Clock,
): readonly NewEvent[] => {
  const batch: NewEvent[] = [];
  let now: string | null = null;
  for (const one of decided) {
    if (one.events.length === 0) continue;
    now ??= clock().toISOString();
    const { context, decider, idAt } = one.order;
    const metadata: EventMetadata = {
      $correlationId: context.correlationId,
      $causationId: context.causationId,
      actor: context.actor,
      organization_id: context.organizationId,
      occurred_at: context.occurredAt ?? now,
      recorded_at: now,
      schema_version: decider.codec.schemaVersion,
      ...(context.command === undefined ? {} : { command: context.command }),
      ...(context.traceparent === undefined ? {} : { traceparent: context.traceparent }),
    };
    one.at = metadata.occurred_at;
    for (const [index, { type, data }] of one.events.entries()) {
      batch.push({ id: idAt(index), type, data, metadata });
    }
  }
  return batch;
};
