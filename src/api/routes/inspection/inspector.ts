import { z } from "zod";
import { partsOf } from "../../../domain/inspection/deciders.ts";
import { defineOperation, type Operation } from "../../operation.ts";
import { id, instant, timestamp } from "../../schemas.ts";
import * as inspect from "./inspections.ts";
import {
  eventSummary,
  eventSummaryExample,
  foundStream,
  storedEvent,
  storedEventExample,
  streamExample,
  streamSummary,
} from "./shapes.ts";

const shared = { tag: "Admin", auth: "admin", permission: null } as const;

/** A stream name. A malformed name answers as a missing stream. */
const streamName = z.string().regex(/^[A-Za-z]+-[\w.:-]{1,190}$/);
const streamParams = z.object({ stream: streamName });

const limit = z.coerce
  .number("must be a number from 1 to 100")
  .int("must be a whole number")
  .min(1)
  .max(100)
  .default(50);

/** A revision, within the safe integers. */
const revision = z.coerce
  .number("must be a revision, from 0")
  .int("must be a revision, from 0")
  .min(0, "must be a revision, from 0")
  .max(Number.MAX_SAFE_INTEGER);

/** A moment of a stream: a revision or a recording time. */
const moment = z
  .string()
  .regex(/^\d{1,15}$/, "must be a revision or a time such as 2026-01-31T00:00:00Z")
  .transform(Number)
  .or(instant);

const find = defineOperation({
  ...shared,
  id: "findStreams",
  method: "GET",
  path: "/admin/find",
  summary:
    "Find streams by an e-mail address, an id, a request's id, a key prefix or a provider's event",
  query: z.object({
    q: z
      .string()
      .trim()
      .min(1)
      .max(320)
      .regex(/^\P{Cc}*$/u, "must be one line"),
  }),
  responses: {
    200: z.object({
      sought: z.enum(["email", "id", "key_prefix", "name"]),
      items: z.array(foundStream),
    }),
  },
  example: { response: { sought: "id", items: [{ ...streamExample, what: "the run" }] } },
  handler: async ({ query, services, context }) => ({
    status: 200,
    body: await inspect.findStreams(services, context, query.q),
  }),
});

const listStreams = defineOperation({
  ...shared,
  id: "listStreams",
  method: "GET",
  path: "/admin/streams",
  summary: "List streams by name prefix",
  query: z.object({
    prefix: z
      .string()
      .max(200)
      .regex(/^[\w.:-]*$/, "must be the beginning of a stream's name")
      .default(""),
    limit,
    cursor: streamName.optional(),
  }),
  responses: {
    200: z.object({ items: z.array(streamSummary), next_cursor: z.string().nullable() }),
  },
  example: { response: { items: [streamExample], next_cursor: null } },
  handler: async ({ query, services, context }) => ({
    status: 200,
    body: await inspect.listStreams(services, context, query),
  }),
});

const readStream = defineOperation({
  ...shared,
  id: "readStream",
  method: "GET",
  path: "/admin/streams/{stream}",
  summary: "Read a page of a stream's events as stored, forwards or backwards",
  params: streamParams,
  query: z.object({
    direction: z.enum(["forwards", "backwards"]).default("forwards"),
    from: revision.optional(),
    limit,
  }),
  responses: {
    200: z.object({
      stream: z.string(),
      kind: z.string(),
      items: z.array(storedEvent),
      next_from: z.int().nullable().describe("The start of the next page, null on the last page."),
    }),
  },
  errors: [404],
  example: {
    response: {
      stream: streamExample.stream,
      kind: "run",
      items: [storedEventExample],
      next_from: null,
    },
  },
  handler: async ({ params, query, services, context }) => ({
    status: 200,
    body: await inspect.readStream(services, context, { ...params, ...query }),
  }),
});

const readEvent = defineOperation({
  ...shared,
  id: "readEvent",
  method: "GET",
  path: "/admin/events/{event_id}",
  summary: "Read an event with its causes and effects",
  params: z.object({ event_id: id }),
  responses: {
    200: z.object({
      event: storedEvent,
      causes: z
        .array(eventSummary)
        .describe(
          "The causes, the first one first. The request with id `correlation_id` precedes them.",
        ),
      effects: z
        .array(eventSummary.extend({ depth: z.int() }))
        .describe("The effects in depth-first order. A direct effect has `depth` 1."),
      is_cut: z.boolean().describe("Whether entries were omitted."),
    }),
  },
  errors: [404],
  example: {
    response: {
      event: storedEventExample,
      causes: [eventSummaryExample],
      effects: [],
      is_cut: false,
    },
  },
  handler: async ({ params, services, context }) => ({
    status: 200,
    body: await inspect.readEvent(services, context, params.event_id),
  }),
});

const taken = z.object({ revision: z.int().nullable(), recorded_at: timestamp.nullable() });

const diffStream = defineOperation({
  ...shared,
  id: "diffStream",
  method: "GET",
  path: "/admin/streams/{stream}/diff",
  summary:
    "Compare a stream's state at two revisions or times; by default before its first event and at its end",
  params: streamParams,
  query: z.object({ from: moment.optional(), to: moment.optional() }),
  responses: {
    200: z.object({
      stream: z.string(),
      kind: z.string(),
      from: taken,
      to: taken,
      unread: z.int().describe("The number of events that this version cannot decode."),
      changes: z.array(z.object({ field: z.string(), before: z.unknown(), after: z.unknown() })),
    }),
  },
  errors: [404, 409],
  example: {
    response: {
      stream: streamExample.stream,
      kind: "run",
      from: { revision: 0, recorded_at: "2026-03-01T10:11:12.345Z" },
      to: { revision: 1, recorded_at: "2026-03-01T10:11:13.345Z" },
      unread: 0,
      changes: [{ field: "status", before: "queued", after: "running" }],
    },
  },
  handler: async ({ params, query, services, context }) => ({
    status: 200,
    body: await inspect.diffStream(services, context, {
      stream: params.stream,
      from: query.from ?? null,
      to: query.to ?? null,
    }),
  }),
});

const compareReadModels = defineOperation({
  ...shared,
  id: "compareReadModels",
  method: "GET",
  path: "/admin/streams/{stream}/read-models",
  summary: "Compare the rows of read models with a stream",
  params: streamParams,
  responses: {
    200: z.object({
      stream: z.string(),
      kind: z.string(),
      read_models: z.array(
        z.object({
          projection: z.string(),
          version: z.int(),
          position: z.string().nullable().describe("The log position of the read model."),
          behind: z.int().describe("The number of the stream's events not yet folded."),
          refused: z.int().describe("The number of the stream's events that it cannot fold."),
          rows: z.array(
            z.object({
              table: z.string(),
              key: z.record(z.string(), z.unknown()),
              row: z
                .record(z.string(), z.unknown())
                .nullable()
                .describe("Null if the row is missing."),
              differing: z.array(
                z.object({ field: z.string(), stream: z.unknown(), read_model: z.unknown() }),
              ),
            }),
          ),
          is_cut: z.boolean(),
        }),
      ),
    }),
  },
  errors: [404, 409],
  example: {
    response: {
      stream: streamExample.stream,
      kind: partsOf(streamExample.stream).kind,
      read_models: [
        {
          projection: "runs",
          version: 2,
          position: "1043",
          behind: 0,
          refused: 0,
          rows: [
            {
              table: "runs",
              key: { id: partsOf(streamExample.stream).id },
              row: { status: "queued" },
              differing: [{ field: "status", stream: "running", read_model: "queued" }],
            },
          ],
          is_cut: false,
        },
      ],
    },
  },
  handler: async ({ params, services, context }) => ({
    status: 200,
    body: await inspect.compareReadModels(services, context, params.stream),
  }),
});

const revealPerson = defineOperation({
  ...shared,
  id: "revealPerson",
  method: "POST",
  path: "/admin/persons/{id}/reveal",
  summary: "Read a person's identity, for a recorded reason",
  params: z.object({ id }),
  body: z.strictObject({ reason: z.string().trim().min(3).max(500) }),
  responses: {
    200: z.object({ id, email: z.string(), name: z.string(), email_verified: z.boolean() }),
  },
  errors: [404],
  example: {
    body: { reason: "Asked by mail why their invite does not work" },
    response: {
      id: "019a5a6e-3f00-7000-8000-5a1de1f0a001",
      email: "ann@example.com",
      name: "Ann Example",
      email_verified: true,
    },
  },
  handler: async ({ params, body, services, context }) => {
    const { person, receipt } = await inspect.revealPerson(
      services,
      context,
      params.id,
      body.reason,
    );
    return { status: 200, body: person, receipt };
  },
});

/** Operators' views of the log. Each view is recorded before its response. */
export const inspectorOperations: readonly Operation[] = [
  find,
  listStreams,
  readStream,
  readEvent,
  diffStream,
  compareReadModels,
  revealPerson,
];
