import { z } from "zod";
import { intervals } from "../../../domain/billing/calendar.ts";
import { entitlementsOf } from "../../../domain/billing/entitlements.ts";
import type { CurrentPlan } from "../../../domain/billing/planState.ts";
import { defineOperation, type Operation } from "../../operation.ts";
import { id, timestamp } from "../../schemas.ts";
import { entitlement, planCode } from "./billing.ts";

const interval = z.enum(intervals).nullable();

const scheduledChange = z
  .object({
    id: id.nullable().describe("Null for a cancellation at the provider."),
    to_plan: planCode,
    to_interval: interval,
    effective_at: timestamp,
  })
  .meta({
    id: "ScheduledPlanChange",
    description: "A plan change that is scheduled for the end of the paid period.",
  });

const planSchema = z
  .object({
    plan: planCode,
    interval,
    status: z.enum(["active", "cancelling", "granted"]),
    period_start: timestamp.nullable(),
    period_end: timestamp.nullable(),
    scheduled_change: scheduledChange.nullable(),
    open_change: z
      .object({ id, status: z.string() })
      .nullable()
      .describe("The unfinished change request, if any."),
    own_plan: planCode.describe(
      "The organisation's own plan, which a grant may take precedence over.",
    ),
    granted_until: timestamp.nullable(),
    entitlements: z.array(entitlement),
    attention: z.object({ reason: z.string(), provider_event_id: z.string() }).nullable(),
  })
  .meta({ id: "Plan", description: "The plan of an organisation." });

const example: z.output<typeof planSchema> = {
  plan: "team",
  interval: "month",
  status: "active",
  period_start: "2025-11-01T00:00:00.000Z",
  period_end: "2025-12-01T00:00:00.000Z",
  scheduled_change: null,
  open_change: null,
  own_plan: "team",
  granted_until: null,
  entitlements: [...entitlementsOf("team", "owner")],
  attention: null,
};

const scheduledOf = (current: CurrentPlan): z.output<typeof scheduledChange> | null => {
  const { open } = current;
  if (open?.status === "scheduled") {
    const { id: changeId, to, effectiveAt } = open;
    return { id: changeId, to_plan: to.plan, to_interval: to.interval, effective_at: effectiveAt };
  }
  if (current.endsAt === null) return null;
  return { id: null, to_plan: "free", to_interval: null, effective_at: current.endsAt };
};

const readPlan = defineOperation({
  id: "readPlan",
  method: "GET",
  path: "/plan",
  tag: "Plan",
  summary: "Read the organisation's plan: period, scheduled change, and attention",
  auth: "member",
  permission: "plan:read",
  responses: { 200: planSchema },
  example: { response: example },
  handler: async ({ principal, services }) => {
    const current = await services.billing.queries.currentPlan(principal.organizationId);
    const { own, grant, attention, open } = current;
    const [first] = attention.values();
    const body: z.output<typeof planSchema> = {
      plan: current.plan,
      interval: grant ? null : own.terms.interval,
      status: grant ? "granted" : current.endsAt === null ? "active" : "cancelling",
      period_start: own.period?.start ?? null,
      period_end: own.period?.end ?? null,
      scheduled_change: scheduledOf(current),
      open_change: open && { id: open.id, status: open.status },
      own_plan: own.terms.plan,
      granted_until: grant?.until ?? null,
      entitlements: [...entitlementsOf(current.plan, principal.standing)],
      attention: first ? { reason: first.reason, provider_event_id: first.providerEventId } : null,
    };
    return { status: 200, body };
  },
});

const withdrawScheduledChange = defineOperation({
  id: "withdrawScheduledChange",
  method: "DELETE",
  path: "/plan/scheduled-change",
  tag: "Plan",
  summary: "Withdraw the change scheduled for the end of the paid period",
  auth: "member",
  permission: "plan:write",
  responses: { 204: null },
  handler: async ({ principal, services, context }) => {
    const { commands } = services.billing;
    const receipt = await commands.withdrawScheduled(context, principal.organizationId);
    return { status: 204, receipt };
  },
});

/** The organisation's plan. */
export const planOperations: readonly Operation[] = [readPlan, withdrawScheduledChange];
