import { randomUUID } from "node:crypto";
import pg from "pg";
import { decideWrite } from "./decide.ts";
import { createHeads, type Head, type Heads, isTombstoned } from "./streamHeads.ts";
import {
  type Append,
  type AppendResult,
  METADATA_TYPE,
  type ProposedEvent,
  type StoredEvent,
  TOMBSTONE,
  TOMBSTONE_TYPE,
} from "../records.ts";
import { loadRepeats, type Repeats } from "./duplicates.ts";
import type { WriterSession } from "./session.ts";
import {
  deletedMetadata,
  isMetastream,
  isSoftDeleted,
  metastreamOf,
  originalStreamOf,
  readRules,
  revivedMetadata,
} from "../streamMetadata.ts";

/** What a group says of one of its appends. */
type GroupResult = AppendResult | { readonly kind: "stream_deleted" };

/** Decides appends against the heads, and commits them as one statement, one transaction. */
export type Group = {
  /**
   * Decides the appends in order, each seeing those before it, and commits what they write.
   * Rejects when the database failed; then the group is of no more use, for its heads may be stale.
   */
  commit(
    appends: readonly Append[],
  ): Promise<{ results: readonly GroupResult[]; written: readonly StoredEvent[] }>;
  /** Whether, after this error, the appends may have been committed all the same. */
  outcomeUnknown(error: unknown): boolean;
};

/** Makes a group over a session that holds the writer's lock. */
export const createGroup = (deps: { session: WriterSession; head: number }): Group => {
  const { client } = deps.session;
  const heads = createHeads(client);
  let position = deps.head;
  let inserting = false;

  const commit: Group["commit"] = async (appends) => {
    inserting = false;
    await heads.load(appends);
    const known = await loadRepeats(client, appends, (stream) => heads.get(stream).last);
    const hiding = await loadHidingMetadata(client, appends, heads);
    const draft = createDraft({ heads, known, hiding, position });
    const results = appends.map((append) => draft.write(append));
    const { written } = draft;
    if (written.length > 0) {
      inserting = true;
      await insert(client, written);
      inserting = false;
      position += written.length;
    }
    heads.set(draft.headsAfter);
    return { results, written };
  };

  return {
    commit,
    outcomeUnknown: (error) => inserting && !isRefusal(error),
  };
};

/** What a group is about to commit. */
type Draft = {
  readonly written: readonly StoredEvent[];
  readonly headsAfter: ReadonlyMap<string, Head>;
  write(append: Append): GroupResult;
};

const createDraft = (deps: {
  heads: Heads;
  known: Repeats;
  /** The metadata of streams that it hides. */
  hiding: Map<string, Uint8Array>;
  /** The last position in the log. */
  position: number;
}): Draft => {
  const { heads, known, hiding } = deps;
  const headsAfter = new Map<string, Head>();
  const written: StoredEvent[] = [];
  // Protocol time is in ticks of 100 ns: four digits more than milliseconds.
  const created = `${Date.now()}0000`;

  const headOf = (stream: string): Head => headsAfter.get(stream) ?? heads.get(stream);
  const lastPosition = (): number => deps.position + written.length;
  const push = (stream: string, revision: number, event: ProposedEvent): void => {
    const stored = { ...event, stream, revision, position: lastPosition() + 1, created };
    written.push(stored);
    known.add(stream, stored);
  };
  const setHead = (stream: string, change: Partial<Head>): void => {
    headsAfter.set(stream, { ...headOf(stream), ...change });
  };

  const pushMetadata = (stream: string, data: Uint8Array): void => {
    const metastream = metastreamOf(stream);
    const revision = headOf(metastream).last + 1;
    push(metastream, revision, systemEvent(METADATA_TYPE, true, data));
    setHead(metastream, { last: revision });
    noteMetadata(stream, true, data);
  };
  /** A stream has new metadata: does it hide the stream? */
  const noteMetadata = (stream: string, isJson: boolean, data: Uint8Array): void => {
    // The metadata of a metadata stream rules nothing: that its last event is shown is fixed.
    const softDeleted = !isMetastream(stream) && isSoftDeleted(readRules(isJson, data));
    hiding.set(stream, data);
    setHead(stream, { softDeleted });
  };
  /** Shows a soft-deleted stream again, from a revision on. */
  const revive = (stream: string, revision: number): void => {
    const data = revivedMetadata(hiding.get(stream) ?? EMPTY, revision);
    if (data) pushMetadata(stream, data);
  };

  const remove = (stream: string, deletion: "soft" | "hard"): GroupResult => {
    if (deletion === "hard") {
      push(stream, TOMBSTONE, systemEvent(TOMBSTONE_TYPE, false, EMPTY));
      setHead(stream, { last: TOMBSTONE, softDeleted: false });
    } else {
      if (headOf(stream).last < 0 && headOf(metastreamOf(stream)).last < 0) {
        return { kind: "wrong_expected_version", current: null };
      }
      pushMetadata(stream, deletedMetadata());
    }
    return { kind: "written", revision: null, position: lastPosition() };
  };

  return {
    written,
    headsAfter,
    write: (append) => {
      const { stream, events, deletion } = append;
      const { last, softDeleted } = headOf(stream);
      const head = last < 0 ? null : last;
      const decision = decideWrite(append, {
        head,
        tombstoned: isTombstoned(stream, headOf),
        softDeleted,
        hasMetadata: () => headOf(metastreamOf(stream)).last >= 0,
        idAt: (revision) => known.at(stream, revision)?.id,
        revisionOf: (id) => known.of(stream, id)?.revision,
      });
      switch (decision.kind) {
        case "stream_deleted":
          return decision;
        case "wrong_expected_version":
          return { kind: "wrong_expected_version", current: head };
        case "repeat": {
          const revision = decision.lastRevision;
          const position = known.at(stream, revision)?.position ?? null;
          return { kind: "written", revision, position };
        }
      }
      if (deletion) return remove(stream, deletion);
      const revision = decision.firstRevision + events.length - 1;
      for (const [i, event] of events.entries()) push(stream, decision.firstRevision + i, event);
      const position = events.length > 0 ? lastPosition() : null;
      if (events.length > 0) headsAfter.set(stream, { last: revision, softDeleted });
      if (decision.revives) revive(stream, decision.firstRevision);
      const lastEvent = events.at(-1);
      if (isMetastream(stream) && lastEvent) {
        const original = originalStreamOf(stream);
        const wasHidden = headOf(original).softDeleted;
        noteMetadata(original, lastEvent.isJson, lastEvent.data);
        if (wasHidden) revive(original, headOf(original).last + 1);
      }
      return { kind: "written", revision: revision < 0 ? null : revision, position };
    },
  };
};

const EMPTY = new Uint8Array();

const systemEvent = (type: string, isJson: boolean, data: Uint8Array): ProposedEvent => ({
  id: randomUUID(),
  type,
  isJson,
  data,
  metadata: EMPTY,
});

/** The newest metadata of those streams that are hidden and about to be written to. */
const loadHidingMetadata = async (
  client: pg.Client,
  appends: readonly Append[],
  heads: Heads,
): Promise<Map<string, Uint8Array>> => {
  const hidden = new Set<string>();
  for (const { stream } of appends) if (heads.get(stream).softDeleted) hidden.add(stream);
  if (hidden.size === 0) return new Map();
  const { rows } = await client.query<{ stream: string; data: Buffer }>({
    name: "hidingMetadata",
    text: `SELECT wanted.stream, (
             SELECT m.data FROM eventstore.events m
             WHERE m.stream = '$$' || wanted.stream ORDER BY m.revision DESC LIMIT 1
           ) AS data
           FROM unnest($1::text[]) AS wanted(stream)`,
    values: [[...hidden]],
  });
  return new Map(rows.map((row) => [row.stream, row.data]));
};

/**
 * Whether Postgres itself refused the statement: then nothing of it was written. A FATAL or PANIC is a
 * server going down, which may come between the commit and the answer; other errors are the connection's.
 */
const isRefusal = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.severity === "ERROR" && !error.code?.startsWith("57P");

/**
 * The payloads go as one parameter, of which the database takes its parts: an array of them would be
 * sent, and read, as text in hexadecimal digits.
 */
const insert = async (client: pg.Client, events: readonly StoredEvent[]): Promise<void> => {
  const payloads: Uint8Array[] = [];
  const starts: number[] = [];
  let at = 1;
  for (const { data, metadata } of events) {
    payloads.push(data, metadata);
    starts.push(at);
    at += data.length + metadata.length;
  }
  await client.query({
    name: "append",
    text: `INSERT INTO eventstore.events
             (position, stream, revision, id, type, is_json, created, data, metadata)
           SELECT position, stream, revision, id, type, is_json, created,
                  substring($8::bytea FROM start FOR data_size),
                  substring($8::bytea FROM start + data_size FOR metadata_size)
           FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::uuid[], $5::text[],
                       $6::boolean[], $7::bigint[], $9::int[], $10::int[], $11::int[])
             AS e(position, stream, revision, id, type, is_json, created,
                  start, data_size, metadata_size)`,
    values: [
      events.map((event) => event.position),
      events.map((event) => event.stream),
      events.map((event) => event.revision),
      events.map((event) => event.id),
      events.map((event) => event.type),
      events.map((event) => event.isJson),
      events.map((event) => event.created),
      Buffer.concat(payloads),
      starts,
      events.map((event) => event.data.length),
      events.map((event) => event.metadata.length),
    ],
  });
};
