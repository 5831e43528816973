import type { z } from "zod";

/** Who caused an event. `name` only for API keys and schedules: a person's name is never in the log. */
export type Actor = {
  readonly type: "user" | "api_key" | "schedule" | "provider" | "agent" | "system";
  readonly id: string;
  readonly name?: string;
};

/** Metadata of every event, in the shape in which it is stored. `$correlationId` and `$causationId` are EventStoreDB's own names, so its tools show our chains. */
export type EventMetadata = {
  readonly $correlationId: string;
  readonly $causationId: string;
  readonly actor: Actor;
  readonly organization_id: string | null;
  /** When it happened in the world (ISO 8601, UTC, milliseconds). */
  readonly occurred_at: string;
  /** When it was written down. */
  readonly recorded_at: string;
  readonly schema_version: number;
  /** What was asked for, where auditors ask: the decider's own name of the command. */
  readonly command?: string;
  /** W3C Trace Context: the trace that it is part of, while traces are kept. */
  readonly traceparent?: string;
};

/** An event as the domain sees it: a business fact, past tense. */
export type DomainEvent = { readonly type: string; readonly data: unknown };

/** The Zod schemas of an aggregate's events, by event type: the storage format. */
export type EventSchemas = Readonly<Record<string, z.ZodType>>;

/** The union of events that a set of schemas describes. */
export type EventOf<Schemas extends EventSchemas> = {
  [Type in keyof Schemas & string]: { readonly type: Type; readonly data: z.output<Schemas[Type]> };
}[keyof Schemas & string];

/** Rewrites stored data of an older schema version into today's shape. */
export type Upcast = (type: string, data: unknown, storedVersion: number) => unknown;

/** Reads an aggregate's events from storage. A stored event never changes: older versions are upcast here. */
export type Codec<Event extends DomainEvent> = {
  readonly types: readonly string[];
  readonly schemaVersion: number;
  decode(stored: { type: string; data: unknown; schemaVersion: number }): Event;
};

/**
 * Makes the codec of an aggregate from its event schemas.
 * `decode` throws (a programming error, not a refusal) on an unknown type or data that its schema refuses.
 */
export const defineCodec = <Schemas extends EventSchemas>(
  schemas: Schemas,
  options: { schemaVersion?: number; upcast?: Upcast } = {},
): Codec<EventOf<Schemas>> => {
  const schemaVersion = options.schemaVersion ?? 1;
  return {
    types: Object.keys(schemas),
    schemaVersion,
    decode: ({ type, data, schemaVersion: storedVersion }) => {
      const schema = schemas[type];
      if (!schema) throw new Error(`No schema for event type ${type}`);
      const current =
        storedVersion < schemaVersion && options.upcast
          ? options.upcast(type, data, storedVersion)
          : data;
      const parsed = schema.safeParse(current);
      if (!parsed.success) {
        throw new Error(`Stored ${type} does not fit its schema: ${parsed.error.message}`);
      }
      return { type, data: parsed.data } as EventOf<Schemas>;
    },
  };
};
