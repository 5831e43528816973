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

/** What a projection does with one type of event. `db` writes into the projection's own schema, in the batch's transaction. */
export type Handler<Tables, Event extends DomainEvent> = (
  db: Kysely<Tables>,
  event: Recorded<Event>,
) => Promise<void>;

/** Where events are folded into: the schema of a build, within the batch's transaction. `db` writes into that schema. */
export type Target = { readonly db: Kysely<unknown>; readonly schema: string };

type Fold = (into: Target, event: RecordedEvent) => Promise<void>;
type FoldMany = (into: Target, events: readonly RecordedEvent[]) => Promise<void>;

/** A read model: tables folded from the log. No side effect ever happens in it: it is replayed at will. */
export type Projection = {
  readonly name: string;
  /** Raised when the tables or the handlers change: a new version is built in a schema of its own. test/fixtures/readModels.json knows the tables of each version. */
  readonly version: number;
  readonly tables: readonly string[];
  create(db: Kysely<unknown>): Promise<void>;
  /** By event type. */
  readonly handlers: ReadonlyMap<string, Fold>;
  /** Folds events of the handled types, in order, in few statements: the same rows as the handlers one by one. */
  readonly foldBatch?: FoldMany;
  /** Its rows depend on the order of several streams, not of each alone: nothing can be folded in afterwards. */
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

/** What a projection does with events of one type that follow each other: what a handler of them would do one by one, in few statements. */
type BatchHandler<Event extends DomainEvent> = (
  into: Target,
  events: readonly Recorded<Event>[],
) => Promise<void>;

/**
 * Defines a read model. `create` makes its tables and indexes through Kysely's schema builder (no raw SQL:
 * the projector sets the schema); `on` has a handler for each event type of the codecs that it folds, but for
 * those that come by the thousand, which `together` has.
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
  return { ...made, foldBatch: inStretches(handlers, folds) };
};

/** Folds events in order: those of a type that has a fold of many at once, as long as they follow each other, the others one by one. */
const inStretches =
  (handlers: ReadonlyMap<string, Fold>, folds: ReadonlyMap<string, FoldMany>): FoldMany =>
  async (into, events) => {
    let stretch: RecordedEvent[] = [];
    for (const [index, event] of events.entries()) {
      const foldMany = folds.get(event.type);
      if (!foldMany) {
        await handlers.get(event.type)?.(into, event);
        continue;
      }
      stretch.push(event);
      if (events[index + 1]?.type === event.type) continue;
      await foldMany(into, stretch);
      stretch = [];
    }
  };

/**
 * Defines a read model that much is written to: `fold` gets a batch of events, in order, and writes what
 * they come to in few statements. It must give the same rows however the events are cut into batches.
 */
export const defineBatchProjection = <Tables, Event extends DomainEvent>(
  spec: Spec<Tables> & {
    readonly types: readonly Event["type"][];
    readonly fold: (
      into: Target,
      events: readonly AnyRecorded<Event>[],
      /** The same as they are stored. */
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

/** A recorded event as its codec reads it. Throws when its schema refuses its data. */
export const decodeRecorded = (codec: Codec<DomainEvent>, event: RecordedEvent): RecordedEvent => {
  const known = decoded.get(event);
  if (known?.codec === codec) return known.event;
  const schemaVersion = event.metadata.schema_version;
  const { data } = codec.decode({ type: event.type, data: event.data, schemaVersion });
  const made = { ...event, data };
  decoded.set(event, { codec, event: made });
  return made;
};

/**
 * Events that were decoded already: several projections fold the same ones, reactors of the same process get them
 * too, and decoding is most of what that costs.
 */
const decoded = new WeakMap<
  RecordedEvent,
  { readonly codec: Codec<DomainEvent>; readonly event: RecordedEvent }
>();

/** The Postgres schema in which a build of a projection keeps its tables. The first build of a version is 1. */
export const schemaOf = (projection: Pick<Projection, "name" | "version">, build = 1): string =>
  `${projection.name.replaceAll("-", "_")}_v${projection.version}${build === 1 ? "" : `_b${build}`}`;
