import { z } from "zod";
import { intervals } from "../../../domain/billing/calendar.ts";
import { defineOperation, type Operation } from "../../operation.ts";
import { id, timestamp } from "../../schemas.ts";
import { planCode } from "./billing.ts";

/** Any time with its zone; compared as ours are written. */
const instant = z.iso
  .datetime({ offset: true, error: "must be a time such as 2026-01-31T00:00:00Z" })
  .transform((text) => new Date(text).toISOString());

const hash = z.string().regex(/^[0-9a-f]{64}$/);

const line = z.object({
  sequence: z.int().min(1),
  id,
  event: z.string(),
  occurred_at: timestamp,
  recorded_at: timestamp,
  actor: z.object({ type: z.string(), id: z.string(), name: z.string().nullable() }),
  cause: z.object({
    correlation_id: z.string(),
    causation_id: z.string(),
    provider_event_id: z.string().nullable(),
    body_sha256: z.string().nullable(),
  }),
  plan_before: planCode,
  plan_after: planCode,
  hash,
  previous_hash: hash.nullable(),
});

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

const readHistory = defineOperation({
  id: "readPlanHistory",
  method: "GET",
  path: "/plan/history",
  tag: "Plan",
  summary: "The plan's history: who did what and why, as of a time, as it was known at a time",
  auth: "member",
  permission: "plan:read",
  query: z.object({
    as_of: instant.optional(),
    known_at: instant.optional(),
    from: instant.optional(),
    to: instant.optional(),
  }),
  responses: { 200: historySchema },
  example: { response: example },
  handler: async ({ query, principal, services }) => {
    const { lines, planAt } = await services.billing.history.historyOf(principal.organizationId, {
      asOf: query.as_of ?? null,
      knownAt: query.known_at ?? null,
      from: query.from ?? null,
      to: query.to ?? null,
    });
    const body: z.output<typeof historySchema> = {
      items: lines.map((one) => ({
        sequence: one.sequence,
        id: one.id,
        event: one.event,
        occurred_at: one.occurredAt,
        recorded_at: one.recordedAt,
        actor: { type: one.actor.type, id: one.actor.id, name: one.actor.name ?? null },
        cause: {
          correlation_id: one.correlationId,
          causation_id: one.causationId,
          provider_event_id: one.providerEvent?.id ?? null,
          body_sha256: one.providerEvent?.bodySha256 ?? null,
        },
        plan_before: one.planBefore,
        plan_after: one.planAfter,
        hash: one.hash,
        previous_hash: one.previousHash,
      })),
      plan_at: {
        plan: planAt.plan,
        own_plan: planAt.own.plan,
        own_interval: planAt.own.interval,
      },
    };
    return { status: 200, body };
  },
});

/** What auditors read. */
export const planHistoryOperations: readonly Operation[] = [readHistory];
