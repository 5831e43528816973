import { type StoredEvent, TOMBSTONE } from "../records.ts";
import { isMetastream } from "../streamMetadata.ts";
import {
  COLUMNS,
  type EventRow,
  PAGE_EVENTS,
  pageQuery,
  type RunQuery,
  toEvent,
} from "./queries.ts";
import { MISSING, otherStreamOf, readView, type StateRow, type StreamView } from "./streamView.ts";

/** A page of a stream, without the events that its metadata hides. */
export type StreamPage = {
  /** The view that was applied. Pass it to the next page to read as of the same moment. */
  readonly view: StreamView;
  readonly events: readonly StoredEvent[];
  /** The revision at which the next page starts, null at the end. */
  readonly next: number | null;
};

/** The part of a stream to read: from a revision (inclusive) to its end, or down to its start. */
export type StreamRange = {
  readonly from: number;
  readonly backwards: boolean;
  readonly limit: number;
  /** The view of an earlier page of the same read; without it, the stream is read as of now. */
  readonly view?: StreamView;
};

/** The place of an event in a stream. Revision -1 is the stream's last. */
export type Place = { readonly stream: string; readonly revision: number };

const FORWARDS = pageQuery("stream = $1 AND revision BETWEEN $2 AND $3", "revision", 4, 5);
const BACKWARDS = pageQuery("stream = $1 AND revision BETWEEN $3 AND $2", "revision DESC", 4, 5);

/** The stream's state in the columns of an event: the first row of a page, in the same round trip. */
const STATE_ROW = `
  SELECT o.revision AS position, NULL::text AS stream, (
           SELECT revision FROM eventstore.events WHERE stream = $1 ORDER BY revision DESC LIMIT 1
         ) AS revision, NULL::uuid AS id, NULL::text AS type, o.is_json, NULL::bigint AS created,
         CASE WHEN $7::boolean THEN o.data END AS data, NULL::bytea AS metadata
  FROM (SELECT 1) one LEFT JOIN LATERAL (
    SELECT revision, is_json, data FROM eventstore.events
    WHERE stream = $6 ORDER BY revision DESC LIMIT 1
  ) o ON true`;

/** Reads a page of a stream together with the stream's state. */
export const readStreamPage = async (
  run: RunQuery,
  stream: string,
  { from, backwards, limit, view: pinned }: StreamRange,
): Promise<StreamPage> => {
  const { rows } = await run<EventRow>((bytes) => ({
    name: backwards ? "streamBackwards" : "streamForwards",
    text: `(${STATE_ROW}) UNION ALL (${backwards ? BACKWARDS : FORWARDS})`,
    values: [
      stream,
      from,
      backwards ? 0 : (pinned?.last ?? TOMBSTONE),
      Math.min(limit, PAGE_EVENTS),
      bytes,
      otherStreamOf(stream),
      !isMetastream(stream),
    ],
  }));
  const raw: StoredEvent[] = [];
  let view = pinned ?? MISSING;
  for (const row of rows) {
    if (row.stream !== null) raw.push(toEvent(row));
    else if (!pinned) {
      view = readView(stream, {
        last: row.revision,
        other_last: row.position,
        other_is_json: row.is_json,
        other_data: row.data,
      });
    }
  }
  if (view.state !== "present") return { view, events: [], next: null };
  const events = raw.filter((event) => event.revision <= view.last && view.shows(event));
  return { view, events, next: nextRevision(view, raw.at(-1)?.revision, backwards) };
};

const nextRevision = (
  view: StreamView,
  reached: number | undefined,
  backwards: boolean,
): number | null => {
  if (reached === undefined) return null;
  if (backwards) return reached <= view.first ? null : reached - 1;
  return reached >= view.last ? null : Math.max(reached + 1, view.first);
};

const EVENTS_AT = `
  SELECT wanted.nth::int, l.revision AS last,
    o.revision AS other_last, o.is_json AS other_is_json,
    CASE WHEN wanted.stream NOT LIKE '$$%' THEN o.data END AS other_data, e.*
  FROM unnest($1::text[], $2::bigint[], $3::text[]) WITH ORDINALITY
    AS wanted(stream, revision, other, nth)
  LEFT JOIN LATERAL (
    SELECT revision FROM eventstore.events
    WHERE stream = wanted.stream ORDER BY revision DESC LIMIT 1
  ) l ON true
  LEFT JOIN LATERAL (
    SELECT revision, is_json, data FROM eventstore.events
    WHERE stream = wanted.other ORDER BY revision DESC LIMIT 1
  ) o ON true
  LEFT JOIN LATERAL (
    SELECT ${COLUMNS} FROM eventstore.events
    WHERE stream = wanted.stream
      AND revision = CASE WHEN wanted.revision < 0 THEN l.revision ELSE wanted.revision END
  ) e ON true`;

/** Reads the events at places, in order; null where the place has no visible event. */
export const readEventsAt = async (
  run: RunQuery,
  places: readonly Place[],
): Promise<readonly (StoredEvent | null)[]> => {
  const { rows } = await run<EventRow & StateRow & { nth: number }>(() => ({
    name: "at",
    text: EVENTS_AT,
    values: [
      places.map(({ stream }) => stream),
      places.map(({ revision }) => revision),
      places.map(({ stream }) => otherStreamOf(stream)),
    ],
  }));
  const found: (StoredEvent | null)[] = places.map(() => null);
  for (const row of rows) {
    const place = places[row.nth - 1];
    if (!place || row.position === null) continue;
    const view = readView(place.stream, row);
    const event = toEvent(row);
    if (view.state === "present" && view.shows(event)) found[row.nth - 1] = event;
  }
  return found;
};
