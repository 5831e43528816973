import {
  deletedMetadata,
  isMetastream,
  isSoftDeleted,
  originalStreamOf,
  readRules,
} from "../../eventstore/streamMetadata.ts";
import type { RawEvent, RawLog } from "./rawLog.ts";

/** Two logs differ. The message names the first event that differs. */
export class LogsDifferError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "LogsDifferError";
  }
}

const TOMBSTONE_TYPE = "$streamDeleted";
/** The size of an append: below the limit, and small enough to repeat cheaply. */
const APPEND_BYTES = 512 * 1_024;
const APPEND_EVENTS = 200;

/** Reads the events of a log in order, from the first one. */
export type LogSource = () => AsyncIterable<RawEvent>;

/** Receives the number of events that the target has so far. */
export type CopyProgress = (events: number) => void;

/**
 * Whether an event is copied: events of system streams (`$…`: statistics, settings, projections) are not, metadata of
 * other streams (`$$…`) is.
 */
export const isCopied = ({ stream }: Pick<RawEvent, "stream">): boolean =>
  !stream.startsWith("$") || (isMetastream(stream) && !originalStreamOf(stream).startsWith("$"));

/**
 * Tracks soft deletions, to find the events that a server writes itself: after an append to a soft-deleted stream or
 * to its metadata, the server makes the stream visible again by metadata of its own.
 */
const createDeletionTracker = () => {
  const hidden = new Set<string>();
  let shown: string | null = null;
  return {
    isHidden: (stream: string): boolean => hidden.has(stream),
    /** Processes the next event of the log. Returns whether the server wrote it by itself. */
    track: (event: RawEvent): boolean => {
      const isMeta = isMetastream(event.stream);
      const stream = isMeta ? originalStreamOf(event.stream) : event.stream;
      const isOwn = isMeta && shown === stream;
      const wasHidden = hidden.has(stream);
      shown = null;
      if (isMeta) {
        if (isSoftDeleted(readRules(event.isJson, event.data))) hidden.add(stream);
        else hidden.delete(stream);
        // Metadata of a hidden stream is followed by metadata that shows it, unless it is a deletion.
        if (wasHidden && !isOwn && !isDeletion(event)) shown = stream;
      } else if (wasHidden) shown = stream;
      return isOwn;
    },
  };
};

const isDeletion = (event: RawEvent): boolean =>
  isMetastream(event.stream) && Buffer.compare(deletedMetadata(), event.data) === 0;

/**
 * Copies the events that a target lacks, with their ids, bytes, revisions and order. Deletions and tombstones are
 * executed on the target, which gives their events new ids. Existing events of the target must be the beginning of
 * the same log: an interrupted copy is continued. `atOnce`: the maximum of concurrent appends; more than one only for
 * a server that preserves the order of requests. Rejects with LogsDifferError if the target has other events.
 */
export const copyLog = async (
  source: LogSource,
  target: RawLog,
  options: { readonly atOnce: number; readonly onProgress?: CopyProgress },
): Promise<void> => {
  const present = await compareLogs(source, target, { allowShorter: true });
  const deletions = createDeletionTracker();
  const appends = createAppends(target, options.atOnce);
  let seen = 0;

  for await (const event of source()) {
    if (!isCopied(event)) continue;
    const wasHidden = deletions.isHidden(event.stream);
    const isOwn = deletions.track(event);
    seen += 1;
    if (seen <= present) continue;
    // The server writes this event after the append that causes it: send that first.
    if (isOwn) await appends.send();
    else if (event.type === TOMBSTONE_TYPE || isDeletion(event)) {
      // A separate call: wait for the appends before it.
      await appends.finish();
      if (event.type === TOMBSTONE_TYPE) await target.tombstone(event.stream);
      else await target.softDelete(originalStreamOf(event.stream));
    } else {
      // The event that makes a stream visible again follows its whole append: do not split that.
      if (!appends.continues(event) || (appends.isFullFor(event) && !wasHidden)) {
        await appends.send();
      }
      appends.add(event);
    }
    if (seen % 1_000 === 0) options.onProgress?.(seen);
  }
  await appends.finish();
  options.onProgress?.(seen);
};

/** Groups consecutive events of a stream into appends, of which `atOnce` run concurrently. */
const createAppends = (target: RawLog, atOnce: number) => {
  const pending = new Set<Promise<void>>();
  let failed: unknown = null;
  let group: RawEvent[] = [];
  let groupBytes = 0;
  const sizeOf = ({ data, metadata, type }: RawEvent): number =>
    data.length + metadata.length + 2 * type.length;
  const settle = async (most: number): Promise<void> => {
    while (pending.size > most) await Promise.race(pending);
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
      .finally(() => pending.delete(appending));
    pending.add(appending);
    group = [];
    groupBytes = 0;
    await settle(atOnce - 1);
  };
  return {
    /** Whether the event directly follows the group in its stream. */
    continues: ({ stream, revision }: RawEvent): boolean => {
      const last = group.at(-1);
      return last?.stream === stream && last.revision + 1n === revision;
    },
    isFullFor: (event: RawEvent): boolean =>
      group.length >= APPEND_EVENTS || groupBytes + sizeOf(event) > APPEND_BYTES,
    add: (event: RawEvent): void => {
      group.push(event);
      groupBytes += sizeOf(event);
    },
    /** Starts the append of the group. Rejects with the first error of an append. */
    send,
    /** Sends the group and waits for all appends. */
    finish: async (): Promise<void> => {
      await send();
      await settle(0);
    },
  };
};

/**
 * Compares a target with a log byte by byte. Resolves with the number of equal events. `onPair` receives each event
 * with its position in the target. Rejects with LogsDifferError at the first difference, or if one of the logs is
 * shorter (`allowShorter`: the target may be).
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
  const deletions = createDeletionTracker();
  const next = async (): Promise<RawEvent | null> => {
    for (;;) {
      const { done, value } = await there.next();
      if (done) return null;
      if (isCopied(value)) return value;
    }
  };
  let equal = 0;
  try {
    for await (const event of source()) {
      if (!isCopied(event)) continue;
      const isOwn = deletions.track(event);
      const found = await next();
      if (found === null) {
        if (options.allowShorter) return equal;
        throw new LogsDifferError(`The target ends before ${nameOf(event)}.`);
      }
      const difference = differenceOf(event, found, isOwn);
      if (difference !== null) {
        throw new LogsDifferError(
          `Event ${equal + 1} differs in its ${difference}: expected ${nameOf(event)}, found ${nameOf(found)}.`,
        );
      }
      equal += 1;
      options.onPair?.(event, found.position);
    }
    const more = await next();
    if (more) throw new LogsDifferError(`The target has more events, from ${nameOf(more)} on.`);
    return equal;
  } finally {
    await there.return?.();
  }
};

const nameOf = ({ id, type, stream, revision }: RawEvent): string =>
  type === TOMBSTONE_TYPE
    ? `the tombstone of ${stream}`
    : `${type} ${id}, revision ${revision} of ${stream}`;

/** The name of the first field that differs; null if the events are equal. */
const differenceOf = (event: RawEvent, found: RawEvent, isOwn: boolean): string | null => {
  for (const field of ["stream", "revision", "type", "isJson"] as const) {
    if (event[field] !== found[field]) return field === "isJson" ? "content type" : field;
  }
  // Written by each server itself: ids and whitespace differ.
  if (event.type === TOMBSTONE_TYPE) return null;
  if (isOwn || isDeletion(event)) {
    const [one, other] = [event, found].map(({ isJson, data }) => readRules(isJson, data));
    return JSON.stringify(one) === JSON.stringify(other) ? null : "data";
  }
  if (event.id !== found.id) return "id";
  if (Buffer.compare(event.data, found.data) !== 0) return "data";
  return Buffer.compare(event.metadata, found.metadata) === 0 ? null : "metadata";
};
