import type pg from "pg";
import { type Append, TOMBSTONE } from "../records.ts";
import {
  isMetastream,
  isSoftDeleted,
  LARGEST,
  metastreamOf,
  originalStreamOf,
  readRules,
} from "../streamMetadata.ts";

/** The number of cached heads. Other heads are read from the database when their stream is appended to. */
const MAX_HEADS = 100_000;

/** The end of a stream, as the writer needs it. */
export type StreamHead = {
  /** The last revision, -1 for none, TOMBSTONE after a hard deletion. */
  readonly last: number;
  /** Whether the stream's metadata hides all of its events. */
  readonly softDeleted: boolean;
};

const NONE: StreamHead = { last: -1, softDeleted: false };

/** A cache of the heads of recently written streams. */
export type StreamHeads = {
  /** Reads the heads that are needed to decide the appends and are not cached. */
  load(appends: readonly Append[]): Promise<void>;
  /** Returns a head that was loaded or set. */
  get(stream: string): StreamHead;
  /** Stores the heads after a commit. */
  set(heads: ReadonlyMap<string, StreamHead>): void;
};

/** `client` holds the writer's lock, so no other process changes a head. */
export const createStreamHeads = (client: pg.Client): StreamHeads => {
  /** Least recently used first. */
  const heads = new Map<string, StreamHead>();
  /** Whether any stream has metadata: if not, it is not queried. null: unknown. */
  let anyMetadata: boolean | null = null;

  const remember = (stream: string, head: StreamHead): void => {
    heads.delete(stream);
    heads.set(stream, head);
  };

  const read = async (streams: ReadonlySet<string>): Promise<void> => {
    const missing = [...streams].filter((stream) => !heads.has(stream));
    if (missing.length === 0) return;
    anyMetadata ??= await hasMetadata(client);
    const { rows } = await client.query<{
      stream: string;
      revision: string | null;
      hiding: Buffer | null;
    }>({
      name: anyMetadata ? "headsAndMetadata" : "heads",
      text: `SELECT wanted.stream, (
               SELECT revision FROM eventstore.events e
               WHERE e.stream = wanted.stream ORDER BY revision DESC LIMIT 1
             ) AS revision, ${anyMetadata ? HIDING_METADATA : "NULL::bytea"} AS hiding
             FROM unnest($1::text[]) AS wanted(stream)`,
      values: [missing],
    });
    for (const { stream, revision, hiding } of rows) {
      remember(stream, {
        last: revision === null ? -1 : Number(revision),
        softDeleted:
          hiding !== null && !isMetastream(stream) && isSoftDeleted(readRules(true, hiding)),
      });
    }
  };

  return {
    load: async (appends) => {
      const wanted = streamsOf(appends);
      await read(wanted);
      // An append to a hidden stream is followed by metadata that makes it visible again.
      const hidden = [...wanted].filter((stream) => heads.get(stream)?.softDeleted);
      if (hidden.length > 0) await read(new Set(hidden.map(metastreamOf)));
    },
    get: (stream) => heads.get(stream) ?? NONE,
    set: (changed) => {
      for (const [stream, head] of changed) {
        if (isMetastream(stream)) anyMetadata = true;
        remember(stream, head);
      }
      for (const stream of heads.keys()) {
        if (heads.size <= MAX_HEADS) return;
        heads.delete(stream);
      }
    },
  };
};

/** The streams whose heads decide the appends. */
const streamsOf = (appends: readonly Append[]): ReadonlySet<string> => {
  const streams = new Set<string>();
  for (const { stream, expected, deletion } of appends) {
    streams.add(stream);
    if (isMetastream(stream)) streams.add(originalStreamOf(stream));
    if (deletion === "soft" || expected.kind === "stream_exists") streams.add(metastreamOf(stream));
  }
  return streams;
};

/** Whether a stream is closed for appends: it has a tombstone, or is the metadata stream of one that has. */
export const isTombstoned = (stream: string, get: (stream: string) => StreamHead): boolean =>
  get(stream).last === TOMBSTONE ||
  (isMetastream(stream) && get(originalStreamOf(stream)).last === TOMBSTONE);

/** The newest metadata of a stream, if it may hide the stream. */
const HIDING_METADATA = `(
  SELECT CASE WHEN m.is_json AND position('${LARGEST}'::bytea IN m.data) > 0 THEN m.data END
  FROM eventstore.events m WHERE m.stream = '$$' || wanted.stream ORDER BY m.revision DESC LIMIT 1
)`;

const hasMetadata = async (client: pg.Client): Promise<boolean> => {
  const { rows } = await client.query(
    `SELECT 1 FROM eventstore.events WHERE stream >= '$$' AND stream < '$%'
     ORDER BY stream, revision LIMIT 1`,
  );
  return rows.length > 0;
};
