import type { Append } from "../records.ts";

/** The state of a stream before a write. */
export type StreamState = {
  /** The last revision, null if the stream does not exist. */
  readonly head: number | null;
  /** Whether the stream has a tombstone, or is the metadata stream of one that has. */
  readonly tombstoned: boolean;
  /** Whether the stream's metadata hides all of its events (`$tb` has the largest value). */
  readonly softDeleted: boolean;
  /** Whether the stream has metadata; it may have metadata without events. */
  hasMetadata(): boolean;
  /** The id of the event at a revision. Called only for revisions up to the head. */
  idAt(revision: number): string | undefined;
  /** The revision of the event with this id in the stream. */
  revisionOf(id: string): number | undefined;
};

export type Decision =
  /** `revives`: the stream is soft-deleted, and the write makes it visible again. */
  | { readonly kind: "write"; readonly firstRevision: number; readonly revives: boolean }
  | { readonly kind: "repeat"; readonly lastRevision: number }
  | { readonly kind: "wrong_expected_version" }
  | { readonly kind: "stream_deleted" };

const WRONG: Decision = { kind: "wrong_expected_version" };
const DELETED: Decision = { kind: "stream_deleted" };

/**
 * Decides a write as EventStoreDB does (its IndexWriter.CheckCommit): an append whose events all exist
 * already succeeds again; if only some of them exist, it fails with a wrong expected version. A deletion
 * is decided as the append of an event with a new id.
 */
export const decideWrite = (append: Append, stream: StreamState): Decision => {
  if (stream.tombstoned) return DELETED;
  const { expected } = append;
  const head = stream.head ?? -1;
  const write: Decision = { kind: "write", firstRevision: head + 1, revives: stream.softDeleted };
  switch (expected.kind) {
    case "stream_exists":
      if (stream.softDeleted) return DELETED;
      if (head < 0 && !stream.hasMetadata()) return WRONG;
      return decideAnywhere(idsOf(append), stream, write);
    case "any":
      return decideAnywhere(idsOf(append), stream, write);
    case "no_stream":
    case "revision": {
      const at = expected.kind === "revision" ? expected.revision : -1;
      if (at === head) return write;
      const ids = idsOf(append);
      if (at > head || ids.length === 0) return WRONG;
      for (const [i, id] of ids.entries()) {
        const revision = at + 1 + i;
        if (revision <= head && stream.idAt(revision) === id) continue;
        // "no_stream" holds for a soft-deleted stream; its numbering continues.
        return i === 0 && at < 0 && stream.softDeleted ? write : WRONG;
      }
      return { kind: "repeat", lastRevision: at + ids.length };
    }
  }
};

const idsOf = ({ events, deletion }: Append): readonly string[] =>
  deletion ? [FRESH] : events.map((event) => event.id);

/** The id of no event. */
const FRESH = "";

/** Without an expected revision, a repeat is recognised by its ids, anywhere in the stream. */
const decideAnywhere = (
  ids: readonly string[],
  stream: StreamState,
  write: Decision & { kind: "write" },
): Decision => {
  let lastRevision: number | undefined;
  for (const [i, id] of ids.entries()) {
    const revision = stream.revisionOf(id);
    if (revision === undefined) return i === 0 ? write : WRONG;
    lastRevision = revision;
  }
  return lastRevision === undefined ? write : { kind: "repeat", lastRevision };
};
