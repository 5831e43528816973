import { ANY_CUE } from "./cueBits.ts";
import { readSlot } from "./slots.ts";
import type { Slot, SlotType } from "./slotTypes.ts";
import type { Token } from "./words.ts";

/** Reads the slots of one text. What has been read is read once, however many forms it is tried with. */
export type Reader = {
  readonly source: string;
  /** What may be found in the text; see `CUE`. */
  readonly cues: number;
  /** Reads the tokens from `at` up to `end`, which stand in the text one behind the other. */
  read(type: SlotType, tokens: readonly Token[], at: number, end: number): Slot | null;
};

const TYPES: readonly SlotType[] = [
  ...(["target", "value", "quoted", "url", "key", "time", "count", "name", "size"] as const),
  ...(["pixels", "ordinal"] as const),
];
/** What most slots are comes first. */
const numberOf = (type: SlotType): number => TYPES.indexOf(type);

/**
 * A reader with a memory of its own. Tokens that stand apart in the text need one for themselves, and one without
 * cues when words are among them that the text does not have.
 */
export const readerOf = (source: string, cues: number = ANY_CUE): Reader => {
  const known = new Map<number, Slot | null>();
  const width = source.length + 1;
  return {
    source,
    cues,
    read: (type, tokens, at, end) => {
      const first = tokens[at];
      const last = tokens[end - 1];
      if (!first || !last) return null;
      // One number for where it starts, where it ends and what it is: exact for any text that is read.
      const key = (first.start * width + last.end) * 16 + numberOf(type);
      const before = known.get(key);
      if (before !== undefined) return before;
      const read = readSlot(type, tokens.slice(at, end), source);
      known.set(key, read);
      return read;
    },
  };
};
