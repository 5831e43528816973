import type { Actor } from "../../domain/kernel/events.ts";
import { newId } from "../../platform/ids.ts";

/** Who asks, on whose behalf and why: becomes the metadata of what is recorded. */
export type CommandContext = {
  readonly actor: Actor;
  readonly organizationId: string | null;
  readonly correlationId: string;
  readonly causationId: string;
  /** When it happened in the world; now, unless the cause says otherwise. */
  readonly occurredAt?: string;
  /** The decider's name of the command, where its events are to say it. */
  readonly command?: string;
  /** The trace that it is part of (W3C `traceparent`), while traces are kept. */
  readonly traceparent?: string;
  /** Gives ids by what each is for, the same ones whenever the same request comes again (Idempotency-Key). */
  readonly ids?: (purpose: string) => string;
  /** The request was begun before and nobody knows how it ended: what it recorded then counts. With `ids`. */
  readonly again?: true;
  /** The request was never begun before: nothing of it can stand in the log, which need not be asked. With `ids`. */
  readonly first?: true;
};

/** The id that something new gets: the one that the request was given for it, where it may come again. */
export const idFor = (context: CommandContext, purpose: string): string =>
  context.ids?.(purpose) ?? newId();

/** The context of a part of a request, where several parts ask for ids of the same purposes. */
export const partOf = (context: CommandContext, name: string): CommandContext => {
  const { ids } = context;
  return ids ? { ...context, ids: (purpose) => ids(`${name}: ${purpose}`) } : context;
};

/** The context of what is done besides a request, and not once for it: its ids are new each time. */
export const withNewIds = ({
  ids: _,
  again: __,
  first: ___,
  ...context
}: CommandContext): CommandContext => context;
