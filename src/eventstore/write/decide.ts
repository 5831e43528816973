import type { Append } from "../records.ts";

/** What is known of the stream that a write goes to, before it is written. */
export type StreamView = {
  /** The last revision, null when there is no such stream. */
  readonly head: number | null;
  /** Whether the stream was ended for good by a tombstone, or is the metadata of one that was. */
  readonly tombstoned: boolean;
  /** Whether the stream's metadata hides all of it (`$tb` is the largest there is). */
  readonly softDeleted: boolean;
  /** Whether the stream has metadata, be there events or not. */
  hasMetadata(): boolean;
  /** The id of the event at a revision of this stream. Asked only for revisions up to the head. */
  idAt(revision: number): string | undefined;
  /** The revision at which this stream holds an event of that id. */
  revisionOf(id: string): number | undefined;
};

export type Decision =
  /** `revives`: the stream was soft-deleted, and what is written makes it visible again. */
  | { readonly kind: "write"; readonly firstRevision: number; readonly revives: boolean }
  | { readonly kind: "repeat"; readonly lastRevision: number }
  | { readonly kind: "wrong_expected_version" }
  | { readonly kind: "stream_deleted" };

const WRONG: Decision = { kind: "wrong_expected_version" };
const DELETED: Decision = { kind: "stream_deleted" };

/**
 * Decides a write as EventStoreDB does (its IndexWriter.CheckCommit): an append that repeats what is
 * already there succeeds again, one that repeats it in part is a wrong expected version. A deletion is
 * decided as the append of an event that nobody has seen.
 */
export const decideWrite = (append: Append, stream: StreamView): Decision => {
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
        // A stream that is deleted is none to whoever expects none; its numbering goes on all the same.
        return i === 0 && at < 0 && stream.softDeleted ? write : WRONG;
      }
      return { kind: "repeat", lastRevision: at + ids.length };
    }
  }
};

const idsOf = ({ events, deletion }: Append): readonly string[] =>
  deletion ? [FRESH] : events.map((event) => event.id);

/** Stands for the id of an event that is in no stream. */
const FRESH = "";

/** Without an expected revision, a repeat is recognised by the ids alone, wherever in the stream they stand. */
const decideAnywhere = (
  ids: readonly string[],
  stream: StreamView,
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
