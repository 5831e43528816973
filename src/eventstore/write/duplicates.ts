import type pg from "pg";
import { type Append, TOMBSTONE } from "../records.ts";

/** The place of an existing event. */
export type Existing = {
  readonly id: string;
  readonly revision: number;
  readonly position: number;
};

/** Existing events that appends may repeat. */
export type Duplicates = {
  at(stream: string, revision: number): Existing | undefined;
  withId(stream: string, id: string): Existing | undefined;
  add(stream: string, existing: Existing): void;
};

/**
 * Loads the existing events that are needed to recognise repeated appends: for an append with an expected
 * revision before the head, the events after that revision; for others, the events with the same ids.
 */
export const loadDuplicates = async (
  client: pg.Client,
  appends: readonly Append[],
  headOf: (stream: string) => number,
): Promise<Duplicates> => {
  const byPlace = new Map<string, Existing>();
  const byId = new Map<string, Existing>();
  const add = (stream: string, existing: Existing): void => {
    byPlace.set(`${existing.revision}@${stream}`, existing);
    const key = `${existing.id}@${stream}`;
    const other = byId.get(key);
    if (!other || other.revision < existing.revision) byId.set(key, existing);
  };

  const places: { stream: string; from: number; to: number }[] = [];
  const ids: string[] = [];
  for (const { stream, expected, events } of appends) {
    const head = headOf(stream);
    if (head < 0 || head === TOMBSTONE || events.length === 0) continue;
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
    withId: (stream, id) => byId.get(`${id}@${stream}`),
    add,
  };
};
