import { z } from "zod";
import type { Parked } from "../../../projections/kernel/parking.ts";
import { ApiError } from "../../apiError.ts";
import { defineOperation, type Operation } from "../../operation.ts";
import { id, idParams, timestamp } from "../../schemas.ts";

const shared = { tag: "Admin", auth: "admin", permission: null } as const;
const nameParams = z.object({ name: z.string().max(100) });
const reason = z.string().trim().min(3).max(500);

/** Maximum of `wait`, in seconds. */
const waitQuery = z.coerce
  .number("must be a number of seconds, at most 20")
  .min(0)
  .max(20)
  .default(10);
const at = "2026-03-01T10:11:12.345Z";
const exampleId = "019a5a6e-3f20-7000-8000-5a1de1f0a020";

const noProjection = (): ApiError => new ApiError(404, "There is no read model of this name.");
const noParked = (): ApiError => new ApiError(404, "There is no parked event of this id.");

/** Aborted when the caller disconnects or the wait time is over. */
const over = (signal: AbortSignal, seconds: number): AbortSignal =>
  AbortSignal.any([signal, AbortSignal.timeout(seconds * 1_000)]);

const listProjections = defineOperation({
  ...shared,
  id: "listProjections",
  method: "GET",
  path: "/admin/projections",
  summary: "List the read models with their log positions and builds in progress",
  responses: {
    200: z.object({
      items: z.array(
        z.object({
          name: z.string(),
          version: z.int(),
          build: z.int(),
          state: z.enum(["shown", "building"]),
          position: z.string().nullable(),
          lag: z
            .int()
            .nullable()
            .describe("The number of unread events of the log, counted up to 10,000."),
          parked: z.int(),
          advanced_at: timestamp,
        }),
      ),
    }),
  },
  example: {
    response: {
      items: [
        {
          name: "runs",
          version: 2,
          build: 1,
          state: "shown",
          position: "1043",
          lag: 0,
          parked: 0,
          advanced_at: at,
        },
      ],
    },
  },
  handler: async ({ services, context }) => {
    const builds = await services.projections.listBuilds();
    const subjects = builds.map(({ name }) => name);
    await services.inspector.commands.noteLook(context, { at: "list_projections", subjects });
    const items = builds.map(({ position, advancedAt, ...build }) => ({
      ...build,
      position: position === null ? null : String(position),
      advanced_at: advancedAt,
    }));
    return { status: 200, body: { items } };
  },
});

const rebuildProjection = defineOperation({
  ...shared,
  id: "rebuildProjection",
  method: "POST",
  path: "/admin/projections/{name}/rebuild",
  summary: "Rebuild a read model beside the active one; a build in progress continues",
  params: nameParams,
  responses: { 202: z.object({ name: z.string(), build: z.int(), is_new: z.boolean() }) },
  errors: [404],
  example: { response: { name: "runs", build: 2, is_new: true } },
  handler: async ({ params: { name }, services, context }) => {
    const { operations } = services.projections;
    if (!operations.names.includes(name)) throw noProjection();
    const handled = { what: "rebuild", subject: name, reason: null } as const;
    await services.inspector.commands.noteHandled(context, handled);
    const asked = await operations.requestRebuild(name);
    if (!asked) throw noProjection();
    return { status: 202, body: { name, build: asked.build, is_new: asked.isNew } };
  },
});

const digested = z.object({ digest: z.string(), value: z.unknown().optional() }).nullable();

const verification = z.object({
  outcome: z.enum(["equal", "differs", "not_shown"]),
  version: z.int().optional(),
  position: z.string().nullish().describe("The log position of the comparison."),
  events: z.int().optional(),
  refused: z.int().optional(),
  tables: z
    .array(z.object({ table: z.string(), rows: z.int(), expected: z.int(), differing: z.int() }))
    .optional(),
  first: z
    .object({
      table: z.string(),
      key: z.record(z.string(), z.unknown()),
      kind: z.enum(["changed", "missing", "extra"]),
      column: z.string().nullable(),
      live: digested,
      expected: digested,
      event: z
        .object({
          id,
          type: z.string(),
          stream: z.string(),
          revision: z.string(),
          position: z.string(),
        })
        .nullable(),
    })
    .nullish()
    .describe("The first differing row, and the event that determines its expected value."),
});

const verifyProjection = defineOperation({
  ...shared,
  id: "verifyProjection",
  method: "GET",
  path: "/admin/projections/{name}/verify",
  summary: "Compare a read model with the log row by row; repeat with `id` to wait longer",
  params: nameParams,
  query: z.object({ verification_id: id.optional(), wait: waitQuery }),
  responses: {
    200: z.object({ verification_id: id, result: verification.nullable() }),
  },
  errors: [404],
  example: {
    response: {
      verification_id: exampleId,
      result: {
        outcome: "equal",
        version: 2,
        position: "1043",
        events: 1_043,
        refused: 0,
        tables: [{ table: "runs", rows: 12, expected: 12, differing: 0 }],
        first: null,
      },
    },
  },
  handler: async ({ params, query, services, context, request }) => {
    const { operations } = services.projections;
    const before = query.verification_id;
    if (before !== undefined && !(await operations.hasVerification(params.name, before))) {
      throw new ApiError(404, "No verification of this read model has this id.");
    }
    const asked = before ?? (await operations.requestVerification(params.name));
    if (asked === null) throw noProjection();
    if (before === undefined) {
      const subjects = [params.name];
      await services.inspector.commands.noteLook(context, { at: "verify_projection", subjects });
    }
    const until = over(request.signal, query.wait);
    const result = await operations.waitForVerification(asked, until);
    return { status: 200, body: { verification_id: asked, result } };
  },
});

const parked = z
  .object({
    id,
    consumer: z.string().describe("`name@version` of a read model, `reactor:name`."),
    event_id: id,
    type: z.string(),
    stream: z.string().nullable(),
    position: z.string(),
    error: z.string(),
    parked_at: timestamp,
    retry_asked_at: timestamp.nullable(),
    skipped_at: timestamp.nullable(),
    skip_reason: z.string().nullable(),
  })
  .meta({
    id: "ParkedEvent",
    description: "An event that a read model or a reactor cannot process.",
  });

const shown = (one: Parked): z.output<typeof parked> => ({
  id: one.id,
  consumer: one.consumer,
  event_id: one.eventId,
  type: one.type,
  stream: one.stream,
  position: String(one.position),
  error: one.error,
  parked_at: one.parkedAt,
  retry_asked_at: one.retryAskedAt,
  skipped_at: one.skippedAt,
  skip_reason: one.skipReason,
});

const parkedExample = {
  id: exampleId,
  consumer: "runs@2",
  event_id: "019a5a6e-3f11-7000-8000-5a1de1f0a011",
  type: "RunFinished",
  stream: "run-019a5a6e-3f10-7000-8000-5a1de1f0a010",
  position: "1043",
  error: "Stored RunFinished does not fit its schema",
  parked_at: at,
  retry_asked_at: null,
  skipped_at: null,
  skip_reason: null,
};

const listParked = defineOperation({
  ...shared,
  id: "listParkedEvents",
  method: "GET",
  path: "/admin/parked",
  summary: "List events that a read model or a reactor cannot process, oldest first, at most 1,000",
  query: z.object({ skipped: z.enum(["true", "false"]).default("false") }),
  responses: { 200: z.object({ items: z.array(parked) }) },
  example: { response: { items: [parkedExample] } },
  handler: async ({ query, services, context }) => {
    const withSkipped = query.skipped === "true";
    const items = await services.projections.operations.listParked({ withSkipped });
    const subjects = items.map((one) => one.id);
    await services.inspector.commands.noteLook(context, { at: "list_parked", subjects });
    return { status: 200, body: { items: items.map(shown) } };
  },
});

const retryParked = defineOperation({
  ...shared,
  id: "retryParkedEvent",
  method: "POST",
  path: "/admin/parked/{id}/retry",
  summary: "Retry a parked event, also a skipped one",
  params: idParams,
  query: z.object({ wait: waitQuery }),
  responses: {
    200: z.object({
      id,
      outcome: z
        .enum(["taken", "refused", "under_way"])
        .describe("`taken`: the event is now folded into the read model or its replacement."),
      error: z.string().nullable(),
    }),
  },
  errors: [404, 409],
  example: { response: { id: exampleId, outcome: "taken", error: null } },
  handler: async ({ params, query, services, context, request }) => {
    const { operations } = services.projections;
    const handled = { what: "retry", subject: params.id, reason: null } as const;
    const asked = await operations.requestRetry(params.id);
    if (asked === "unknown") throw noParked();
    if (asked === "of_a_reactor") {
      throw new ApiError(
        409,
        "The event was parked by a reactor. Effects of reactors cannot be retried here.",
      );
    }
    if (asked === "of_a_build") {
      throw new ApiError(409, "The build is not active yet. Try again when it is.");
    }
    await services.inspector.commands.noteHandled(context, handled);
    const left = await operations.waitForRetry(params.id, over(request.signal, query.wait));
    const outcome = left === undefined ? "under_way" : left === null ? "taken" : "refused";
    return { status: 200, body: { id: params.id, outcome, error: left?.error ?? null } };
  },
});

const skipParked = defineOperation({
  ...shared,
  id: "skipParkedEvent",
  method: "POST",
  path: "/admin/parked/{id}/skip",
  summary: "Skip a parked event permanently, with a recorded reason",
  params: idParams,
  body: z.strictObject({ reason }),
  responses: { 204: null },
  errors: [404],
  example: { body: { reason: "Written by a release that was taken back" } },
  handler: async ({ params, body, services, context }) => {
    const { operations } = services.projections;
    if (!(await operations.skip(params.id, body.reason))) throw noParked();
    const handled = { what: "skip", subject: params.id, reason: body.reason } as const;
    await services.inspector.commands.noteHandled(context, handled);
    return { status: 204 };
  },
});

/** Operators' commands on read models, like `runledger projections`. */
export const projectionOperations: readonly Operation[] = [
  listProjections,
  rebuildProjection,
  verifyProjection,
  listParked,
  retryParked,
  skipParked,
];
