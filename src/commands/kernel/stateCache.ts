import type { Folded } from "./fold.ts";
import { createLru } from "./lru.ts";

/** Streams that are written often, folded: stream → state and revision. */
export type StateCache = {
  get(stream: string): Folded<unknown> | undefined;
  set(stream: string, folded: Folded<unknown>): void;
  delete(stream: string): void;
  size(): { readonly entries: number; readonly weight: number };
};

/** How much all folded states of a process may take, in bytes, as `bytesOf` estimates them. */
const MAX_HOT_BYTES = 64 * 1024 * 1024;

type Weighed = {
  readonly folded: Folded<unknown>;
  readonly bytes: number;
  readonly weighedAt: bigint;
};

/**
 * An LRU of folded streams, bounded in entries and in bytes. A state is weighed when it comes in and
 * again when its stream has grown by a quarter: weighing looks at all of it.
 */
export const createStateCache = (maxEntries: number, maxBytes = MAX_HOT_BYTES): StateCache => {
  const streams = createLru<string, Weighed>(maxEntries, {
    maxWeight: maxBytes,
    weigh: ({ bytes }) => bytes,
  });
  return {
    get: (stream) => streams.get(stream)?.folded,
    set: (stream, folded) => {
      const before = streams.get(stream);
      const isWeighed =
        before !== undefined &&
        folded.revision >= before.weighedAt &&
        folded.revision - before.weighedAt < 16n + before.weighedAt / 4n;
      streams.set(
        stream,
        isWeighed
          ? { ...before, folded }
          : { folded, bytes: bytesOf(folded.state), weighedAt: folded.revision },
      );
    },
    delete: streams.delete,
    size: streams.size,
  };
};

/** About how many bytes a value takes in memory. What is shared within it is counted each time. */
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
