import { randomUUID } from "node:crypto";
import {
  type Append,
  type AppendResult,
  METADATA_TYPE,
  type ProposedEvent,
  type StoredEvent,
  TOMBSTONE,
  TOMBSTONE_TYPE,
} from "../records.ts";
import {
  deletedMetadata,
  isMetastream,
  isSoftDeleted,
  metastreamOf,
  originalStreamOf,
  readRules,
  revivedMetadata,
} from "../streamMetadata.ts";
import { type Decision, decideWrite } from "./decide.ts";
import type { Duplicates } from "./duplicates.ts";
import { isTombstoned, type StreamHead, type StreamHeads } from "./streamHeads.ts";

/** The outcome of one append of a transaction. */
export type StagedResult = AppendResult | { readonly kind: "stream_deleted" };

/** The state that a transaction is decided on, and the events of the transaction so far. */
export type StagedTransaction = {
  readonly heads: StreamHeads;
  readonly duplicates: Duplicates;
  /** The metadata of soft-deleted streams, by stream. */
  readonly hidingMetadata: Map<string, Uint8Array>;
  /** The last position of the log before the transaction. */
  readonly position: number;
  readonly events: StoredEvent[];
  /** The heads of the changed streams after the commit. */
  readonly changedHeads: Map<string, StreamHead>;
  /** The time of all events of the transaction, in ticks of 100 ns. */
  readonly created: string;
};

export const stageTransaction = (
  state: Pick<StagedTransaction, "heads" | "duplicates" | "hidingMetadata" | "position">,
): StagedTransaction => ({
  ...state,
  events: [],
  changedHeads: new Map(),
  // A millisecond has 10,000 ticks.
  created: `${Date.now()}0000`,
});

/** Decides an append on the outcome of the appends before it, and adds its events. */
export const stageAppend = (staged: StagedTransaction, append: Append): StagedResult => {
  const { duplicates } = staged;
  const { stream, deletion } = append;
  const headOfStream = (name: string): StreamHead => headOf(staged, name);
  const { last, softDeleted } = headOfStream(stream);
  const head = last < 0 ? null : last;
  const decision = decideWrite(append, {
    head,
    tombstoned: isTombstoned(stream, headOfStream),
    softDeleted,
    hasMetadata: () => headOfStream(metastreamOf(stream)).last >= 0,
    idAt: (revision) => duplicates.at(stream, revision)?.id,
    revisionOf: (id) => duplicates.withId(stream, id)?.revision,
  });
  switch (decision.kind) {
    case "stream_deleted":
      return decision;
    case "wrong_expected_version":
      return { kind: "wrong_expected_version", current: head };
    case "repeat": {
      const revision = decision.lastRevision;
      const position = duplicates.at(stream, revision)?.position ?? null;
      return { kind: "written", revision, position };
    }
    case "write":
      return deletion
        ? stageDeletion(staged, stream, deletion)
        : stageEvents(staged, append, decision, softDeleted);
  }
};

const stageEvents = (
  staged: StagedTransaction,
  { stream, events }: Append,
  { firstRevision, revives }: Decision & { kind: "write" },
  softDeleted: boolean,
): StagedResult => {
  const revision = firstRevision + events.length - 1;
  for (const [i, event] of events.entries()) push(staged, stream, firstRevision + i, event);
  const position = events.length > 0 ? lastPosition(staged) : null;
  if (events.length > 0) staged.changedHeads.set(stream, { last: revision, softDeleted });
  if (revives) revive(staged, stream, firstRevision);
  const lastEvent = events.at(-1);
  if (isMetastream(stream) && lastEvent) {
    const original = originalStreamOf(stream);
    const wasHidden = headOf(staged, original).softDeleted;
    noteMetadata(staged, original, lastEvent.isJson, lastEvent.data);
    if (wasHidden) revive(staged, original, headOf(staged, original).last + 1);
  }
  return { kind: "written", revision: revision < 0 ? null : revision, position };
};

const stageDeletion = (
  staged: StagedTransaction,
  stream: string,
  deletion: "soft" | "hard",
): StagedResult => {
  if (deletion === "hard") {
    push(staged, stream, TOMBSTONE, systemEvent(TOMBSTONE_TYPE, false, EMPTY));
    setHead(staged, stream, { last: TOMBSTONE, softDeleted: false });
  } else {
    if (headOf(staged, stream).last < 0 && headOf(staged, metastreamOf(stream)).last < 0) {
      return { kind: "wrong_expected_version", current: null };
    }
    pushMetadata(staged, stream, deletedMetadata());
  }
  return { kind: "written", revision: null, position: lastPosition(staged) };
};

const headOf = ({ heads, changedHeads }: StagedTransaction, stream: string): StreamHead =>
  changedHeads.get(stream) ?? heads.get(stream);

const setHead = (staged: StagedTransaction, stream: string, change: Partial<StreamHead>): void => {
  staged.changedHeads.set(stream, { ...headOf(staged, stream), ...change });
};

const lastPosition = ({ position, events }: StagedTransaction): number => position + events.length;

const push = (
  staged: StagedTransaction,
  stream: string,
  revision: number,
  event: ProposedEvent,
): void => {
  const { created } = staged;
  const stored = { ...event, stream, revision, position: lastPosition(staged) + 1, created };
  staged.events.push(stored);
  staged.duplicates.add(stream, stored);
};

const pushMetadata = (staged: StagedTransaction, stream: string, data: Uint8Array): void => {
  const metastream = metastreamOf(stream);
  const revision = headOf(staged, metastream).last + 1;
  push(staged, metastream, revision, systemEvent(METADATA_TYPE, true, data));
  setHead(staged, metastream, { last: revision });
  noteMetadata(staged, stream, true, data);
};

/** Updates whether a stream is soft-deleted after new metadata. */
const noteMetadata = (
  staged: StagedTransaction,
  stream: string,
  isJson: boolean,
  data: Uint8Array,
): void => {
  // Metadata of a metadata stream has no effect: its rules are fixed.
  const softDeleted = !isMetastream(stream) && isSoftDeleted(readRules(isJson, data));
  staged.hidingMetadata.set(stream, data);
  setHead(staged, stream, { softDeleted });
};

/** Makes a soft-deleted stream visible again from a revision on. */
const revive = (staged: StagedTransaction, stream: string, revision: number): void => {
  const data = revivedMetadata(staged.hidingMetadata.get(stream) ?? EMPTY, revision);
  if (data) pushMetadata(staged, stream, data);
};

const EMPTY = new Uint8Array();

const systemEvent = (type: string, isJson: boolean, data: Uint8Array): ProposedEvent => ({
  id: randomUUID(),
  type,
  isJson,
  data,
  metadata: EMPTY,
});
