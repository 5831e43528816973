/** An event to append, as it was received. */
export type ProposedEvent = {
  /** UUID, lower case with dashes. */
  readonly id: string;
  readonly type: string;
  readonly isJson: boolean;
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
};

/**
 * The revision of a stream's tombstone, after all others. On the wire it is the largest signed 64-bit
 * number, as in EventStoreDB.
 */
export const TOMBSTONE = Number.MAX_SAFE_INTEGER;

/** The types of system events and of links. */
export const METADATA_TYPE = "$metadata";
export const TOMBSTONE_TYPE = "$streamDeleted";
export const LINK_TYPE = "$>";

/** A stored event. Positions and revisions are safe integers: below 2^53. */
export type StoredEvent = ProposedEvent & {
  /** Its position in `$all`: 1, 2, 3 … without gaps, in commit order. */
  readonly position: number;
  readonly stream: string;
  /** Its place in its stream, counted from 0. */
  readonly revision: number;
  /** Ticks of 100 ns since the Unix epoch, in decimal: the number exceeds the safe integers. */
  readonly created: string;
};

/** The state of the stream that an append requires. */
export type Expected =
  | { readonly kind: "revision"; readonly revision: number }
  | { readonly kind: "no_stream" }
  | { readonly kind: "stream_exists" }
  | { readonly kind: "any" };

/**
 * An atomic append: all of its events are written, or none. A deletion has no events: "soft" hides the
 * stream's events until the next append; "hard" closes the stream permanently.
 */
export type Append = {
  readonly stream: string;
  readonly expected: Expected;
  readonly events: readonly ProposedEvent[];
  readonly deletion?: "soft" | "hard";
};

/** The result of an append. `revision` is null for a stream that does not exist. */
export type AppendResult =
  | { readonly kind: "written"; readonly revision: number | null; readonly position: number | null }
  | { readonly kind: "wrong_expected_version"; readonly current: number | null };
