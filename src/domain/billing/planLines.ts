import type { EventMetadata } from "../kernel/events.ts";
import type { PlanCode } from "./catalog.ts";
import { planDecider } from "./plan.ts";
import { currentPlan, type OrganizationPlan } from "./planState.ts";

/** An event of a plan as it is stored. */
export type StoredEvent = {
  readonly id: string;
  readonly type: string;
  readonly data: unknown;
  readonly metadata: EventMetadata;
};

/** A line of a plan's history: a stored event, the plan before and after it, and its place in the hash chain. */
export type PlanLine = StoredEvent & {
  /** Counts from 1. */
  readonly sequence: number;
  readonly planBefore: PlanCode;
  readonly planAfter: PlanCode;
  /** The previous line's hash, null for the first line. */
  readonly previousHash: string | null;
  readonly hash: string;
};

/** SHA-256 of a text in UTF-8, as lower-case hex. Passed in because the domain imports no cryptography. */
export type Digest = (text: string) => string;

/** The state of a plan and its hash chain after `sequence` lines. */
export type HistoryPosition = {
  readonly state: OrganizationPlan;
  readonly sequence: number;
  readonly hash: string | null;
};

export const historyStart: HistoryPosition = {
  state: planDecider.initial,
  sequence: 0,
  hash: null,
};

/** The hash of a stored event: over the previous hash and the event's id, type, data and metadata as stored, separated by line feeds. */
export const hashOf = (
  previousHash: string | null,
  { id, type, data, metadata }: StoredEvent,
  digest: Digest,
): string =>
  digest(
    `${previousHash ?? ""}\n${id}\n${type}\n${JSON.stringify(data)}\n${JSON.stringify(metadata)}`,
  );

/** Evolves a state with a stored event. Throws if the event does not belong to a plan. */
export const applyStored = (
  state: OrganizationPlan,
  { type, data, metadata }: StoredEvent,
): OrganizationPlan => {
  const { schema_version: schemaVersion } = metadata;
  return planDecider.evolve(state, planDecider.codec.decode({ type, data, schemaVersion }));
};

/** The next line of a history and the position after it. Throws if the event does not belong to a plan. */
export const nextLine = (
  reached: HistoryPosition,
  stored: StoredEvent,
  digest: Digest,
): { readonly line: PlanLine; readonly reached: HistoryPosition } => {
  const { id, type, data, metadata } = stored;
  const state = applyStored(reached.state, stored);
  const hash = hashOf(reached.hash, stored, digest);
  const sequence = reached.sequence + 1;
  const line: PlanLine = {
    sequence,
    ...{ id, type, data, metadata },
    planBefore: currentPlan(reached.state).plan,
    planAfter: currentPlan(state).plan,
    previousHash: reached.hash,
    hash,
  };
  return { line, reached: { state, sequence, hash } };
};

/** Bitemporal bounds of a history: `asOf` for when events happened, `knownAt` for when they were recorded. Inclusive, ISO 8601, null unbounded. */
export type Seen = { readonly asOf: string | null; readonly knownAt: string | null };

/** Whether an event lies within the bounds. */
export const isSeen = (
  { metadata }: { readonly metadata: Pick<EventMetadata, "occurred_at" | "recorded_at"> },
  { asOf, knownAt }: Seen,
): boolean =>
  (asOf === null || metadata.occurred_at <= asOf) &&
  (knownAt === null || metadata.recorded_at <= knownAt);

/** The provider's event that caused a line, with the SHA-256 of its body if it is stored. */
export const providerEventOf = (
  data: unknown,
): { readonly id: string; readonly bodySha256: string | null } | null => {
  const { fact, providerEventId, bodySha256 } = data as {
    readonly fact?: { readonly eventId: string; readonly bodySha256?: string } | null;
    readonly providerEventId?: string;
    readonly bodySha256?: string;
  };
  if (fact) return { id: fact.eventId, bodySha256: fact.bodySha256 ?? null };
  return providerEventId === undefined
    ? null
    : { id: providerEventId, bodySha256: bodySha256 ?? null };
};
