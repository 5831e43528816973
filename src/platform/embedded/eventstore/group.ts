import pg from "pg";
import { decideAppend } from "./decide.ts";
import type { Append, AppendResult, StoredEvent } from "./records.ts";
import type { WriterSession } from "./session.ts";

/** How many streams' heads are kept in memory; others are read again when they are next written to. */
const MAX_HEADS = 100_000;

/** Decides appends against the heads, and commits them as one statement, one transaction. */
export type Group = {
  /**
   * Decides the appends in order, each seeing those before it, and commits what they write.
   * Rejects when the database failed; then the group is of no more use, for its heads may be stale.
   */
  commit(
    appends: readonly Append[],
  ): Promise<{ results: readonly AppendResult[]; written: readonly StoredEvent[] }>;
  /** Whether, after this error, the appends may have been committed all the same. */
  outcomeUnknown(error: unknown): boolean;
};

type Found = { readonly id: string; readonly revision: number; readonly position: number };

/** Makes a group over a session that holds the writer's lock. */
export const createGroup = (deps: { session: WriterSession; head: number }): Group => {
  const { client } = deps.session;
  /** Last revision by stream, -1 for none, least recently used first. */
  const heads = new Map<string, number>();
  let position = deps.head;
  let inserting = false;

  const remember = (stream: string, head: number): void => {
    heads.delete(stream);
    heads.set(stream, head);
  };

  const forgetOldest = (): void => {
    for (const stream of heads.keys()) {
      if (heads.size <= MAX_HEADS) return;
      heads.delete(stream);
    }
  };

  const loadHeads = async (appends: readonly Append[]): Promise<void> => {
    const missing = new Set<string>();
    for (const { stream } of appends) if (!heads.has(stream)) missing.add(stream);
    if (missing.size === 0) return;
    const { rows } = await client.query<{ stream: string; revision: string | null }>({
      name: "heads",
      text: `SELECT wanted.stream, (
               SELECT revision FROM eventstore.events e
               WHERE e.stream = wanted.stream ORDER BY revision DESC LIMIT 1
             ) AS revision
             FROM unnest($1::text[]) AS wanted(stream)`,
      values: [[...missing]],
    });
    for (const row of rows) remember(row.stream, row.revision === null ? -1 : Number(row.revision));
  };

  const commit: Group["commit"] = async (appends) => {
    inserting = false;
    await loadHeads(appends);
    const known = await loadRepeats(client, appends, (stream) => heads.get(stream) ?? -1);
    const headsAfter = new Map<string, number>();
    const written: StoredEvent[] = [];
    // Protocol time is in ticks of 100 ns: four digits more than milliseconds.
    const created = `${Date.now()}0000`;

    const results = appends.map((append): AppendResult => {
      const { stream, events } = append;
      const last = headsAfter.get(stream) ?? heads.get(stream) ?? -1;
      const head = last < 0 ? null : last;
      const decision = decideAppend(append, {
        head,
        idAt: (revision) => known.at(stream, revision)?.id,
        revisionOf: (id) => known.of(stream, id)?.revision,
      });
      if (decision.kind === "wrong_expected_version") {
        return { kind: "wrong_expected_version", current: head };
      }
      if (decision.kind === "repeat") {
        const revision = decision.lastRevision;
        return {
          kind: "written",
          revision,
          position: known.at(stream, revision)?.position ?? null,
        };
      }
      if (events.length === 0) return { kind: "written", revision: head, position: null };
      for (const [i, event] of events.entries()) {
        const stored: StoredEvent = {
          ...event,
          stream,
          revision: decision.firstRevision + i,
          position: position + written.length + 1,
          created,
        };
        written.push(stored);
        known.add(stream, stored);
      }
      const revision = decision.firstRevision + events.length - 1;
      headsAfter.set(stream, revision);
      return { kind: "written", revision, position: position + written.length };
    });

    if (written.length > 0) {
      inserting = true;
      await insert(client, written);
      inserting = false;
      position += written.length;
    }
    for (const { stream } of appends)
      remember(stream, headsAfter.get(stream) ?? heads.get(stream) ?? -1);
    forgetOldest();
    return { results, written };
  };

  return {
    commit,
    outcomeUnknown: (error) => inserting && !isRefusal(error),
  };
};

/**
 * Whether Postgres itself refused the statement: then nothing of it was written. A FATAL or PANIC is a
 * server going down, which may come between the commit and the answer; other errors are the connection's.
 */
const isRefusal = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.severity === "ERROR" && !error.code?.startsWith("57P");

const insert = async (client: pg.Client, events: readonly StoredEvent[]): Promise<void> => {
  await client.query({
    name: "append",
    text: `INSERT INTO eventstore.events
             (position, stream, revision, id, type, is_json, created, data, metadata)
           SELECT * FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::uuid[], $5::text[],
                                $6::boolean[], $7::bigint[], $8::bytea[], $9::bytea[])`,
    values: [
      events.map((event) => event.position),
      events.map((event) => event.stream),
      events.map((event) => event.revision),
      events.map((event) => event.id),
      events.map((event) => event.type),
      events.map((event) => event.isJson),
      events.map((event) => event.created),
      events.map((event) => asBuffer(event.data)),
      events.map((event) => asBuffer(event.metadata)),
    ],
  });
};

const asBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** The events that appends may be repeating, by their place and by their id. */
type Repeats = {
  at(stream: string, revision: number): Found | undefined;
  of(stream: string, id: string): Found | undefined;
  add(stream: string, found: Found): void;
};

/**
 * Reads what is needed to recognise repeats: the events at the places that an append claims although
 * the stream is past them, and, for appends without a revision, the events of the same ids.
 */
const loadRepeats = async (
  client: pg.Client,
  appends: readonly Append[],
  headOf: (stream: string) => number,
): Promise<Repeats> => {
  const byPlace = new Map<string, Found>();
  const byId = new Map<string, Found>();
  const add = (stream: string, found: Found): void => {
    byPlace.set(`${found.revision}@${stream}`, found);
    const other = byId.get(`${found.id}@${stream}`);
    if (!other || other.revision < found.revision) byId.set(`${found.id}@${stream}`, found);
  };

  const places: { stream: string; from: number; to: number }[] = [];
  const ids: string[] = [];
  for (const { stream, expected, events } of appends) {
    const head = headOf(stream);
    if (head < 0 || events.length === 0) continue;
    if (expected.kind === "any" || expected.kind === "stream_exists") {
      ids.push(...events.map((event) => event.id));
    } else {
      const from = expected.kind === "revision" ? expected.revision + 1 : 0;
      if (from <= head) places.push({ stream, from, to: Math.min(head, from + events.length - 1) });
    }
  }
  type Row = { stream: string; revision: string; id: string; position: string };
  const keep = (rows: readonly Row[]): void => {
    for (const row of rows) {
      add(row.stream, {
        id: row.id,
        revision: Number(row.revision),
        position: Number(row.position),
      });
    }
  };
  if (places.length > 0) {
    const { rows } = await client.query<Row>({
      name: "places",
      text: `SELECT e.stream, e.revision, e.id, e.position
             FROM unnest($1::text[], $2::bigint[], $3::bigint[]) AS wanted(stream, first, last)
             JOIN eventstore.events e
               ON e.stream = wanted.stream AND e.revision BETWEEN wanted.first AND wanted.last`,
      values: [places.map((p) => p.stream), places.map((p) => p.from), places.map((p) => p.to)],
    });
    keep(rows);
  }
  if (ids.length > 0) {
    const { rows } = await client.query<Row>({
      name: "ids",
      text: "SELECT stream, revision, id, position FROM eventstore.events WHERE id = ANY($1::uuid[])",
      values: [ids],
    });
    keep(rows);
  }
  return {
    at: (stream, revision) => byPlace.get(`${revision}@${stream}`),
    of: (stream, id) => byId.get(`${id}@${stream}`),
    add,
  };
};
