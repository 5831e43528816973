import type { KindName } from "../catalogue/kinds.ts";
import type { Target } from "../catalogue/target.ts";

/** What may stand in a slot of a form. */
export type SlotType =
  | "target"
  | "value"
  | "quoted"
  | "url"
  | "key"
  | "time"
  | "count"
  | "name"
  | "size"
  | "pixels"
  | "ordinal";

/** A slot that has been read. */
export type Slot = {
  /** What goes into the step. */
  readonly text: string;
  /** Why a person should be asked; null when it is certain. */
  readonly doubt: string | null;
  /** No other form may settle the doubt: it would be a guess. */
  readonly isFirm: boolean;
  readonly isQuoted: boolean;
  /** Marked to be taken as it is: nothing is made of it. */
  readonly isLiteral?: boolean;
  readonly target: Target | null;
};

/** What slots are called: by what they are in the step. */
export type SlotName =
  | "target"
  | "other"
  | "value"
  | "url"
  | "key"
  | "time"
  | "count"
  | "name"
  | "pair"
  | "size"
  | "pixels"
  | "ordinal";

/** The slots of a form by their names. Every name is there, so that all of them have one shape. */
export type Bindings = { readonly [Name in SlotName]: Slot | undefined };

/** The kind of thing that a slot's target names; null when it names none. */
export const kindOfSlot = (slot: Slot | undefined): KindName | null =>
  slot?.target?.find.by === "kind" && slot.target.find.kind !== "icon"
    ? slot.target.find.kind
    : null;

/** A slot that is certain, or has a doubt that another form may settle. */
export const slot = (
  text: string,
  doubt: string | null,
  isQuoted: boolean,
  target: Target | null = null,
): Slot => ({
  text,
  doubt,
  isFirm: false,
  isQuoted,
  target,
});

/** A slot with a doubt that no other form may settle. */
export const firm = (text: string, doubt: string, isQuoted: boolean): Slot => ({
  ...slot(text, doubt, isQuoted),
  isFirm: true,
});

/** Words that only introduce a name. */
export const ARTICLE = /^(?:the|an?)$/;
