import type { EventIndex, IndexedEvent } from "../../stores/inspection/eventIndex.ts";

/** An effect of an event. A direct effect has `depth` 1. */
export type Effect = IndexedEvent & { readonly depth: number };

export type EventTree = {
  readonly event: IndexedEvent;
  /** The causes, the first one first. The request precedes the first cause. */
  readonly causes: readonly IndexedEvent[];
  /** The effects in depth-first order. */
  readonly effects: readonly Effect[];
  /** Whether effects or causes were omitted. */
  readonly isCut: boolean;
};

const MAX_CAUSES = 50;
const MAX_EFFECTS = 500;
const MAX_LEVELS = 50;

/** Finds the causes and effects of an event, with one index lookup per level. Returns null if the event is not indexed. */
export const findTree = async (index: EventIndex, eventId: string): Promise<EventTree | null> => {
  const event = await index.findEvent(eventId);
  if (!event) return null;
  const causes: IndexedEvent[] = [];
  const seen = new Set([event.event_id]);
  let cause = event.causation_id;
  while (cause !== null && !seen.has(cause) && causes.length < MAX_CAUSES) {
    seen.add(cause);
    const found = await index.findEvent(cause);
    if (found) causes.unshift(found);
    cause = found?.causation_id ?? null;
  }
  let isCut = causes.length === MAX_CAUSES;

  const under = new Map<string, IndexedEvent[]>();
  let level = [event.event_id];
  let left = MAX_EFFECTS;
  const met = new Set(level);
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth === MAX_LEVELS) {
      isCut = true;
      break;
    }
    const found = await index.causedBy(level, left + 1);
    const taken = found.filter(({ event_id }) => !met.has(event_id)).slice(0, left);
    isCut ||= found.length > left;
    left -= taken.length;
    for (const one of taken) {
      const siblings = under.get(one.causation_id ?? "") ?? [];
      under.set(one.causation_id ?? "", [...siblings, one]);
      met.add(one.event_id);
    }
    level = left > 0 ? taken.map(({ event_id }) => event_id) : [];
    // The events of the last level may have further effects.
    if (left === 0 && taken.length > 0) isCut = true;
  }
  const effectsOf = (id: string, depth: number): readonly Effect[] =>
    (under.get(id) ?? []).flatMap((one) => [
      { ...one, depth },
      ...effectsOf(one.event_id, depth + 1),
    ]);
  return { event, causes, effects: effectsOf(event.event_id, 1), isCut };
};
