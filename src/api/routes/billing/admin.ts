import { z } from "zod";
import type { CommandContext } from "../../../commands/kernel/commandLoop.ts";
import { providerNames } from "../../../domain/billing/subscription.ts";
import type { WebhookCursor, WebhookRow } from "../../../projections/billing/webhooks.ts";
import { ApiError } from "../../apiError.ts";
import { defineOperation, type Operation } from "../../operation.ts";
import { id, idParams, instant, timestamp } from "../../schemas.ts";
import type { Services } from "../../services.ts";
import { planCode } from "./billing.ts";

/** An operator's reason, which the organisation's history shows. */
const reason = z.string().trim().min(3).max(500);

const shared = { tag: "Admin", auth: "admin", permission: null } as const;

/** A command of an operator on an organisation. The operator is the actor. */
const about = (context: CommandContext, organizationId: string): CommandContext => ({
  ...context,
  organizationId,
});

const mustExist = async (services: Services, organizationId: string): Promise<void> => {
  if (await services.memberships.exists(organizationId)) return;
  throw new ApiError(404, "There is no organisation with this id.");
};

const granted = z
  .object({ plan: planCode, granted_until: timestamp.nullable() })
  .meta({ id: "PlanGrant", description: "A granted plan." });

const grantPlan = defineOperation({
  ...shared,
  id: "grantPlan",
  method: "POST",
  path: "/admin/organizations/{id}/grant-plan",
  summary: "Grant an organisation a plan, until a time or without end; its own plan continues",
  params: idParams,
  body: z.strictObject({
    plan: planCode,
    until: instant.nullish(),
    reason,
  }),
  responses: { 200: granted },
  errors: [404],
  example: {
    body: { plan: "team", until: "2099-01-31T00:00:00.000Z", reason: "A trial of a quarter" },
    response: { plan: "team", granted_until: "2099-01-31T00:00:00.000Z" },
  },
  handler: async ({ params, body, services, context }) => {
    const { plan, until = null } = body;
    await mustExist(services, params.id);
    if (until !== null && until <= services.clock().toISOString()) {
      throw new ApiError(422, "until: must be later than now");
    }
    const receipt = await services.billing.commands.grantPlan(about(context, params.id), {
      organizationId: params.id,
      plan,
      until,
      reason: body.reason,
    });
    return { status: 200, body: { plan, granted_until: until }, receipt };
  },
});

const changeOutcomes = ["applied", "failed", "cancelled"] as const;

const settleChange = defineOperation({
  ...shared,
  id: "settlePlanChange",
  method: "POST",
  path: "/admin/organizations/{id}/plan-changes/{change_id}/settle",
  summary: "Settle a stuck plan change as applied, failed or cancelled",
  params: z.object({ id, change_id: id }),
  body: z.strictObject({ outcome: z.enum(changeOutcomes), reason }),
  responses: { 200: z.object({ id, status: z.enum(changeOutcomes) }) },
  errors: [404, 409],
  example: {
    body: { outcome: "applied", reason: "Paid by bank transfer" },
    response: { id: "0199a001-0c4f-7a11-8b21-6f7e8d9c0b1a", status: "applied" },
  },
  handler: async ({ params, body, services, context }) => {
    await mustExist(services, params.id);
    const { change, receipt } = await services.billing.commands.settleChange(
      about(context, params.id),
      params.id,
      params.change_id,
      body,
    );
    return { status: 200, body: { id: change.id, status: change.status }, receipt };
  },
});

const providerEventId = z.string().regex(/^[\w-]{1,120}$/);

const settleAttention = defineOperation({
  ...shared,
  id: "settleAttention",
  method: "POST",
  path: "/admin/organizations/{id}/attention/{provider_event_id}/settle",
  summary: "Settle an event that needs attention; it is no longer shown",
  params: z.object({ id, provider_event_id: providerEventId }),
  body: z.strictObject({
    outcome: z.enum(["no_action", "plan_granted", "refunded", "corrected"]),
    reason,
  }),
  responses: { 204: null },
  errors: [404],
  example: { body: { outcome: "plan_granted", reason: "The refund was rejected" } },
  handler: async ({ params, body, services, context }) => {
    await mustExist(services, params.id);
    const receipt = await services.billing.commands.settleAttention(
      about(context, params.id),
      params.id,
      params.provider_event_id,
      body,
    );
    return { status: 204, receipt };
  },
});

const statuses = ["received", "applied", "ignored", "failed"] as const;
const webhook = z
  .object({
    id: z.string().describe("`provider-a_evt_…`: as `retry` takes it."),
    provider: z.enum(providerNames),
    event_id: z.string(),
    type: z.string(),
    received_at: timestamp,
    status: z.enum(statuses),
    reason: z.string().nullable(),
    attempts: z.int().min(0),
    next_attempt_at: timestamp.nullable(),
  })
  .meta({ id: "WebhookEvent", description: "An event of a payment provider." });

const cursorOf = ({ received_at, provider, event_id }: WebhookRow): string =>
  Buffer.from(JSON.stringify([received_at, provider, event_id])).toString("base64url");

const cursor = z
  .string()
  .max(400)
  .transform((text, context): WebhookCursor => {
    try {
      const parts = z
        .tuple([timestamp.refine((at) => at >= "0001"), z.enum(providerNames), providerEventId])
        .parse(JSON.parse(Buffer.from(text, "base64url").toString("utf8")));
      return { received_at: parts[0], provider: parts[1], event_id: parts[2] };
    } catch {
      context.addIssue({
        code: "custom",
        message: "must be the next_cursor of the page before",
      });
      return z.NEVER;
    }
  });

const webhookExample = {
  id: "provider-a_evt_01h8",
  provider: "provider-a",
  event_id: "evt_01h8",
  type: "transaction.completed",
  received_at: "2026-03-01T10:11:12.345Z",
  status: "failed",
  reason: "It could not be applied; it is tried again.",
  attempts: 2,
  next_attempt_at: "2026-03-01T10:12:12.345Z",
} as const;

const listWebhookEvents = defineOperation({
  ...shared,
  id: "listWebhookEvents",
  method: "GET",
  path: "/admin/webhook-events",
  summary: "List payment providers' events and their outcomes, newest first",
  query: z.object({
    status: z.enum(statuses).optional(),
    limit: z.coerce
      .number("must be a number from 1 to 100")
      .int("must be a whole number")
      .min(1)
      .max(100)
      .default(50),
    cursor: cursor.optional(),
  }),
  responses: { 200: z.object({ items: z.array(webhook), next_cursor: z.string().nullable() }) },
  example: { response: { items: [webhookExample], next_cursor: null } },
  handler: async ({ query, services, context }) => {
    const { limit, status = null, cursor: after = null } = query;
    const wanted = { status, after, limit: limit + 1 };
    const rows = await services.webhooks.queries.listWebhooks(wanted);
    const shown = rows.slice(0, limit);
    const last = shown.at(-1);
    const next_cursor = rows.length > limit && last ? cursorOf(last) : null;
    const items = shown.map((row) => ({ id: `${row.provider}_${row.event_id}`, ...row }));
    const subjects = items.map((item) => `webhook-${item.id}`);
    await services.inspector.commands.noteLook(context, { at: "list_webhook_events", subjects });
    return { status: 200, body: { items, next_cursor } };
  },
});

const retryWebhookEvent = defineOperation({
  ...shared,
  id: "retryWebhookEvent",
  method: "POST",
  path: "/admin/webhook-events/{id}/retry",
  summary: "Retry a provider's event, also an ignored one",
  params: z.object({ id: z.string().regex(/^provider-[ab]_[\w-]{1,120}$/) }),
  responses: {
    200: z.object({
      id: z.string(),
      status: z.enum(["applied", "ignored", "failed"]),
      reason: z.string().nullable(),
    }),
  },
  errors: [404],
  example: {
    response: { id: webhookExample.id, status: "applied", reason: null },
  },
  handler: async ({ params, services, context }) => {
    const at = params.id.indexOf("_");
    const provider = z.enum(providerNames).parse(params.id.slice(0, at));
    const outcome = await services.webhooks.retry(context, provider, params.id.slice(at + 1));
    const why = outcome.kind === "applied" ? null : outcome.reason;
    return { status: 200, body: { id: params.id, status: outcome.kind, reason: why } };
  },
});

/** Operators' commands on plans and providers' events. The log records all of them. */
export const billingAdminOperations: readonly Operation[] = [
  grantPlan,
  settleChange,
  settleAttention,
  listWebhookEvents,
  retryWebhookEvent,
];
