import { z } from "zod";
import { partsOf } from "../../../domain/inspection/deciders.ts";
import type { InspectedEvent } from "../../../projections/inspection/streams.ts";
import type { IndexedEvent, IndexedStream } from "../../../stores/inspection/eventIndex.ts";
import { id, timestamp } from "../../schemas.ts";

/** A position in the log, null if nothing was read yet. */
const position = z.string();

/** A stream, without its events. */
export const streamSummary = z
  .object({
    stream: z.string(),
    kind: z.string(),
    revision: z.int().describe("The revision of the last event, from 0."),
    first_at: timestamp.nullable(),
    last_at: timestamp.nullable(),
    link: z.string(),
  })
  .meta({ id: "Stream", description: "A stream of the event log." });

/** A found stream and the reason. */
export const foundStream = streamSummary
  .extend({ what: z.string() })
  .meta({ id: "FoundStream", description: "A stream that matches a search." });

/** An event without its data. */
export const eventSummary = z
  .object({
    id,
    stream: z.string(),
    revision: z.int(),
    position,
    type: z.string(),
    occurred_at: timestamp.nullable(),
    correlation_id: id.nullable(),
    causation_id: id.nullable().describe("The event or request that caused it."),
    link: z.string(),
  })
  .meta({ id: "EventSummary", description: "An event of the log without its data." });

/** An event as stored, with e-mail addresses hidden. */
export const storedEvent = z
  .object({
    id,
    stream: z.string(),
    revision: z.int(),
    position,
    type: z.string(),
    data: z.unknown(),
    metadata: z.record(z.string(), z.unknown()),
    link: z.string(),
  })
  .meta({ id: "StoredEvent", description: "An event of the log, with e-mail addresses hidden." });

const streamLink = (stream: string): string =>
  `/api/v1/admin/streams/${encodeURIComponent(stream)}`;
const eventLink = (eventId: string): string => `/api/v1/admin/events/${eventId}`;

export const toStreamSummary = (row: IndexedStream) => ({
  stream: row.stream,
  kind: partsOf(row.stream).kind,
  revision: Number(row.revision),
  first_at: row.first_at,
  last_at: row.last_at,
  link: streamLink(row.stream),
});

export const toEventSummary = (row: IndexedEvent) => ({
  id: row.event_id,
  stream: row.stream,
  revision: Number(row.revision),
  position: String(row.position),
  type: row.type,
  occurred_at: row.occurred_at,
  correlation_id: row.correlation_id,
  causation_id: row.causation_id,
  link: eventLink(row.event_id),
});

export const toStoredEvent = (event: InspectedEvent) => ({ ...event, link: eventLink(event.id) });

const runStream = "run-019a5a6e-3f10-7000-8000-5a1de1f0a010";
const eventId = "019a5a6e-3f11-7000-8000-5a1de1f0a011";
const requestId = "019a5a6e-3f12-7000-8000-5a1de1f0a012";
const at = "2026-03-01T10:11:12.345Z";

export const streamExample = {
  stream: runStream,
  kind: "run",
  revision: 3,
  first_at: at,
  last_at: at,
  link: streamLink(runStream),
};

export const eventSummaryExample = {
  id: eventId,
  stream: runStream,
  revision: 0,
  position: "1042",
  type: "RunQueued",
  occurred_at: at,
  correlation_id: requestId,
  causation_id: requestId,
  link: eventLink(eventId),
};

export const storedEventExample = {
  id: eventId,
  stream: runStream,
  revision: 1,
  position: "1043",
  type: "RunStarted",
  data: { runId: runStream.slice(4) },
  metadata: { actor: { type: "system", id: "executor" }, occurred_at: at },
  link: eventLink(eventId),
};
