/*
 * What an EventStoreDB log is, as pure functions over values: the model that histories are held against.
 * A state is made from what stands in the log alone; `decide` says what a write comes to on a state, and
 * `view` what a reader may see of a stream. Times ($maxAge) are not modelled.
 */

export type Expected = "any" | "no_stream" | "stream_exists" | bigint;

export type Write =
  | {
      readonly kind: "append";
      readonly stream: string;
      readonly expected: Expected;
      readonly events: readonly { readonly id: string; readonly type: string }[];
    }
  | {
      readonly kind: "setMetadata";
      readonly stream: string;
      readonly expected: Expected;
      readonly metadata: Metadata;
    }
  | {
      readonly kind: "delete" | "tombstone";
      readonly stream: string;
      readonly expected: Expected;
    };

/** Metadata as they stand in the log: `$tb`, `$maxCount` and anything else. */
export type Metadata = Readonly<Record<string, unknown>>;

export type Decision =
  /** Written from this revision on, in the metadata stream for metadata and deletion. */
  | { readonly kind: "written"; readonly first: number; readonly revives: boolean }
  | { readonly kind: "repeated"; readonly last: number }
  | { readonly kind: "wrong"; readonly actual: number | null }
  | { readonly kind: "deleted" };

export type LogEntry = {
  readonly stream: string;
  readonly type: string;
  readonly id: string;
  readonly data: unknown;
};

export type StreamState = {
  readonly ids: readonly string[];
  readonly tombstoned: boolean;
  readonly metadata: Metadata | null;
  /** How many events its metadata stream holds. */
  readonly metadataCount: number;
};

export type State = ReadonlyMap<string, StreamState>;

export const EMPTY: State = new Map();

const NEW: StreamState = { ids: [], tombstoned: false, metadata: null, metadataCount: 0 };

/** A stream of a state, also one that nobody has written to. */
export const streamOf = (state: State, stream: string): StreamState => state.get(stream) ?? NEW;

/** Adds what stands next in the log. */
export const evolve = (state: State, { stream, type, id, data }: LogEntry): State => {
  const name = stream.startsWith("$$") ? stream.slice(2) : stream;
  const before = streamOf(state, name);
  const after: StreamState = stream.startsWith("$$")
    ? { ...before, metadata: data as Metadata, metadataCount: before.metadataCount + 1 }
    : type === "$streamDeleted"
      ? { ...before, tombstoned: true }
      : { ...before, ids: [...before.ids, id] };
  return new Map(state).set(name, after);
};

/** The client reads the largest 64-bit integer as a number, which rounds it. */
const isSoftDeleted = ({ metadata }: StreamState): boolean =>
  Number(metadata?.$tb ?? 0) >= Number.MAX_SAFE_INTEGER;

/** What a write comes to. */
export const decide = (state: State, write: Write): Decision => {
  const stream = streamOf(state, write.stream);
  if (stream.tombstoned) return { kind: "deleted" };
  const softDeleted = isSoftDeleted(stream);
  const head = stream.ids.length - 1;
  if (write.kind === "setMetadata") {
    const last = stream.metadataCount - 1;
    const fits =
      write.expected === "any" ||
      (write.expected === "stream_exists" && last >= 0) ||
      (write.expected === "no_stream" ? -1 : Number(write.expected)) === last;
    return fits
      ? { kind: "written", first: last + 1, revives: softDeleted }
      : { kind: "wrong", actual: last < 0 ? null : last };
  }
  const wrong: Decision = { kind: "wrong", actual: head < 0 ? null : head };
  const written: Decision = { kind: "written", first: head + 1, revives: softDeleted };
  // A deletion is like an event that nobody has seen.
  const ids = write.kind === "append" ? write.events.map((event) => event.id) : ["fresh"];
  const decided = ((): Decision => {
    if (write.expected === "stream_exists") {
      if (softDeleted) return { kind: "deleted" };
      if (head < 0 && stream.metadataCount === 0) return wrong;
    }
    if (write.expected === "any" || write.expected === "stream_exists") {
      const places = ids.map((id) => stream.ids.lastIndexOf(id));
      if (places.length === 0 || places[0] === -1) return written;
      return places.includes(-1) ? wrong : { kind: "repeated", last: places.at(-1) ?? -1 };
    }
    const at = write.expected === "no_stream" ? -1 : Number(write.expected);
    if (at === head) return written;
    if (at > head || ids.length === 0) return wrong;
    const differs = ids.findIndex((id, i) => stream.ids[at + 1 + i] !== id);
    if (differs === -1) return { kind: "repeated", last: at + ids.length };
    return differs === 0 && write.expected === "no_stream" && softDeleted ? written : wrong;
  })();
  if (write.kind === "append" || decided.kind !== "written") return decided;
  // There is nothing to delete where there is neither event nor metadata.
  if (write.kind === "delete" && head < 0 && stream.metadataCount === 0) return wrong;
  return { ...decided, revives: false };
};

/** The revisions that may be read, or why there are none. */
export type View =
  | { readonly kind: "events"; readonly first: number; readonly last: number }
  | { readonly kind: "missing" }
  | { readonly kind: "deleted" };

/** What may be seen of a stream. */
export const view = (state: State, name: string): View => {
  const stream = streamOf(state, name);
  if (stream.tombstoned) return { kind: "deleted" };
  const last = stream.ids.length - 1;
  if (last < 0 || isSoftDeleted(stream)) return { kind: "missing" };
  const maxCount = Number(stream.metadata?.$maxCount ?? Number.POSITIVE_INFINITY);
  const truncateBefore = Number(stream.metadata?.$tb ?? 0);
  return { kind: "events", first: Math.max(0, truncateBefore, last - maxCount + 1), last };
};

export type Read = {
  readonly stream: string;
  readonly backwards: boolean;
  /** null: from the end that the direction begins at. */
  readonly from: number | null;
  readonly maxCount: number;
};

/** What a read of a stream gives: ids in its order, or why not. */
export const readOf = (state: State, read: Read): readonly string[] | "missing" | "deleted" => {
  const seen = view(state, read.stream);
  if (seen.kind !== "events") return seen.kind;
  const { ids } = streamOf(state, read.stream);
  const revisions = ids.map((_, i) => i).slice(seen.first, seen.last + 1);
  const { from } = read;
  const wanted = read.backwards
    ? revisions.filter((r) => from === null || r <= from).reverse()
    : revisions.filter((r) => from === null || r >= from);
  return wanted.slice(0, read.maxCount).map((r) => ids[r] ?? "");
};

/** The metadata that follow a write which shows a soft-deleted stream again. */
export const revived = (state: State, write: Write): Metadata => {
  const stream = streamOf(state, write.stream);
  const kept = write.kind === "setMetadata" ? write.metadata : (stream.metadata ?? {});
  return { ...kept, $tb: stream.ids.length };
};
