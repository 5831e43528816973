import type { Actor } from "../../domain/kernel/events.ts";
import { newId } from "../../platform/ids.ts";

/** The actor, organization and cause of a command: the metadata of its events. */
export type CommandContext = {
  readonly actor: Actor;
  readonly organizationId: string | null;
  readonly correlationId: string;
  readonly causationId: string;
  /** When the fact occurred; now by default. */
  readonly occurredAt?: string;
  /** The command's type, if its events record it. */
  readonly command?: string;
  /** The W3C `traceparent` of the request, if tracing is enabled. */
  readonly traceparent?: string;
  /** Returns the id for a purpose: equal for repetitions of a request (Idempotency-Key). */
  readonly ids?: (purpose: string) => string;
  /** The request is repeated and its first outcome is unknown: events that it recorded are its result. Requires `ids`. */
  readonly again?: true;
  /** The request is certainly not repeated: the log need not be searched for its events. Requires `ids`. */
  readonly first?: true;
};

/** The id of a new resource: the request's id for the purpose, or a random one. */
export const idFor = (context: CommandContext, purpose: string): string =>
  context.ids?.(purpose) ?? newId();

/** The context of a part of a request, so that several parts can use the same purposes. */
export const partOf = (context: CommandContext, name: string): CommandContext => {
  const { ids } = context;
  return ids ? { ...context, ids: (purpose) => ids(`${name}: ${purpose}`) } : context;
};

/** The context of a side effect that is not bound to one request: its ids are random. */
export const withNewIds = ({
  ids: _,
  again: __,
  first: ___,
  ...context
}: CommandContext): CommandContext => context;
