import {
  deletedMetadata,
  isMetastream,
  isSoftDeleted,
  originalStreamOf,
  readRules,
} from "../../eventstore/streamMetadata.ts";
import type { RawEvent, RawLog } from "./rawLog.ts";

/** Two logs that should be equal are not: the message names the first event that differs. */
export class LogsDifferError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "LogsDifferError";
  }
}

/** The largest revision: a tombstone's. */
const TOMBSTONE_TYPE = "$streamDeleted";
/** Fewer bytes than an append may have, and so many events that one failure costs little. */
const APPEND_BYTES = 512 * 1_024;
const APPEND_EVENTS = 200;

/** Where the events of a log come from, in its order, from the first on. */
export type LogSource = () => AsyncIterable<RawEvent>;

/** What is told on the way: how many events are there of those that there should be. */
export type CopyProgress = (events: number) => void;

/**
 * Whether an event belongs to the log that is moved. Streams whose names begin with `$` are a server's own (statistics,
 * settings, projections); the metadata of any other stream is in `$$` + its name, and goes along.
 */
export const isMoved = ({ stream }: Pick<RawEvent, "stream">): boolean =>
  !stream.startsWith("$") || (isMetastream(stream) && !originalStreamOf(stream).startsWith("$"));

/**
 * Which events a server writes itself as others are written. A deletion is asked for and hides the stream; what is
 * written to a stream that is hidden, or to its metadata, makes the server show it again with metadata of its own.
 */
const createDeletions = () => {
  const hidden = new Set<string>();
  let shown: string | null = null;
  return {
    isHidden: (stream: string): boolean => hidden.has(stream),
    /** Takes note of an event, in the log's order; answers whether the server has written it by itself. */
    note: (event: RawEvent): boolean => {
      const isMeta = isMetastream(event.stream);
      const stream = isMeta ? originalStreamOf(event.stream) : event.stream;
      const isOwn = isMeta && shown === stream;
      const wasHidden = hidden.has(stream);
      shown = null;
      if (isMeta) {
        if (isSoftDeleted(readRules(event.isJson, event.data))) hidden.add(stream);
        else hidden.delete(stream);
        // Metadata that is written to a hidden stream is followed by metadata that shows it; a deletion is not.
        if (wasHidden && !isOwn && !isDeletion(event)) shown = stream;
      } else if (wasHidden) shown = stream;
      return isOwn;
    },
  };
};

const isDeletion = (event: RawEvent): boolean =>
  isMetastream(event.stream) && Buffer.compare(deletedMetadata(), event.data) === 0;

/**
 * Writes what a target lacks of a log: events with their ids, bytes, revisions and order; deletions and tombstones
 * are done again there, so the events that say so have ids of that server. What is there already must be the
 * beginning of the same log: a copy that was cut off is gone on with. `atOnce`: how many appends may be under way;
 * more than one for a server alone that keeps the order in which they are sent.
 * Rejects with LogsDifferError when the target holds something else.
 */
export const copyLog = async (
  source: LogSource,
  target: RawLog,
  options: { readonly atOnce: number; readonly onProgress?: CopyProgress },
): Promise<void> => {
  const present = await compareLogs(source, target, { allowShorter: true });
  const deletions = createDeletions();
  const underWay = new Set<Promise<void>>();
  let failed: unknown = null;
  let seen = 0;
  let group: RawEvent[] = [];
  let groupBytes = 0;

  const settle = async (most: number): Promise<void> => {
    while (underWay.size > most) await Promise.race(underWay);
    if (failed !== null) throw failed;
  };
  const send = async (): Promise<void> => {
    const [first] = group;
    if (!first) return;
    const appending: Promise<void> = target
      .append(first.stream, group)
      .catch((error: unknown) => {
        failed ??= error;
      })
      .finally(() => underWay.delete(appending));
    underWay.add(appending);
    group = [];
    groupBytes = 0;
    await settle(options.atOnce - 1);
  };

  for await (const event of source()) {
    if (!isMoved(event)) continue;
    const wasHidden = deletions.isHidden(event.stream);
    const isOwn = deletions.note(event);
    seen += 1;
    if (seen <= present) continue;
    if (isOwn) {
      // It stands behind what the server writes it for, and before what comes after that.
      await send();
      continue;
    }
    const last = group.at(-1);
    const bytes = event.data.length + event.metadata.length + 2 * event.type.length;
    const follows = last?.stream === event.stream && last.revision + 1n === event.revision;
    const isFull = group.length >= APPEND_EVENTS || groupBytes + bytes > APPEND_BYTES;
    // What shows a hidden stream again stands behind the whole of the append that it was written for.
    if (!follows || (isFull && !wasHidden)) await send();
    if (event.type === TOMBSTONE_TYPE || isDeletion(event)) {
      // What was sent before must be there before: these are calls of their own.
      await send();
      await settle(0);
      if (event.type === TOMBSTONE_TYPE) await target.tombstone(event.stream);
      else await target.softDelete(originalStreamOf(event.stream));
    } else {
      group.push(event);
      groupBytes += bytes;
    }
    if (seen % 1_000 === 0) options.onProgress?.(seen);
  }
  await send();
  await settle(0);
  options.onProgress?.(seen);
};

/**
 * Compares a target with a log, event by event and byte by byte, and answers how many events are equal.
 * `onPair` is told of each with the position that it has in the target. Rejects with LogsDifferError at the first
 * event that differs, and when one of the two ends before the other (`allowShorter`: the target may).
 */
export const compareLogs = async (
  source: LogSource,
  target: Pick<RawLog, "readAll">,
  options: {
    readonly allowShorter?: boolean;
    readonly onPair?: (event: RawEvent, position: bigint) => void;
  } = {},
): Promise<number> => {
  const there = target.readAll({ after: null })[Symbol.asyncIterator]();
  const deletions = createDeletions();
  const next = async (): Promise<RawEvent | null> => {
    for (;;) {
      const { done, value } = await there.next();
      if (done) return null;
      if (isMoved(value)) return value;
    }
  };
  let equal = 0;
  try {
    for await (const event of source()) {
      if (!isMoved(event)) continue;
      const isOwn = deletions.note(event);
      const found = await next();
      if (found === null) {
        if (options.allowShorter) return equal;
        throw new LogsDifferError(`The target ends before ${nameOf(event)}.`);
      }
      const difference = differenceOf(event, found, isOwn);
      if (difference !== null) {
        throw new LogsDifferError(
          `Event ${equal + 1} differs in its ${difference}: there should be ${nameOf(event)}, and there is ${nameOf(found)}.`,
        );
      }
      equal += 1;
      options.onPair?.(event, found.position);
    }
    const more = await next();
    if (more) throw new LogsDifferError(`The target goes on with ${nameOf(more)}.`);
    return equal;
  } finally {
    await there.return?.();
  }
};

const nameOf = ({ id, type, stream, revision }: RawEvent): string =>
  type === TOMBSTONE_TYPE
    ? `the tombstone of ${stream}`
    : `${type} ${id}, revision ${revision} of ${stream}`;

/** What of two events that should be equal is not; null when they are. */
const differenceOf = (event: RawEvent, found: RawEvent, isOwn: boolean): string | null => {
  for (const field of ["stream", "revision", "type", "isJson"] as const) {
    if (event[field] !== found[field]) return field === "isJson" ? "content type" : field;
  }
  // Written by the server at each of the two: what it says is the same, ids and spaces are not.
  if (event.type === TOMBSTONE_TYPE) return null;
  if (isOwn || isDeletion(event)) {
    const [one, other] = [event, found].map(({ isJson, data }) => readRules(isJson, data));
    return JSON.stringify(one) === JSON.stringify(other) ? null : "data";
  }
  if (event.id !== found.id) return "id";
  if (Buffer.compare(event.data, found.data) !== 0) return "data";
  return Buffer.compare(event.metadata, found.metadata) === 0 ? null : "metadata";
};
