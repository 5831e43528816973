import type { Token } from "../words.ts";
import { readSlot } from "./slots.ts";
import type { Slot, SlotType } from "./slotTypes.ts";

/** Reads the slots of one text. What has been read is read once, however many forms it is tried with. */
export type Reader = {
  readonly source: string;
  /** Reads the tokens from `at` up to `end`, which stand in the text one behind the other. */
  read(type: SlotType, tokens: readonly Token[], at: number, end: number): Slot | null;
};

const TYPES: Readonly<Record<SlotType, number>> = {
  target: 0,
  value: 1,
  quoted: 2,
  url: 3,
  key: 4,
  time: 5,
  count: 6,
  name: 7,
  size: 8,
  pixels: 9,
  ordinal: 10,
};

/** A reader with a memory of its own. Tokens that stand apart in the text need one for themselves. */
export const readerOf = (source: string): Reader => {
  const byStart = new Map<number, Map<number, Slot | null>>();
  return {
    source,
    read: (type, tokens, at, end) => {
      const first = tokens[at];
      const last = tokens[end - 1];
      if (!first || !last) return null;
      const byEnd = byStart.get(first.start) ?? new Map<number, Slot | null>();
      if (byEnd.size === 0) byStart.set(first.start, byEnd);
      const key = last.end * 16 + TYPES[type];
      const known = byEnd.get(key);
      if (known !== undefined) return known;
      const read = readSlot(type, tokens.slice(at, end), source);
      byEnd.set(key, read);
      return read;
    },
  };
};
