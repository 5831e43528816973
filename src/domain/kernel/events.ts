import type { z } from "zod";

/** The cause of an event. `name` is set for API keys and schedules only: names of persons are never in the log. */
export type Actor = {
  readonly type: "user" | "api_key" | "schedule" | "provider" | "agent" | "system";
  readonly id: string;
  readonly name?: string;
};

/** The stored metadata of an event. `$correlationId` and `$causationId` are EventStoreDB's names, which its tools support. */
export type EventMetadata = {
  readonly $correlationId: string;
  readonly $causationId: string;
  readonly actor: Actor;
  readonly organization_id: string | null;
  /** When the fact occurred (ISO 8601, UTC, milliseconds). */
  readonly occurred_at: string;
  /** When the event was recorded. */
  readonly recorded_at: string;
  readonly schema_version: number;
  /** The type of the command, for audited events. */
  readonly command?: string;
  /** The W3C `traceparent` of the command, if tracing is enabled. */
  readonly traceparent?: string;
};

/** An event as the domain sees it: a business fact, past tense. */
export type DomainEvent = { readonly type: string; readonly data: unknown };

/** The Zod schemas of an aggregate's events, by event type: the storage format. */
export type EventSchemas = Readonly<Record<string, z.ZodType>>;

/** The union of the events of a set of schemas. */
export type EventOf<Schemas extends EventSchemas> = {
  [Type in keyof Schemas & string]: { readonly type: Type; readonly data: z.output<Schemas[Type]> };
}[keyof Schemas & string];

/** Converts stored data of an older schema version to the current one. */
export type Upcast = (type: string, data: unknown, storedVersion: number) => unknown;

/** Decodes the stored events of an aggregate. Stored events never change: older versions are upcast. */
export type Codec<Event extends DomainEvent> = {
  readonly types: readonly string[];
  readonly schemaVersion: number;
  decode(stored: { type: string; data: unknown; schemaVersion: number }): Event;
};

/**
 * Creates the codec of an aggregate. `decode` throws Error on an unknown type or on data that does not match the
 * schema (a programming error).
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
