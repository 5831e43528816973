import { z } from "zod";
import { catalog } from "../../../domain/billing/catalog.ts";
import { periodOf, resetOf } from "../../../domain/usage/period.ts";
import { ApiError } from "../../apiError.ts";
import { defineOperation, type Operation } from "../../operation.ts";
import { id, idParams, timestamp } from "../../schemas.ts";
import { owned } from "../kernel/ownership.ts";

const count = z.int().min(0);
const period = z.string().regex(/^\d{4}-\d{2}$/);

/** A month such as `2025-11`. */
const written = (month: string): string => `${month.slice(0, 4)}-${month.slice(4)}`;

const readUsage = defineOperation({
  id: "readUsage",
  method: "GET",
  path: "/usage",
  tag: "Usage",
  summary: "Read the month's quota: used, reserved and remaining units",
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
  summary: "Read the receipt of a refusal: rule, spenders and reset time",
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
      plan_event_id: id
        .nullable()
        .describe("The event that set the plan, null for the initial plan."),
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

const date = z.iso.date({ error: "must be a day such as 2025-11-21" });
/** The maximum number of days per request. */
const MAX_DAYS = 366;
const DAY_MS = 24 * 3_600_000;

const usageHistory = defineOperation({
  id: "readUsageHistory",
  method: "GET",
  path: "/usage/history",
  tag: "Usage",
  summary:
    "Read usage per day and principal, without released and refunded units, and the receipts of refunds",
  auth: "member",
  permission: "usage:read",
  query: z.object({ from: date.optional(), to: date.optional() }),
  responses: {
    200: z.object({
      from: date,
      to: date,
      items: z.array(
        z.object({
          day: date,
          units: count,
          refused: count,
          by: z.array(z.object({ triggered_by: z.string(), units: count, refused: count })),
        }),
      ),
      refunds: z
        .array(
          z.object({
            execution_id: id,
            run_id: id,
            refunded_at: timestamp,
            triggered_by: z.string(),
            reason: z.string(),
          }),
        )
        .describe("The receipts of units given back: the service lost the execution's workers."),
    }),
  },
  errors: [422],
  example: {
    response: {
      from: "2025-11-01",
      to: "2025-11-30",
      items: [
        {
          day: "2025-11-21",
          units: 12,
          refused: 1,
          by: [{ triggered_by: "api:ci", units: 12, refused: 1 }],
        },
      ],
      refunds: [],
    },
  },
  handler: async ({ query, principal, services }) => {
    const to = query.to ?? services.clock().toISOString().slice(0, 10);
    const from = query.from ?? `${to.slice(0, 8)}01`;
    const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
    if (days < 1) throw new ApiError(422, "from: must not be after to");
    if (days > MAX_DAYS) throw new ApiError(422, `from: at most ${MAX_DAYS} days at once`);
    const { queries } = services.usage;
    const rows = await queries.daysOf(principal.organizationId, from, to);
    const refunded = await queries.refundsOf(principal.organizationId, from, to);
    const name = await queries.triggeredBy([...rows, ...refunded].map(({ by }) => by));
    const refunds = refunded.map(({ executionId, runId, at, by, reason }) => ({
      ...{ execution_id: executionId, run_id: runId, refunded_at: at },
      ...{ triggered_by: name(by), reason },
    }));
    const shown = new Map<string, typeof rows>();
    for (const row of rows) shown.set(row.day, [...(shown.get(row.day) ?? []), row]);
    const items = [...shown].map(([day, all]) => ({
      day,
      units: all.reduce((sum, { units }) => sum + units, 0),
      refused: all.reduce((sum, { refused }) => sum + refused, 0),
      by: all.map(({ by, units, refused }) => ({ triggered_by: name(by), units, refused })),
    }));
    return { status: 200, body: { from, to, items, refunds } };
  },
});

/** The monthly quota. */
export const usageOperations: readonly Operation[] = [readUsage, usageHistory, readRefusal];
