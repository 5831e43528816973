import { readCount, readOrdinal, readPixels, readSize, readTime } from "./numberSlots.ts";
import { type Slot, type SlotType, slot } from "./slotTypes.ts";
import { readTargetSlot } from "./targetSlot.ts";
import { readKey, readUrl, readValue } from "./textSlots.ts";
import type { Token } from "./words.ts";

/** Reads the tokens of a slot; null when they cannot be what the slot asks for. */
export const readSlot = (type: SlotType, tokens: readonly Token[], source: string): Slot | null => {
  const [first] = tokens;
  const last = tokens.at(-1);
  if (!first || !last) return null;
  const only = tokens.length === 1 ? first : null;
  const quoted = only && (only.kind === "quoted" || only.kind === "literal") ? only.text : null;
  const raw = source.slice(first.start, last.end);
  switch (type) {
    case "target":
      return readTargetSlot(tokens, source);
    case "quoted":
      return quoted === null ? null : slot(quoted, null, true);
    case "value":
      return quoted === null ? readValue(tokens, raw) : slot(quoted, null, true);
    case "url":
      return only?.kind === "literal"
        ? slot(only.text, null, true)
        : readUrl(quoted ?? (only ? raw : null), quoted !== null);
    case "key":
      return readKey(tokens, quoted ?? raw, quoted !== null);
    case "time":
      return readTime(quoted, raw, tokens);
    case "count":
      return readCount(only);
    case "size":
      return readSize(quoted, raw);
    case "pixels":
      return readPixels(quoted, raw);
    case "ordinal":
      return readOrdinal(only);
    case "name":
      return only && /^[a-z_][\w:.-]*$/i.test(quoted ?? raw)
        ? slot(quoted ?? raw, null, quoted !== null)
        : null;
  }
};
