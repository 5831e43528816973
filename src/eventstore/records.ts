/** An event to be written, as it came over the wire. */
export type ProposedEvent = {
  /** UUID, lower case with dashes. */
  readonly id: string;
  readonly type: string;
  readonly isJson: boolean;
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
};

/**
 * The revision of a stream's tombstone: past all others. EventStoreDB's is the largest 64-bit number,
 * and so is this one on the wire.
 */
export const TOMBSTONE = Number.MAX_SAFE_INTEGER;

/** The types of the events that EventStoreDB writes itself, and of links. */
export const METADATA_TYPE = "$metadata";
export const TOMBSTONE_TYPE = "$streamDeleted";
export const LINK_TYPE = "$>";

/** An event as it stands in the log. Positions and revisions are safe integers: 2^53 events outlast any disk. */
export type StoredEvent = ProposedEvent & {
  /** Its place in `$all`: 1, 2, 3 … without a gap, in commit order. */
  readonly position: number;
  readonly stream: string;
  /** Its place in its stream, from 0. */
  readonly revision: number;
  /** Ticks of 100 ns since the Unix epoch, in decimal: too large for a safe integer. */
  readonly created: string;
};

/** What the writer of an append believes about its stream. */
export type Expected =
  | { readonly kind: "revision"; readonly revision: number }
  | { readonly kind: "no_stream" }
  | { readonly kind: "stream_exists" }
  | { readonly kind: "any" };

/**
 * A whole append: all of its events are written, or none. One with a `deletion` has no events of its
 * own: "soft" hides the stream's events, until it is written to again; "hard" ends it for good.
 */
export type Append = {
  readonly stream: string;
  readonly expected: Expected;
  readonly events: readonly ProposedEvent[];
  readonly deletion?: "soft" | "hard";
};

/** What became of an append. `revision` is null for a stream that does not exist. */
export type AppendResult =
  | { readonly kind: "written"; readonly revision: number | null; readonly position: number | null }
  | { readonly kind: "wrong_expected_version"; readonly current: number | null };
