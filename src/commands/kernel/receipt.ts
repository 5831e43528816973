import type { DomainEvent } from "../../domain/kernel/events.ts";
import type { Executed } from "./commandLoop.ts";

/** The recorded events of a write, to wait until the read models include them. `position` is null if there are none. */
export type Receipt = { readonly position: bigint | null; readonly eventTypes: readonly string[] };

export const nothingRecorded: Receipt = { position: null, eventTypes: [] };

/** The receipt of several commands: the highest position and all event types. */
export const receiptOf = (
  ...executed: readonly Pick<Executed<unknown, DomainEvent>, "events" | "position">[]
): Receipt => {
  let position: bigint | null = null;
  const types = new Set<string>();
  for (const one of executed) {
    if (one.position === null) continue;
    if (position === null || one.position > position) position = one.position;
    for (const event of one.events) types.add(event.type);
  }
  return { position, eventTypes: [...types] };
};

/** Merges receipts: the highest position and all event types. */
export const joinReceipts = (receipts: readonly Receipt[]): Receipt => {
  let position: bigint | null = null;
  const types = new Set<string>();
  for (const receipt of receipts) {
    for (const type of receipt.eventTypes) types.add(type);
    if (receipt.position === null) continue;
    if (position === null || receipt.position > position) position = receipt.position;
  }
  return { position, eventTypes: [...types] };
};
