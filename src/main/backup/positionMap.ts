import type { RawEvent } from "../../platform/eventLog/rawLog.ts";

/** Maps positions of a log to positions of its copy. */
export type PositionMap = {
  /** Adds an event with its position in the copy. Call in log order. */
  note(event: Pick<RawEvent, "position">, position: bigint): void;
  /** The position in the copy of the last event at or before `position`; null before the first event. */
  of(position: bigint): bigint | null;
};

/** Creates an empty map, which uses 16 bytes per event. */
export const createPositionMap = (): PositionMap => {
  let before = new BigUint64Array(1_024);
  let after = new BigUint64Array(1_024);
  let size = 0;
  const larger = (array: BigUint64Array): BigUint64Array<ArrayBuffer> => {
    const grown = new BigUint64Array(2 * array.length);
    grown.set(array);
    return grown;
  };
  return {
    note: (event, position) => {
      if (size === before.length) {
        before = larger(before);
        after = larger(after);
      }
      before[size] = event.position;
      after[size] = position;
      size += 1;
    },
    of: (position) => {
      let [low, high] = [0, size];
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((before[middle] ?? 0n) <= position) low = middle + 1;
        else high = middle;
      }
      return low === 0 ? null : (after[low - 1] ?? null);
    },
  };
};
