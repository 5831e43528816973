import type pg from "pg";
import { type Append, TOMBSTONE } from "../records.ts";

/** Where an event stands. */
export type Found = { readonly id: string; readonly revision: number; readonly position: number };

/** The events that appends may be repeating, by their place and by their id. */
export type Repeats = {
  at(stream: string, revision: number): Found | undefined;
  of(stream: string, id: string): Found | undefined;
  add(stream: string, found: Found): void;
};

/**
 * Reads what is needed to recognise repeats: the events at the places that an append claims although
 * the stream is past them, and, for appends without a revision, the events of the same ids.
 */
export const loadRepeats = async (
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
    of: (stream, id) => byId.get(`${id}@${stream}`),
    add,
  };
};
