import type { EventMetadata } from "../kernel/events.ts";
import type { PlanCode } from "./catalog.ts";
import { heldBy, type OrganizationPlan, planDecider } from "./plan.ts";

/** An event of a plan as it is stored. */
export type StoredEvent = {
  readonly id: string;
  readonly type: string;
  readonly data: unknown;
  readonly metadata: EventMetadata;
};

/** A line of a plan's history: a stored event, what it did to the plan, and the chain it hangs in. */
export type PlanLine = StoredEvent & {
  /** 1 for the first. */
  readonly sequence: number;
  readonly planBefore: PlanCode;
  readonly planAfter: PlanCode;
  /** Of the line before; null for the first. */
  readonly previousHash: string | null;
  readonly hash: string;
};

/** SHA-256 of a text's UTF-8, in lower-case hex: the domain has no cryptography of its own. */
export type Digest = (text: string) => string;

/** Where a history stands after some of its lines. */
export type Reached = {
  readonly state: OrganizationPlan;
  readonly sequence: number;
  readonly hash: string | null;
};

export const atTheStart: Reached = { state: planDecider.initial, sequence: 0, hash: null };

/** The hash of a stored event in its chain: over the hash before, and the event's id, type, data and metadata as they are stored, with line feeds between. */
export const hashOf = (
  previousHash: string | null,
  { id, type, data, metadata }: StoredEvent,
  digest: Digest,
): string =>
  digest(
    `${previousHash ?? ""}\n${id}\n${type}\n${JSON.stringify(data)}\n${JSON.stringify(metadata)}`,
  );

/** Puts a stored event into a state. Throws on one that is none of a plan's. */
export const applyStored = (
  state: OrganizationPlan,
  { type, data, metadata }: StoredEvent,
): OrganizationPlan => {
  const { schema_version: schemaVersion } = metadata;
  return planDecider.evolve(state, planDecider.codec.decode({ type, data, schemaVersion }));
};

/** The next line of a history, and where it stands then. Throws as `applyStored` does. */
export const nextLine = (
  reached: Reached,
  stored: StoredEvent,
  digest: Digest,
): { readonly line: PlanLine; readonly reached: Reached } => {
  const { id, type, data, metadata } = stored;
  const state = applyStored(reached.state, stored);
  const hash = hashOf(reached.hash, stored, digest);
  const sequence = reached.sequence + 1;
  const line: PlanLine = {
    sequence,
    ...{ id, type, data, metadata },
    planBefore: heldBy(reached.state).plan,
    planAfter: heldBy(state).plan,
    previousHash: reached.hash,
    hash,
  };
  return { line, reached: { state, sequence, hash } };
};

/** Which part of a history: by when it happened, and by when it was written down; both inclusive, ISO 8601. null: all. */
export type Seen = { readonly asOf: string | null; readonly knownAt: string | null };

/** Whether an event had happened, and was known, by then. */
export const isSeen = (
  { metadata }: { readonly metadata: Pick<EventMetadata, "occurred_at" | "recorded_at"> },
  { asOf, knownAt }: Seen,
): boolean =>
  (asOf === null || metadata.occurred_at <= asOf) &&
  (knownAt === null || metadata.recorded_at <= knownAt);

/** The provider's event behind a line, with the SHA-256 of its body where that is kept. */
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
