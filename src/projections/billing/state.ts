import { grownEntries, grownMap } from "../../domain/billing/grownMap.ts";
import type { Held } from "../../domain/billing/plan.ts";

/** What an organisation holds, as a row keeps it: what grows with every event of a provider is left out. */
export type StoredPlan = Omit<
  Held,
  "changes" | "checkouts" | "subscriptions" | "facts" | "attention" | "attended"
> & {
  readonly subscriptions: readonly (readonly [string, MapValue<Held["subscriptions"]>])[];
  readonly attention: readonly (readonly [string, MapValue<Held["attention"]>])[];
  readonly attended: readonly string[];
};

type MapValue<Of> = Of extends ReadonlyMap<string, infer Value> ? Value : never;

/** Makes what a row keeps. */
export const packed = ({ facts: _, changes: __, checkouts: ___, ...held }: Held): StoredPlan => ({
  ...held,
  subscriptions: [...held.subscriptions],
  attention: [...held.attention],
  attended: [...grownEntries(held.attended)].map(([id]) => id),
});

/** Reads what a row keeps. The facts taken in, and the pages that are open at providers, are the write side's to know. */
export const unpacked = (stored: StoredPlan): Held => ({
  ...stored,
  changes: grownMap(stored.open ? [[stored.open.id, stored.open]] : []),
  checkouts: new Map(),
  subscriptions: new Map(stored.subscriptions),
  facts: grownMap(),
  attention: new Map(stored.attention),
  attended: grownMap(stored.attended.map((id) => [id, true])),
});
