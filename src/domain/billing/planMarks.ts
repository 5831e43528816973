import { grownMap } from "./grownMap.ts";
import { type ChangeRequest, heldBy } from "./plan.ts";
import {
  type Digest,
  hashOf,
  isSeen,
  type Reached,
  type Seen,
  type StoredEvent,
} from "./planLines.ts";

/** After how many lines of a history there is a mark: where it stands then, so that it can be read on from there. */
export const MARK = 128;

/** Between which times lines happened and were written down; all inclusive, ISO 8601. */
export type Bounds = {
  readonly occurredFrom: string;
  readonly occurredTo: string;
  readonly recordedFrom: string;
  readonly recordedTo: string;
};

/** How far a history is counted: of all its lines how many and the last one's hash, and the bounds of those since the last mark. */
export type Marking = {
  readonly sequence: number;
  readonly hash: string | null;
  readonly bounds: Bounds | null;
};

/** A mark, with the bounds of the lines between it and the one before. */
export type Mark = { readonly reached: Reached; readonly bounds: Bounds };

export const nothingMarked: Marking = { sequence: 0, hash: null, bounds: null };

/** Counts a line in, after which the plan is in this state; with the mark that it makes, if it does. */
export const countIn = (
  marking: Marking,
  stored: StoredEvent,
  state: Reached["state"],
  digest: Digest,
): { readonly marking: Marking; readonly mark: Mark | null } => {
  const sequence = marking.sequence + 1;
  const hash = hashOf(marking.hash, stored, digest);
  const bounds = within(marking.bounds, stored);
  if (sequence % MARK > 0) return { marking: { sequence, hash, bounds }, mark: null };
  const mark = { reached: forgetful({ state, sequence, hash }), bounds };
  return { marking: { sequence, hash, bounds: null }, mark };
};

/** Whether every line within the bounds had happened, and was known, by then. */
export const isAllSeen = ({ occurredTo, recordedTo }: Bounds, { asOf, knownAt }: Seen): boolean =>
  (asOf === null || occurredTo <= asOf) && (knownAt === null || recordedTo <= knownAt);

/** Whether any line within the bounds can have happened, and been known, by then. */
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
 * The same without what only decisions need to know: facts and subscriptions, what drew attention, and changes that
 * have ended. What follows comes to the same plan.
 */
const forgetful = (reached: Reached): Reached => {
  const held = heldBy(reached.state);
  const { open } = held;
  const changes = grownMap<ChangeRequest>(open ? [[open.id, open]] : []);
  const nothing = { facts: grownMap<true>(), attended: grownMap<true>() };
  const state = { ...held, ...nothing, changes, subscriptions: new Map(), attention: new Map() };
  return { ...reached, state };
};
