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

/** How many streams' heads are kept in memory; others are read again when they are next written to. */
const MAX_HEADS = 100_000;

/** What the writer knows of a stream. */
export type Head = {
  /** The last revision, -1 for none, TOMBSTONE when the stream was ended for good. */
  readonly last: number;
  /** Whether the stream's metadata hides all of it. */
  readonly softDeleted: boolean;
};

const NONE: Head = { last: -1, softDeleted: false };

/** The heads of the streams written to lately. */
export type Heads = {
  /** Reads from the database what is needed to decide these appends and is not known. */
  load(appends: readonly Append[]): Promise<void>;
  /** A head that was loaded or set. */
  get(stream: string): Head;
  /** Notes what has been committed. */
  set(heads: ReadonlyMap<string, Head>): void;
};

/** Makes the heads over the writer's own connection: nobody else changes them. */
export const createHeads = (client: pg.Client): Heads => {
  /** Least recently used first. */
  const heads = new Map<string, Head>();
  /** While no stream has metadata there is none to look for. null: not known yet. */
  let anyMetadata: boolean | null = null;

  const remember = (stream: string, head: Head): void => {
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
      const wanted = new Set<string>();
      for (const { stream, expected, deletion } of appends) {
        wanted.add(stream);
        if (isMetastream(stream)) wanted.add(originalStreamOf(stream));
        if (deletion === "soft" || expected.kind === "stream_exists") {
          wanted.add(metastreamOf(stream));
        }
      }
      await read(wanted);
      // What is written to a hidden stream is followed by metadata that shows it again.
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

/** Whether a stream takes no more events: it, or the stream that it is the metadata of, has its tombstone. */
export const isTombstoned = (stream: string, get: (stream: string) => Head): boolean =>
  get(stream).last === TOMBSTONE ||
  (isMetastream(stream) && get(originalStreamOf(stream)).last === TOMBSTONE);

/** The newest metadata of a stream, fetched only where it may hide the stream. */
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
