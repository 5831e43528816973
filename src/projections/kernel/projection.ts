import type { Kysely } from "kysely";
import type { Codec, DomainEvent } from "../../domain/kernel/events.ts";
import type { RecordedEvent } from "../../platform/eventLog/port.ts";

/** A recorded event whose data fits the schema of its type. */
export type Recorded<Event extends DomainEvent> = RecordedEvent<Event["data"]> & {
  readonly type: Event["type"];
};

/** `Recorded` of each event of a union, so that a switch on `type` narrows `data`. */
export type AnyRecorded<Event extends DomainEvent> = Event extends DomainEvent
  ? Recorded<Event>
  : never;

/** Handles one event. `db` writes to the build's schema in the batch's transaction. */
export type Handler<Tables, Event extends DomainEvent> = (
  db: Kysely<Tables>,
  event: Recorded<Event>,
) => Promise<void>;

/** The schema of a build in the batch's transaction. `db` writes to that schema. */
export type Target = { readonly db: Kysely<unknown>; readonly schema: string };

type Fold = (into: Target, event: RecordedEvent) => Promise<void>;
type FoldMany = (into: Target, events: readonly RecordedEvent[]) => Promise<void>;

/** A read model: tables folded from the log. Handlers have no other side effects, because they are replayed. */
export type Projection = {
  readonly name: string;
  /** Increase it when tables or handlers change: a new version is built in its own schema. test/fixtures/readModels.json has the tables of each version. */
  readonly version: number;
  readonly tables: readonly string[];
  create(db: Kysely<unknown>): Promise<void>;
  /** By event type. */
  readonly handlers: ReadonlyMap<string, Fold>;
  /** Folds events in order with few statements. The resulting rows equal those of the handlers. */
  readonly foldBatch?: FoldMany;
  /** Rows depend on the order of events across streams: an event cannot be folded later. */
  readonly ordersTheLog?: boolean;
};

type Spec<Tables> = {
  readonly name: string;
  readonly version: number;
  readonly tables: readonly (keyof Tables & string)[];
  readonly create: (db: Kysely<unknown>) => Promise<void>;
  readonly codecs: readonly Codec<DomainEvent>[];
  readonly ordersTheLog?: boolean;
};

/** Handles consecutive events of one type with few statements. The resulting rows equal those of a handler for each event. */
type BatchHandler<Event extends DomainEvent> = (
  into: Target,
  events: readonly Recorded<Event>[],
) => Promise<void>;

/**
 * Defines a read model. `create` creates tables and indexes with Kysely's schema builder (not raw SQL, because the
 * projector sets the schema). `on` has the handlers by event type; `together` those of frequent types, in batches.
 */
export const defineProjection = <Tables, Event extends DomainEvent>(
  spec: Spec<Tables> & {
    readonly on: {
      readonly [Type in Event["type"]]?: Handler<Tables, Extract<Event, { type: Type }>>;
    };
    readonly together?: {
      readonly [Type in Event["type"]]?: BatchHandler<Extract<Event, { type: Type }>>;
    };
  },
): Projection => {
  const handlers = new Map<string, Fold>();
  for (const [type, handler] of Object.entries(spec.on)) {
    const decode = decoderOf(spec, type);
    const handle = handler as Handler<Tables, DomainEvent>;
    handlers.set(type, ({ db }, event) => handle(db as Kysely<Tables>, decode(event)));
  }
  const { name, version, tables, create, ordersTheLog = false } = spec;
  const made = { name, version, tables, create, handlers, ordersTheLog };
  if (!spec.together) return made;
  const folds = new Map<string, FoldMany>();
  for (const [type, together] of Object.entries(spec.together)) {
    const decode = decoderOf(spec, type);
    const fold = together as BatchHandler<DomainEvent>;
    const foldMany: FoldMany = (into, events) =>
      fold(into, events.map(decode) as Recorded<DomainEvent>[]);
    folds.set(type, foldMany);
    handlers.set(type, (into, event) => foldMany(into, [event]));
  }
  return { ...made, foldBatch: foldRuns(handlers, folds) };
};

/** Folds events in order: runs of a type with a batch handler at once, others one by one. */
const foldRuns =
  (handlers: ReadonlyMap<string, Fold>, folds: ReadonlyMap<string, FoldMany>): FoldMany =>
  async (into, events) => {
    let run: RecordedEvent[] = [];
    for (const [index, event] of events.entries()) {
      const foldMany = folds.get(event.type);
      if (!foldMany) {
        await handlers.get(event.type)?.(into, event);
        continue;
      }
      run.push(event);
      if (events[index + 1]?.type === event.type) continue;
      await foldMany(into, run);
      run = [];
    }
  };

/**
 * Defines a read model with many writes: `fold` writes a batch of events with few statements. The resulting rows must
 * not depend on the boundaries of batches.
 */
export const defineBatchProjection = <Tables, Event extends DomainEvent>(
  spec: Spec<Tables> & {
    readonly types: readonly Event["type"][];
    readonly fold: (
      into: Target,
      events: readonly AnyRecorded<Event>[],
      /** The same events as stored, before decoding. */
      stored: readonly RecordedEvent[],
    ) => Promise<void>;
  },
): Projection => {
  const decoders = new Map(spec.types.map((type) => [type as string, decoderOf(spec, type)]));
  const decode = (event: RecordedEvent): AnyRecorded<Event> => {
    const decodeOne = decoders.get(event.type);
    if (!decodeOne) throw new Error(`Projection ${spec.name} does not handle ${event.type}`);
    return decodeOne(event) as AnyRecorded<Event>;
  };
  const { name, version, tables, create, ordersTheLog = false } = spec;
  const foldBatch = (into: Target, events: readonly RecordedEvent[]) =>
    spec.fold(into, events.map(decode), events);
  const foldOne: Fold = (into, event) => foldBatch(into, [event]);
  const handlers = new Map(spec.types.map((type) => [type as string, foldOne]));
  return { name, version, tables, create, handlers, foldBatch, ordersTheLog };
};

const decoderOf = (
  spec: { readonly name: string; readonly codecs: readonly Codec<DomainEvent>[] },
  type: string,
): ((event: RecordedEvent) => RecordedEvent) => {
  const codec = spec.codecs.find((candidate) => candidate.types.includes(type));
  if (!codec) throw new Error(`Projection ${spec.name} handles ${type}, which no codec reads`);
  return (event) => decodeRecorded(codec, event);
};

/** Decodes a recorded event. Throws if its data does not match the schema. */
export const decodeRecorded = (codec: Codec<DomainEvent>, event: RecordedEvent): RecordedEvent => {
  const known = decoded.get(event);
  if (known?.codec === codec) return known.event;
  const schemaVersion = event.metadata.schema_version;
  const { data } = codec.decode({ type: event.type, data: event.data, schemaVersion });
  const made = { ...event, data };
  decoded.set(event, { codec, event: made });
  return made;
};

/** Caches decoded events: several projections and reactors of a process handle the same ones, and decoding dominates the cost. */
const decoded = new WeakMap<
  RecordedEvent,
  { readonly codec: Codec<DomainEvent>; readonly event: RecordedEvent }
>();

/** The PostgreSQL schema of a build. The first build of a version is 1. */
export const schemaOf = (projection: Pick<Projection, "name" | "version">, build = 1): string =>
  `${projection.name.replaceAll("-", "_")}_v${projection.version}${build === 1 ? "" : `_b${build}`}`;
