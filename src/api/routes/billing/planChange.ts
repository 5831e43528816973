import { z } from "zod";
import type { Collected } from "../../../commands/billing/payments.ts";
import type { Changed } from "../../../commands/billing/planCommands.ts";
import type { CommandContext } from "../../../commands/kernel/commandLoop.ts";
import { intervals } from "../../../domain/billing/calendar.ts";
import { requestedAt } from "../../../domain/billing/planChanges.ts";
import type { ChangeRequest } from "../../../domain/billing/planState.ts";
import { compareTerms, type InUse, type Terms } from "../../../domain/billing/proration.ts";
import { defineOperation, type Operation, type OperationResponse } from "../../operation.ts";
import { id, idParams, timestamp } from "../../schemas.ts";
import type { Services } from "../../services.ts";
import { owned } from "../kernel/ownership.ts";

import { planCode } from "./billing.ts";

const interval = z.enum(intervals).nullable();

const changeSchema = z
  .object({
    id,
    status: z.enum([
      "created",
      "confirmed",
      "awaiting_payment",
      "scheduled",
      "applied",
      "cancelled",
      "failed",
      "expired",
    ]),
    from_plan: planCode,
    from_interval: interval,
    to_plan: planCode,
    to_interval: interval,
    effective_at: timestamp,
    created_at: timestamp,
    expires_at: timestamp,
    preview: z
      .object({
        proration: z.object({
          currency: z.literal("USD"),
          lines: z.array(z.object({ what: z.enum(["credit", "charge"]), cents: z.int() })),
          due_cents: z.int(),
        }),
        gains: z.array(z.string()),
        losses: z.array(z.string()),
        no_longer_fits: z.array(z.string()),
      })
      .meta({ id: "PlanChangePreview", description: "The effects of a plan change." }),
    checkout_url: z.string().nullable(),
  })
  .meta({ id: "PlanChange", description: "A requested change of the plan." });

const shown = (
  change: ChangeRequest,
  inUse: InUse,
  checkoutUrl: string | null = null,
): z.output<typeof changeSchema> => {
  const { from, to, lines, dueCents } = change;
  const { gains, losses, noLongerFits } = compareTerms(from.plan, to.plan, inUse);
  return {
    id: change.id,
    status: change.status,
    from_plan: from.plan,
    from_interval: from.interval,
    to_plan: to.plan,
    to_interval: to.interval,
    effective_at: change.effectiveAt,
    created_at: requestedAt(change),
    expires_at: change.expiresAt,
    preview: {
      proration: { currency: "USD", lines: [...lines], due_cents: dueCents },
      gains: [...gains],
      losses: [...losses],
      no_longer_fits: [...noLongerFits],
    },
    checkout_url: checkoutUrl,
  };
};

const example: z.output<typeof changeSchema> = shown(
  {
    id: "0199a001-0c4f-7a11-8b21-6f7e8d9c0b1a",
    status: "created",
    from: { plan: "starter", interval: "month" },
    to: { plan: "team", interval: "month" },
    timing: "now",
    dueCents: 3500,
    lines: [
      { what: "credit", cents: -1450 },
      { what: "charge", cents: 4950 },
    ],
    effectiveAt: "2025-11-16T00:00:00.000Z",
    expiresAt: "2025-11-17T00:00:00.000Z",
  },
  {},
);

const answer = async (
  status: number,
  changed: Pick<Changed, "change"> & Partial<Collected>,
  organizationId: string,
  { billing, clock }: Services,
): Promise<OperationResponse> => {
  const inUse = await billing.queries.inUse(organizationId, clock().toISOString());
  const { change, receipt, checkoutUrl = null } = changed;
  return { status, body: shown(change, inUse, checkoutUrl), ...(receipt ? { receipt } : {}) };
};

/** The requested terms. The interval defaults to the current one, then to monthly. Free has none. */
const termsOf = (
  asked: { readonly plan: Terms["plan"]; readonly interval?: "month" | "year" | undefined },
  before: Terms,
): Terms =>
  asked.plan === "free"
    ? { plan: "free", interval: null }
    : { plan: asked.plan, interval: asked.interval ?? before.interval ?? "month" };

const createChange = defineOperation({
  id: "createPlanChange",
  method: "POST",
  path: "/plan/change",
  tag: "PlanChange",
  summary: "Request another plan: previews its cost, date, gains and losses",
  auth: "member",
  permission: "plan:write",
  body: z.strictObject({ plan: planCode, interval: z.enum(intervals).optional() }),
  responses: { 201: changeSchema },
  errors: [409],
  example: { body: { plan: "team", interval: "month" }, response: example },
  handler: async ({ body, principal, services, context }) => {
    const { organizationId } = principal;
    const { commands } = services.billing;
    const { own } = await commands.currentPlan(organizationId);
    const to = termsOf(body, own.terms);
    const changed = await commands.requestChange(context, organizationId, to);
    return answer(201, changed, organizationId, services);
  },
});

const readChange = defineOperation({
  id: "readPlanChange",
  method: "GET",
  path: "/plan/change/{id}",
  tag: "PlanChange",
  summary: "Read a plan change",
  auth: "member",
  permission: "plan:read",
  params: idParams,
  responses: { 200: changeSchema },
  example: { response: example },
  handler: async ({ params, principal, services }) => {
    const found = owned(
      await services.billing.queries.findChange(params.id),
      principal,
      "plan change",
    );
    return answer(200, found, principal.organizationId, services);
  },
});

const steps = {
  confirm: {
    summary: "Confirm a plan change: it is applied, scheduled, or awaits payment at checkout_url",
    act: "confirmChange",
  },
  schedule: {
    summary: "Schedule a plan change for the end of the paid period",
    act: "scheduleChange",
  },
  apply: { summary: "Apply a plan change that requires no payment", act: "applyChange" },
  cancel: { summary: "Cancel a plan change", act: "cancelChange" },
} as const;

const stepOperation = (name: keyof typeof steps): Operation => {
  const { summary, act } = steps[name];
  return defineOperation({
    id: `${name}PlanChange`,
    method: "POST",
    path: `/plan/change/{id}/${name}`,
    tag: "PlanChange",
    summary,
    auth: "member",
    permission: "plan:write",
    params: idParams,
    responses: { 200: changeSchema },
    errors: [409],
    example: { response: example },
    handler: async ({ params, principal, services, context }) => {
      const { organizationId } = principal;
      const { commands, queries } = services.billing;
      const found = await queries.findChange(params.id);
      // The read model may lag: look for a new change in the organisation's stream.
      if (found) owned(found, principal, "plan change");
      const step: Step = commands[act];
      const changed = await step(context, organizationId, params.id);
      return answer(200, changed, organizationId, services);
    },
  });
};

type Step = (
  context: CommandContext,
  organizationId: string,
  changeId: string,
) => Promise<Changed & Partial<Collected>>;

/** Changes of the organisation's plan. */
export const planChangeOperations: readonly Operation[] = [
  createChange,
  readChange,
  stepOperation("confirm"),
  stepOperation("schedule"),
  stepOperation("apply"),
  stepOperation("cancel"),
];
