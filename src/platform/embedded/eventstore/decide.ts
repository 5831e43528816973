import type { Append } from "./records.ts";

/** What is known of the stream that an append goes to, before it is written. */
export type StreamView = {
  /** The last revision, null when there is no such stream. */
  readonly head: number | null;
  /** The id of the event at a revision of this stream. Asked only for revisions up to the head. */
  idAt(revision: number): string | undefined;
  /** The revision at which this stream holds an event of that id. */
  revisionOf(id: string): number | undefined;
};

export type Decision =
  | { readonly kind: "write"; readonly firstRevision: number }
  | { readonly kind: "repeat"; readonly lastRevision: number }
  | { readonly kind: "wrong_expected_version" };

const WRONG: Decision = { kind: "wrong_expected_version" };

/**
 * Decides an append as EventStoreDB does (its IndexWriter.CheckCommit): an append that repeats what is
 * already there succeeds again, one that repeats it in part is a wrong expected version.
 */
export const decideAppend = (append: Append, stream: StreamView): Decision => {
  const { expected, events } = append;
  const head = stream.head ?? -1;
  const write: Decision = { kind: "write", firstRevision: head + 1 };
  switch (expected.kind) {
    case "stream_exists":
      return head < 0 ? WRONG : decideAnywhere(append, stream, write);
    case "any":
      return decideAnywhere(append, stream, write);
    case "no_stream":
    case "revision": {
      const at = expected.kind === "revision" ? expected.revision : -1;
      if (at === head) return write;
      if (at > head || events.length === 0) return WRONG;
      const repeated = events.every((event, i) => {
        const revision = at + 1 + i;
        return revision <= head && stream.idAt(revision) === event.id;
      });
      return repeated ? { kind: "repeat", lastRevision: at + events.length } : WRONG;
    }
  }
};

/** Without an expected revision, a repeat is recognised by the ids alone, wherever in the stream they stand. */
const decideAnywhere = (append: Append, stream: StreamView, write: Decision): Decision => {
  let lastRevision: number | undefined;
  for (const [i, event] of append.events.entries()) {
    const revision = stream.revisionOf(event.id);
    if (revision === undefined) return i === 0 ? write : WRONG;
    lastRevision = revision;
  }
  return lastRevision === undefined ? write : { kind: "repeat", lastRevision };
};
