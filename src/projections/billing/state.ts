import { entriesOf, persistentMap } from "../../domain/billing/persistentMap.ts";
import type { CurrentPlan } from "../../domain/billing/planState.ts";

/** What an organisation holds, as a row keeps it: what grows with every event of a provider is left out. */
export type StoredPlan = Omit<
  CurrentPlan,
  "changes" | "checkouts" | "subscriptions" | "facts" | "attention" | "attended"
> & {
  readonly subscriptions: readonly (readonly [string, MapValue<CurrentPlan["subscriptions"]>])[];
  readonly attention: readonly (readonly [string, MapValue<CurrentPlan["attention"]>])[];
  readonly attended: readonly string[];
};

type MapValue<Of> = Of extends ReadonlyMap<string, infer Value> ? Value : never;

/** Makes what a row keeps. */
export const packed = ({ facts: _, changes: __, checkouts: ___, ...current }: CurrentPlan): StoredPlan => ({
  ...current,
  subscriptions: [...current.subscriptions],
  attention: [...current.attention],
  attended: [...entriesOf(current.attended)].map(([id]) => id),
});

/** Reads what a row keeps. The facts taken in, and the pages that are open at providers, are the write side's to know. */
export const unpacked = (stored: StoredPlan): CurrentPlan => ({
  ...stored,
  changes: persistentMap(stored.open ? [[stored.open.id, stored.open]] : []),
  checkouts: new Map(),
  subscriptions: new Map(stored.subscriptions),
  facts: persistentMap(),
  attention: new Map(stored.attention),
  attended: persistentMap(stored.attended.map((id) => [id, true])),
});
