import type { Kysely } from "kysely";
import type { Codec, DomainEvent } from "../../domain/kernel/events.ts";
import type { RecordedEvent } from "../../platform/eventLog/port.ts";

/** A recorded event whose data fits the schema of its type. */
export type Recorded<Event extends DomainEvent> = RecordedEvent<Event["data"]> & {
  readonly type: Event["type"];
};

/** What a projection does with one type of event. `db` writes into the projection's own schema, in the batch's transaction. */
export type Handler<Tables, Event extends DomainEvent> = (
  db: Kysely<Tables>,
  event: Recorded<Event>,
) => Promise<void>;

/** A read model: tables folded from the log. No side effect ever happens in it: it is replayed at will. */
export type Projection = {
  readonly name: string;
  /** Raised when the tables or the handlers change: a new version is built in a schema of its own. */
  readonly version: number;
  readonly tables: readonly string[];
  create(db: Kysely<unknown>): Promise<void>;
  readonly handlers: ReadonlyMap<
    string,
    (db: Kysely<unknown>, event: RecordedEvent) => Promise<void>
  >;
};

/**
 * Defines a read model. `create` makes its tables and indexes through Kysely's schema builder (no raw SQL:
 * the projector sets the schema); `on` has a handler for each event type of the codecs that it folds.
 */
export const defineProjection = <Tables, Event extends DomainEvent>(spec: {
  readonly name: string;
  readonly version: number;
  readonly tables: readonly (keyof Tables & string)[];
  readonly create: (db: Kysely<unknown>) => Promise<void>;
  readonly codecs: readonly Codec<DomainEvent>[];
  readonly on: {
    readonly [Type in Event["type"]]?: Handler<Tables, Extract<Event, { type: Type }>>;
  };
}): Projection => {
  const handlers = new Map<string, (db: Kysely<unknown>, event: RecordedEvent) => Promise<void>>();
  for (const [type, handler] of Object.entries(spec.on)) {
    const codec = spec.codecs.find((candidate) => candidate.types.includes(type));
    if (!codec) throw new Error(`Projection ${spec.name} handles ${type}, which no codec reads`);
    const handle = handler as Handler<Tables, DomainEvent>;
    handlers.set(type, (db, event) => {
      const { data } = codec.decode({
        type: event.type,
        data: event.data,
        schemaVersion: event.metadata.schema_version,
      });
      return handle(db as Kysely<Tables>, { ...event, data });
    });
  }
  return {
    name: spec.name,
    version: spec.version,
    tables: spec.tables,
    create: spec.create,
    handlers,
  };
};

/** The Postgres schema in which a version of a projection keeps its tables. */
export const schemaOf = (projection: Projection): string =>
  `${projection.name.replaceAll("-", "_")}_v${projection.version}`;
