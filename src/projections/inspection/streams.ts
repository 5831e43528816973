import { kinds, partsOf } from "../../domain/inspection/deciders.ts";
import { type Difference, differences } from "../../domain/inspection/differences.ts";
import { plain, withoutPersons } from "../../domain/inspection/plain.ts";
import type { EventLog, RecordedEvent } from "../../platform/eventLog/port.ts";

/** An event as operators see it, without e-mail addresses. */
export type InspectedEvent = {
  readonly id: string;
  readonly stream: string;
  readonly revision: number;
  readonly position: string;
  readonly type: string;
  readonly data: unknown;
  readonly metadata: Readonly<Record<string, unknown>>;
};

/** A moment of a stream: a revision, or the time until which events were recorded (ISO 8601, UTC). Both inclusive. */
export type Moment = number | string;

/** The differences of a stream's state between two moments. */
export type StreamDiff = {
  readonly from: Taken;
  readonly to: Taken;
  /** The number of events that this version cannot decode. Neither state contains them. */
  readonly unread: number;
  readonly changes: readonly Difference[];
};

/** null: before the first event. */
type Taken = { readonly revision: number | null; readonly recorded_at: string | null };

/** Longer streams would take too long for one request. */
const MAX_FOLDED = 100_000;

export const inspected = (event: RecordedEvent): InspectedEvent => ({
  id: event.id,
  stream: event.stream,
  revision: Number(event.revision),
  position: String(event.position),
  type: event.type,
  data: withoutPersons(event.data),
  metadata: withoutPersons(event.metadata) as Readonly<Record<string, unknown>>,
});

type Log = Pick<EventLog, "readStream" | "readStreamBackwards">;

/** Reads of streams in the log. Reject with LogUnavailableError or StreamDeletedError. */
export const createStreamReads = (log: Log) => ({
  readPage: (stream: string, page: PageRequest) => readPage(log, stream, page),
  /** The event at a revision, null if there is none. */
  readAt: async (stream: string, revision: bigint): Promise<InspectedEvent | null> => {
    for await (const event of log.readStream(stream, { from: revision, limit: 1 })) {
      return inspected(event);
    }
    return null;
  },
  diff: (stream: string, from: Moment | null, to: Moment | null) => diff(log, stream, from, to),
});

type PageRequest = {
  readonly direction: "forwards" | "backwards";
  /** The first revision, inclusive. Null: the start, or the end if backwards. */
  readonly from: number | null;
  readonly limit: number;
};

/** Reads a page of a stream, and one more event if there are more. */
const readPage = async (
  log: Log,
  stream: string,
  { direction, from, limit }: PageRequest,
): Promise<readonly InspectedEvent[]> => {
  const options = { limit: limit + 1, ...(from === null ? {} : { from: BigInt(from) }) };
  const events =
    direction === "forwards"
      ? log.readStream(stream, options)
      : log.readStreamBackwards(stream, options);
  const found: InspectedEvent[] = [];
  for await (const event of events) found.push(inspected(event));
  return found;
};

/**
 * Compares the folded state of a stream at two moments. `from` null: before the first event; `to` null: the end.
 * Returns "too_long" beyond 100,000 events, and null if the stream does not exist or has no decider.
 */
const diff = async (
  log: Log,
  stream: string,
  from: Moment | null,
  to: Moment | null,
): Promise<StreamDiff | "too_long" | null> => {
  const kind = kinds.get(partsOf(stream).kind);
  if (!kind) return null;
  const { codec, initial, evolve } = kind.decider;
  const fold = evolve as (state: unknown, event: unknown) => unknown;
  let state = initial;
  let [read, unread] = [0, 0];
  const blank = { state: initial, revision: null, recorded_at: null };
  let [before, after]: [Snapshot, Snapshot] = [blank, blank];
  for await (const event of log.readStream(stream)) {
    const isIn = { before: from !== null && isBy(event, from), after: isBy(event, to) };
    if (!isIn.before && !isIn.after) break;
    read += 1;
    if (read > MAX_FOLDED) return "too_long";
    try {
      const { type, data, metadata } = event;
      state = fold(state, codec.decode({ type, data, schemaVersion: metadata.schema_version }));
    } catch {
      unread += 1;
    }
    const recorded_at = event.metadata.recorded_at ?? null;
    const snapshot = { state, revision: Number(event.revision), recorded_at };
    if (isIn.before) before = snapshot;
    if (isIn.after) after = snapshot;
  }
  if (read === 0 && !(await exists(log, stream))) return null;
  const shown = (one: Snapshot) => withoutPersons(plain(one.state));
  return {
    from: { revision: before.revision, recorded_at: before.recorded_at },
    to: { revision: after.revision, recorded_at: after.recorded_at },
    unread,
    changes: differences(shown(before), shown(after)),
  };
};

type Snapshot = Taken & { readonly state: unknown };

const isBy = ({ revision, metadata }: RecordedEvent, moment: Moment | null): boolean => {
  if (moment === null) return true;
  return typeof moment === "number" ? revision <= moment : metadata.recorded_at <= moment;
};

const exists = async (log: Pick<EventLog, "readStream">, stream: string): Promise<boolean> => {
  for await (const _ of log.readStream(stream, { limit: 1 })) return true;
  return false;
};
