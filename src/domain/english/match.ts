import { type Part, wordsAt } from "./formParts.ts";
import type { CompiledForm, Draft, Tried } from "./formTables.ts";
import type { Bindings, Slot, SlotName, SlotType } from "./slotTypes.ts";
import type { Token } from "./words.ts";

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
  readonly ids: readonly number[];
  readonly readAt: ReadAt;
  readonly built: (Draft | Doubt)[];
  readonly slots: Slot[];
  lead: number;
};

/** All readings of a clause by one form; `built` is empty when it does not fit. */
export const matchForm = (
  compiled: CompiledForm,
  { tokens, ids }: Tried,
  readAt: ReadAt,
): Matched => {
  const walk: Walk = { compiled, tokens, ids, readAt, built: [], slots: [], lead: tokens.length };
  walkFrom(walk, 0, 0, 0);
  return walk;
};

const walkFrom = (walk: Walk, part: number, at: number, depth: number): void => {
  const { built, tokens, ids } = walk;
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
  if ("row" in current) {
    const length = wordsAt(current, ids, at);
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
    if (end === at || (!isLast && !fitsAfter(parts, part + 1, ids, end))) continue;
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
  const result = compiled.form.build(boundTo(compiled.names, slots, count));
  if (!result) return null;
  for (let index = 0; index < count; index++) {
    const slot = slots[index];
    const doubt = slot?.doubt;
    if (slot && doubt) return { doubt, firm: slot.isFirm };
  }
  if ("doubt" in result) return { doubt: result.doubt, firm: true };
  // Forms leave out what they do not say: of one shape, drafts are read faster further on.
  return { action: result.action, target: result.target, value: result.value };
};

/** The slots by their names. */
const boundTo = (names: readonly SlotName[], slots: readonly Slot[], count: number): Bindings => {
  const bound: { -readonly [Name in SlotName]: Slot | undefined } = {
    target: undefined,
    other: undefined,
    value: undefined,
    url: undefined,
    key: undefined,
    time: undefined,
    count: undefined,
    name: undefined,
    pair: undefined,
    size: undefined,
    pixels: undefined,
    ordinal: undefined,
  };
  for (let index = 0; index < count; index++) {
    const name = names[index];
    if (name) bound[name] = slots[index];
  }
  return bound;
};

/** Whether what follows a slot can stand at a place: spares reading slots that lead nowhere. */
const fitsAfter = (
  parts: readonly Part[],
  next: number,
  ids: readonly number[],
  at: number,
): boolean => {
  for (let part = next; part < parts.length; part++) {
    const current = parts[part];
    if (!current || "slot" in current) return at < ids.length;
    if (wordsAt(current, ids, at) > 0) return true;
    if (!current.isOptional) return false;
  }
  return at === ids.length;
};
