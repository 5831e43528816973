import type { Token } from "../words.ts";
import { type CompiledForm, type Draft, isSaid, type Part, type Words } from "./formTables.ts";
import type { Slot, SlotName, SlotType } from "./slotTypes.ts";

/** A doubt in a slot may be settled by another form; one that the form itself has is `firm`. */
type Doubt = { readonly doubt: string; readonly firm: boolean };

type Matched = {
  /** Every different reading that the form allows: more than one is an ambiguity. */
  readonly built: readonly (Draft | Doubt)[];
  /** The number of tokens before the first slot: what "and …" may leave unsaid. */
  readonly lead: number;
};

/** Reads a slot of a clause. */
type ReadAt = (type: SlotType, tokens: readonly Token[], at: number, end: number) => Slot | null;

/** What is found while a form is tried: readings, and the slots that have been read on the way. */
type Walk = {
  readonly compiled: CompiledForm;
  readonly tokens: readonly Token[];
  readonly readAt: ReadAt;
  readonly built: (Draft | Doubt)[];
  readonly slots: Slot[];
  lead: number;
};

/** All readings of a clause by one form; `built` is empty when it does not fit. */
export const matchForm = (
  compiled: CompiledForm,
  tokens: readonly Token[],
  readAt: ReadAt,
): Matched => {
  const walk: Walk = { compiled, tokens, readAt, built: [], slots: [], lead: tokens.length };
  walkFrom(walk, 0, 0, 0);
  return walk;
};

const walkFrom = (walk: Walk, part: number, at: number, depth: number): void => {
  const { built, tokens } = walk;
  // Two readings are an ambiguity already: no need to find them all.
  if (built.length > 1) return;
  const { parts, firstSlot } = walk.compiled;
  const current = parts[part];
  if (!current) {
    if (at < tokens.length) return;
    const result = judge(walk, depth);
    if (result && !built.some((other) => isSame(other, result))) built.push(result);
    return;
  }
  if ("byFirst" in current) {
    const length = wordsAt(current, tokens, at);
    if (length > 0) walkFrom(walk, part + 1, at + length, depth);
    // A word that may be left out is taken where that fits: "accept the alert" has no adjective.
    if (current.isOptional && (length === 0 || built.length === 0)) {
      walkFrom(walk, part + 1, at, depth);
    }
    return;
  }
  if (part === firstSlot && at < walk.lead) walk.lead = at;
  const isLast = part === parts.length - 1;
  for (let end = isLast ? tokens.length : at + 1; end <= tokens.length; end++) {
    if (end === at || (!isLast && !fitsAfter(parts, part + 1, tokens, end))) continue;
    const read = walk.readAt(current.type, tokens, at, end);
    if (!read) continue;
    walk.slots[depth] = read;
    walkFrom(walk, part + 1, end, depth + 1);
  }
};

const isSame = (one: Draft | Doubt, other: Draft | Doubt): boolean =>
  "doubt" in one || "doubt" in other
    ? "doubt" in one && "doubt" in other && one.doubt === other.doubt && one.firm === other.firm
    : one.action === other.action && one.target === other.target && one.value === other.value;

const judge = ({ compiled, slots }: Walk, count: number): Draft | Doubt | null => {
  const bindings: Partial<Record<SlotName, Slot>> = {};
  for (let index = 0; index < count; index++) {
    const name = compiled.names[index];
    const slot = slots[index];
    if (name && slot) bindings[name] = slot;
  }
  const result = compiled.form.build(bindings);
  if (!result) return null;
  for (let index = 0; index < count; index++) {
    const slot = slots[index];
    const doubt = slot?.doubt;
    if (slot && doubt) return { doubt, firm: slot.isFirm };
  }
  return "doubt" in result ? { doubt: result.doubt, firm: true } : result;
};

/** How many tokens the words of a part take at a place; 0 when they are not there. */
const wordsAt = ({ byFirst }: Words, tokens: readonly Token[], at: number): number => {
  const first = tokens[at];
  if (!first || !isSaid(first)) return 0;
  for (const words of byFirst.get(first.lower) ?? NONE) {
    let count = 1;
    while (count < words.length) {
      const token = tokens[at + count];
      if (!token || !isSaid(token) || token.lower !== words[count]) break;
      count++;
    }
    if (count === words.length) return count;
  }
  return 0;
};

const NONE: readonly (readonly string[])[] = [];

/** Whether what follows a slot can stand at a place: spares reading slots that lead nowhere. */
const fitsAfter = (
  parts: readonly Part[],
  next: number,
  tokens: readonly Token[],
  at: number,
): boolean => {
  for (let part = next; part < parts.length; part++) {
    const current = parts[part];
    if (!current || "slot" in current) return at < tokens.length;
    if (wordsAt(current, tokens, at) > 0) return true;
    if (!current.isOptional) return false;
  }
  return at === tokens.length;
};
