import { Readable } from "node:stream";
import { z } from "zod";
import { intervals } from "../../../domain/billing/calendar.ts";
import { exportFormats } from "../../../domain/billing/planExport.ts";
import { type PlanLine, providerEventOf } from "../../../domain/billing/planLines.ts";
import { ApiError } from "../../apiError.ts";
import { defineOperation, type Operation } from "../../operation.ts";
import { binary, id, instant, timestamp } from "../../schemas.ts";
import { treeSize } from "../audit/tree.ts";
import { planCode } from "./billing.ts";

const hash = z.string().regex(/^[0-9a-f]{64}$/);

const line = z
  .object({
    sequence: z.int().min(1),
    id,
    event: z.string(),
    occurred_at: timestamp,
    recorded_at: timestamp,
    actor: z.object({ type: z.string(), id: z.string(), name: z.string().nullable() }),
    cause: z.object({
      command: z
        .string()
        .nullable()
        .describe("The command, such as `confirmChange`; null for older events."),
      correlation_id: z.string(),
      causation_id: z.string(),
      provider_event_id: z.string().nullable(),
      body_sha256: z.string().nullable(),
    }),
    plan_before: planCode,
    plan_after: planCode,
    hash,
    previous_hash: hash.nullable(),
  })
  .meta({ id: "PlanEvent", description: "An event of the plan's history." });

const historySchema = z.object({
  items: z.array(line),
  plan_at: z.object({
    plan: planCode,
    own_plan: planCode,
    own_interval: z.enum(intervals).nullable(),
  }),
});

const example: z.output<typeof historySchema> = {
  items: [
    {
      sequence: 1,
      id: "0199a001-0c4f-7a11-8b21-6f7e8d9c0b1a",
      event: "PlanStarted",
      occurred_at: "2025-11-01T00:00:00.000Z",
      recorded_at: "2025-11-01T00:00:00.000Z",
      actor: { type: "user", id: "0199a001-0c4f-7a11-8b21-6f7e8d9c0b1b", name: null },
      cause: {
        command: "start",
        correlation_id: "0199a001-0c4f-7a11-8b21-6f7e8d9c0b1c",
        causation_id: "0199a001-0c4f-7a11-8b21-6f7e8d9c0b1c",
        provider_event_id: null,
        body_sha256: null,
      },
      plan_before: "free",
      plan_after: "free",
      hash: "a".repeat(64),
      previous_hash: null,
    },
  ],
  plan_at: { plan: "free", own_plan: "free", own_interval: null },
};

const shown = (one: PlanLine): z.output<typeof line> => {
  const { actor, occurred_at, recorded_at, $correlationId, $causationId, command } = one.metadata;
  const told = providerEventOf(one.data);
  return {
    sequence: one.sequence,
    id: one.id,
    event: one.type,
    occurred_at,
    recorded_at,
    actor: { type: actor.type, id: actor.id, name: actor.name ?? null },
    cause: {
      command: command ?? null,
      correlation_id: $correlationId,
      causation_id: $causationId,
      provider_event_id: told?.id ?? null,
      body_sha256: told?.bodySha256 ?? null,
    },
    plan_before: one.planBefore,
    plan_after: one.planAfter,
    hash: one.hash,
    previous_hash: one.previousHash,
  };
};

const readHistory = defineOperation({
  id: "readPlanHistory",
  method: "GET",
  path: "/plan/history",
  tag: "Plan",
  summary: "Read the plan's history, as of a time and as known at a time",
  auth: "member",
  permission: "plan:read",
  query: z.object({
    as_of: instant.optional(),
    known_at: instant.optional(),
    from: instant.optional(),
    to: instant.optional(),
    limit: z.coerce
      .number("must be a number from 1 to 10000")
      .int("must be a whole number")
      .min(1)
      .max(10_000)
      .optional()
      .describe("The maximum number of lines, the newest ones; unlimited if absent."),
  }),
  responses: { 200: historySchema },
  example: { response: example },
  handler: async ({ query, principal, services, context }) => {
    const { organizationId } = principal;
    const { history, audit } = services.billing;
    const seen = { asOf: query.as_of ?? null, knownAt: query.known_at ?? null };
    const { from = null, to = null, limit = null } = query;
    if (from !== null && to !== null && from >= to) {
      throw new ApiError(422, "from: must be before to");
    }
    const range = { ...seen, from, to, limit };
    const { lines, planAt } = await history.historyOf(organizationId, range);
    if (seen.asOf !== null || seen.knownAt !== null) {
      await audit.noteReplay(context, organizationId, seen, planAt.plan);
    }
    const body: z.output<typeof historySchema> = {
      items: lines.map(shown),
      plan_at: {
        plan: planAt.plan,
        own_plan: planAt.own.plan,
        own_interval: planAt.own.interval,
      },
    };
    return { status: 200, body };
  },
});

const contentTypes = {
  jsonl: "application/x-ndjson",
  csv: "text/csv; charset=utf-8",
  proofs: "application/x-ndjson",
} as const;

const exportHistory = defineOperation({
  id: "exportPlanHistory",
  method: "GET",
  path: "/plan/history/export",
  tag: "Plan",
  summary: "Export the plan's history as a signed file for `runledger audit verify`",
  description:
    "The format `proofs` contains the events byte for byte, each with the proof that it is in the signed tree of the log.",
  auth: "member",
  permission: "plan:read",
  query: z.object({
    format: z.enum([...exportFormats, "proofs"]).default("jsonl"),
    from_size: treeSize
      .optional()
      .describe("Format `proofs`: also proves that the tree extends the one of this size."),
  }),
  responses: {
    200: binary("*/*", "The history, a line for each event, and at last a signed head"),
  },
  errors: [409],
  handler: async ({ query, principal, services, context }) => {
    const { format, from_size: from = null } = query;
    const { organizationId } = principal;
    const lines =
      format === "proofs"
        ? await services.audit.proofs.exportProofs(context, organizationId, from)
        : services.billing.audit.exportHistory(context, organizationId, format);
    return {
      status: 200,
      body: Readable.from(lines),
      headers: {
        "content-type": contentTypes[format],
        "content-disposition": `attachment; filename="plan-history-${organizationId}.${format}"`,
      },
    };
  },
});

/** The plan's history for auditors. */
export const planHistoryOperations: readonly Operation[] = [readHistory, exportHistory];
