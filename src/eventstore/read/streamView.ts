import { type StoredEvent, TOMBSTONE } from "../records.ts";
import {
  isMetastream,
  isSoftDeleted,
  METASTREAM_RULES,
  metastreamOf,
  originalStreamOf,
  readRules,
  type StreamRules,
} from "../streamMetadata.ts";

/** The events of a stream that its metadata shows at one moment. */
export type StreamView = {
  /** "missing": the stream has no events or is soft-deleted; "deleted": it has a tombstone. */
  readonly state: "present" | "missing" | "deleted";
  /** The stream's last revision, -1 for none. */
  readonly last: number;
  /** The first revision that `$tb` and `$maxCount` show. */
  readonly first: number;
  /** Whether the metadata shows an event, `$maxAge` included. */
  shows(event: StoredEvent): boolean;
};

/** The state of a stream in a query result. `other` is its metadata stream; of a metadata stream, the original. */
export type StateRow = {
  last: string | null;
  other_last: string | null;
  other_is_json: boolean | null;
  other_data: Buffer | null;
};

/** The stream whose last event decides what a stream shows: see {@link StateRow}. */
export const otherStreamOf = (stream: string): string =>
  isMetastream(stream) ? originalStreamOf(stream) : metastreamOf(stream);

export const MISSING: StreamView = { state: "missing", last: -1, first: 0, shows: () => false };

export const readView = (stream: string, row: StateRow): StreamView => {
  const last = row.last === null ? -1 : Number(row.last);
  const metastream = isMetastream(stream);
  if (last === TOMBSTONE || (metastream && Number(row.other_last) === TOMBSTONE)) {
    return { ...MISSING, state: "deleted", last: TOMBSTONE };
  }
  const rules: StreamRules = metastream
    ? METASTREAM_RULES
    : readRules(row.other_is_json ?? false, row.other_data ?? NO_BYTES);
  if (last < 0 || isSoftDeleted(rules)) return { ...MISSING, last };
  const first = Math.max(0, rules.truncateBefore, last - rules.maxCount + 1);
  const oldest = Date.now() - rules.maxAgeMs;
  return {
    state: "present",
    last,
    first,
    shows: (event) => event.revision >= first && Number(event.created) / 10_000 >= oldest,
  };
};

const NO_BYTES = new Uint8Array();
