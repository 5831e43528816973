import { persistentMap } from "./persistentMap.ts";
import {
  type Digest,
  type HistoryPosition,
  hashOf,
  isSeen,
  type Seen,
  type StoredEvent,
} from "./planLines.ts";
import { type ChangeRequest, currentPlan } from "./planState.ts";

/** The number of lines between two marks. A mark is a checkpoint from which a history can be read. */
export const MARK = 128;

/** The earliest and latest times at which lines occurred and were recorded. Inclusive, ISO 8601. */
export type Bounds = {
  readonly occurredFrom: string;
  readonly occurredTo: string;
  readonly recordedFrom: string;
  readonly recordedTo: string;
};

/** The count of lines of a history, the hash of the last one, and the bounds of the lines since the last mark. */
export type Marking = {
  readonly sequence: number;
  readonly hash: string | null;
  readonly bounds: Bounds | null;
};

/** A mark, with the bounds of the lines since the previous one. */
export type Mark = { readonly reached: HistoryPosition; readonly bounds: Bounds };

export const noMarking: Marking = { sequence: 0, hash: null, bounds: null };

/** Counts a line. `state` is the plan after it. Returns a mark for every 128th line. */
export const countLine = (
  marking: Marking,
  stored: StoredEvent,
  state: HistoryPosition["state"],
  digest: Digest,
): { readonly marking: Marking; readonly mark: Mark | null } => {
  const sequence = marking.sequence + 1;
  const hash = hashOf(marking.hash, stored, digest);
  const bounds = within(marking.bounds, stored);
  if (sequence % MARK > 0) return { marking: { sequence, hash, bounds }, mark: null };
  const mark = { reached: withoutDecisionData({ state, sequence, hash }), bounds };
  return { marking: { sequence, hash, bounds: null }, mark };
};

/** Whether every line within the bounds is seen. */
export const isAllSeen = ({ occurredTo, recordedTo }: Bounds, { asOf, knownAt }: Seen): boolean =>
  (asOf === null || occurredTo <= asOf) && (knownAt === null || recordedTo <= knownAt);

/** Whether any line within the bounds may be seen. */
export const isAnySeen = ({ occurredFrom, recordedFrom }: Bounds, seen: Seen): boolean =>
  isSeen({ metadata: { occurred_at: occurredFrom, recorded_at: recordedFrom } }, seen);

const within = (bounds: Bounds | null, { metadata }: StoredEvent): Bounds => {
  const { occurred_at: occurred, recorded_at: recorded } = metadata;
  return {
    occurredFrom: bounds && bounds.occurredFrom < occurred ? bounds.occurredFrom : occurred,
    occurredTo: bounds && bounds.occurredTo > occurred ? bounds.occurredTo : occurred,
    recordedFrom: bounds && bounds.recordedFrom < recorded ? bounds.recordedFrom : recorded,
    recordedTo: bounds && bounds.recordedTo > recorded ? bounds.recordedTo : recorded,
  };
};

/**
 * Drops the parts of the state that only decisions read: facts, subscriptions, attention and finished changes.
 * Later events evolve the reduced state to the same plan.
 */
const withoutDecisionData = (reached: HistoryPosition): HistoryPosition => {
  const current = currentPlan(reached.state);
  const { open } = current;
  const changes = persistentMap<ChangeRequest>(open ? [[open.id, open]] : []);
  const nothing = { facts: persistentMap<true>(), attended: persistentMap<true>() };
  const state = { ...current, ...nothing, changes, subscriptions: new Map(), attention: new Map() };
  return { ...reached, state };
};
