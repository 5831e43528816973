import type { RawEvent } from "../../platform/eventLog/rawLog.ts";

/** Where the events of a log stand in a copy of it. */
export type PositionMap = {
  /** Notes an event of one log with its position in another, in the order of the logs. */
  note(event: Pick<RawEvent, "position">, position: bigint): void;
  /** The position in the other log of the last event up to a position; null before the first. */
  of(position: bigint): bigint | null;
};

/** An empty map. It takes 16 bytes an event. */
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
