import type { Held } from "../domain/billing/plan.ts";

/** What an organisation holds, as a row keeps it: what grows with every event of a provider is left out. */
export type StoredPlan = Omit<
  Held,
  "changes" | "subscriptions" | "facts" | "attention" | "attended"
> & {
  readonly changes: readonly (readonly [string, MapValue<Held["changes"]>])[];
  readonly subscriptions: readonly (readonly [string, MapValue<Held["subscriptions"]>])[];
  readonly attention: readonly (readonly [string, MapValue<Held["attention"]>])[];
  readonly attended: readonly string[];
};

type MapValue<Of> = Of extends ReadonlyMap<string, infer Value> ? Value : never;

/** Makes what a row keeps. */
export const packed = ({ facts: _, ...held }: Held): StoredPlan => ({
  ...held,
  changes: [...held.changes],
  subscriptions: [...held.subscriptions],
  attention: [...held.attention],
  attended: [...held.attended],
});

/** Reads what a row keeps. The facts taken in are the write side's to know. */
export const unpacked = (stored: StoredPlan): Held => ({
  ...stored,
  changes: new Map(stored.changes),
  subscriptions: new Map(stored.subscriptions),
  facts: new Set(),
  attention: new Map(stored.attention),
  attended: new Set(stored.attended),
});
