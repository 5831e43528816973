import type { Folded } from "./fold.ts";
import { createLru } from "./lru.ts";

/** The folded states of recently used streams, by stream. */
export type StateCache = {
  get(stream: string): Folded<unknown> | undefined;
  set(stream: string, folded: Folded<unknown>): void;
  delete(stream: string): void;
  size(): { readonly entries: number; readonly weight: number };
};

/** The maximum size of all cached states in bytes, as estimated by `bytesOf`. */
const MAX_CACHED_BYTES = 64 * 1024 * 1024;

type Entry = {
  readonly folded: Folded<unknown>;
  readonly bytes: number;
  readonly estimatedAt: bigint;
};

/**
 * An LRU cache, bounded in entries and in bytes. The size of a state is estimated when it is added, and
 * again after its stream has grown by a quarter, because the estimate traverses the whole state.
 */
export const createStateCache = (maxEntries: number, maxBytes = MAX_CACHED_BYTES): StateCache => {
  const streams = createLru<string, Entry>(maxEntries, {
    maxWeight: maxBytes,
    weigh: ({ bytes }) => bytes,
  });
  return {
    get: (stream) => streams.get(stream)?.folded,
    set: (stream, folded) => {
      const before = streams.get(stream);
      const isEstimated =
        before !== undefined &&
        folded.revision >= before.estimatedAt &&
        folded.revision - before.estimatedAt < 16n + before.estimatedAt / 4n;
      streams.set(
        stream,
        isEstimated
          ? { ...before, folded }
          : { folded, bytes: bytesOf(folded.state), estimatedAt: folded.revision },
      );
    },
    delete: streams.delete,
    size: streams.size,
  };
};

/** Estimates the memory of a value in bytes. Shared objects count each time. */
export const bytesOf = (value: unknown): number => {
  switch (typeof value) {
    case "string":
      return 16 + 2 * value.length;
    case "object":
      break;
    default:
      return 8;
  }
  if (value === null) return 8;
  let bytes = 32;
  if (value instanceof Map || value instanceof Set) {
    // A Set's entries are [value, value].
    const parts = value instanceof Map ? 2 : 1;
    for (const entry of value.entries()) {
      bytes += 32;
      for (let part = 0; part < parts; part += 1) bytes += bytesOf(entry[part]);
    }
    return bytes;
  }
  for (const part of Object.values(value)) bytes += 8 + bytesOf(part);
  return bytes;
};
