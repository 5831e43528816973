import { z } from "zod";
import { catalog } from "../../../domain/billing/catalog.ts";
import { periodOf, resetOf } from "../../../domain/usage/period.ts";
import { defineOperation, type Operation } from "../../operation.ts";
import { id, idParams, timestamp } from "../../schemas.ts";
import { owned } from "../runs/access.ts";

const count = z.int().min(0);
const period = z.string().regex(/^\d{4}-\d{2}$/);

/** A month as people read it: `2025-11`. */
const written = (month: string): string => `${month.slice(0, 4)}-${month.slice(4)}`;

const readUsage = defineOperation({
  id: "readUsage",
  method: "GET",
  path: "/usage",
  tag: "Usage",
  summary: "How much of the month's quota is used, reserved and left",
  auth: "member",
  permission: "usage:read",
  responses: {
    200: z.object({
      period,
      used: count,
      reserved: count,
      limit: count,
      remaining: count,
      resets_at: timestamp,
    }),
  },
  example: {
    response: {
      period: "2025-11",
      used: 12,
      reserved: 3,
      limit: 50,
      remaining: 35,
      resets_at: "2025-12-01T00:00:00.000Z",
    },
  },
  handler: async ({ principal, services }) => {
    const month = periodOf(services.clock().toISOString());
    const { used, reserved } = await services.usage.queries.usageOf(
      principal.organizationId,
      month,
    );
    const { plan } = await services.billing.queries.planOf(principal.organizationId);
    const limit = catalog[plan].monthlyRuns;
    const remaining = Math.max(0, limit - used - reserved);
    const body = {
      period: written(month),
      used,
      reserved,
      limit,
      remaining,
      resets_at: resetOf(month),
    };
    return { status: 200, body };
  },
});

const readRefusal = defineOperation({
  id: "readRefusal",
  method: "GET",
  path: "/usage/refusals/{id}",
  tag: "Usage",
  summary: "The receipt of a refusal: which rule, what used the quota, when it resets",
  auth: "member",
  permission: "usage:read",
  params: idParams,
  responses: {
    200: z.object({
      id,
      rule: z.literal("monthly_runs"),
      period,
      refused_at: timestamp,
      triggered_by: z.string(),
      requested: count,
      limit: count,
      used: count,
      reserved: count,
      used_by: z.array(z.object({ triggered_by: z.string(), units: count })),
      /** The event that set the plan; null while the organisation has the plan it began with. */
      plan_event_id: id.nullable(),
      resets_at: timestamp,
      count,
    }),
  },
  example: {
    response: {
      id: "0199c2a1-1d5f-7b22-8c32-7f8e9d0c1b2a",
      rule: "monthly_runs",
      period: "2025-11",
      refused_at: "2025-11-21T10:00:00.000Z",
      triggered_by: "api:ci",
      requested: 4,
      limit: 50,
      used: 45,
      reserved: 3,
      used_by: [
        { triggered_by: "api:ci", units: 40 },
        { triggered_by: "user:ada@shop.example", units: 8 },
      ],
      plan_event_id: "0199a001-0c4f-7a11-8b21-6f7e8d9c0b1a",
      resets_at: "2025-12-01T00:00:00.000Z",
      count: 1,
    },
  },
  handler: async ({ params, principal, services }) => {
    const {
      refusedAt,
      period: month,
      receipt,
    } = owned(await services.usage.queries.findRefusal(params.id), principal, "refusal");
    const name = await services.usage.queries.triggeredBy([
      receipt.by,
      ...receipt.usedBy.map(({ by }) => by),
    ]);
    const body = {
      id: params.id,
      rule: "monthly_runs",
      period: written(month),
      refused_at: refusedAt,
      triggered_by: name(receipt.by),
      requested: receipt.requested,
      limit: receipt.limit,
      used: receipt.used,
      reserved: receipt.reserved,
      used_by: receipt.usedBy.map(({ by, units }) => ({ triggered_by: name(by), units })),
      plan_event_id: receipt.planEventId,
      resets_at: receipt.resetsAt,
      count: receipt.count,
    };
    return { status: 200, body };
  },
});

/** The month's quota. */
export const usageOperations: readonly Operation[] = [readUsage, readRefusal];
