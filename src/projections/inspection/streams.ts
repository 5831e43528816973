import { kinds, partsOf } from "../../domain/inspection/deciders.ts";
import { type Difference, differences } from "../../domain/inspection/differences.ts";
import { plain, withoutPersons } from "../../domain/inspection/plain.ts";
import type { EventLog, RecordedEvent } from "../../platform/eventLog/port.ts";

/** An event as those who look after the service see it: without addresses of persons. */
export type InspectedEvent = {
  readonly id: string;
  readonly stream: string;
  readonly revision: number;
  readonly position: string;
  readonly type: string;
  readonly data: unknown;
  readonly metadata: Readonly<Record<string, unknown>>;
};

/** A moment of a stream: after the event of a revision, or as it was recorded by an instant (ISO 8601, UTC). */
export type Moment = number | string;

/** Where the state of a stream was taken, and what of it differs. */
export type StreamDiff = {
  readonly from: Taken;
  readonly to: Taken;
  /** Events that cannot be read today, and are in neither. */
  readonly unread: number;
  readonly changes: readonly Difference[];
};

/** null: before the first event. */
type Taken = { readonly revision: number | null; readonly recorded_at: string | null };

/** Streams are folded as far as this: longer ones are not support's to fold at a call. */
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

/** Reads streams as they stand in the log. Rejects with LogUnavailableError, or StreamDeletedError. */
export const createStreamReads = (log: Pick<EventLog, "readStream" | "readStreamBackwards">) => ({
  /** A page of a stream, and one event more where there are more. Backwards from its end unless `from` (inclusive) says otherwise. */
  readPage: async (
    stream: string,
    page: {
      readonly direction: "forwards" | "backwards";
      readonly from: number | null;
      readonly limit: number;
    },
  ): Promise<readonly InspectedEvent[]> => {
    const options = {
      limit: page.limit + 1,
      ...(page.from === null ? {} : { from: BigInt(page.from) }),
    };
    const events =
      page.direction === "forwards"
        ? log.readStream(stream, options)
        : log.readStreamBackwards(stream, options);
    const found: InspectedEvent[] = [];
    for await (const event of events) found.push(inspected(event));
    return found;
  },

  /** One event, where the index says that it stands; null when it is not there. */
  readAt: async (stream: string, revision: bigint): Promise<InspectedEvent | null> => {
    for await (const event of log.readStream(stream, { from: revision, limit: 1 })) {
      return inspected(event);
    }
    return null;
  },

  /**
   * What the state that a stream folds to was at one moment beside another; null: before its first event, and its
   * end. "too_long" beyond 100,000 events; null where there is no such stream, or nobody knows how to fold it.
   */
  diff: async (
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
    let [before, after]: [Kept, Kept] = [blank, blank];
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
      const kept = {
        state,
        revision: Number(event.revision),
        recorded_at: event.metadata.recorded_at ?? null,
      };
      if (isIn.before) before = kept;
      if (isIn.after) after = kept;
    }
    if (read === 0 && !(await exists(log, stream))) return null;
    const shown = (kept: Kept) => withoutPersons(plain(kept.state));
    return {
      from: { revision: before.revision, recorded_at: before.recorded_at },
      to: { revision: after.revision, recorded_at: after.recorded_at },
      unread,
      changes: differences(shown(before), shown(after)),
    };
  },
});

type Kept = Taken & { readonly state: unknown };

const isBy = ({ revision, metadata }: RecordedEvent, moment: Moment | null): boolean => {
  if (moment === null) return true;
  return typeof moment === "number" ? revision <= moment : metadata.recorded_at <= moment;
};

const exists = async (log: Pick<EventLog, "readStream">, stream: string): Promise<boolean> => {
  for await (const _ of log.readStream(stream, { limit: 1 })) return true;
  return false;
};
