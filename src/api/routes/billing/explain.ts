import { z } from "zod";
import { catalog, type PlanCode } from "../../../domain/billing/catalog.ts";
import { explain } from "../../../domain/billing/explain.ts";
import { compareTerms } from "../../../domain/billing/proration.ts";
import { periodBefore, periodOf } from "../../../domain/usage/period.ts";
import { defineOperation, type Operation } from "../../operation.ts";
import { id, timestamp } from "../../schemas.ts";
import { planCode } from "./billing.ts";

const explained = z.object({
  plan: planCode,
  items: z.array(
    z.object({
      text: z.string().describe("One sentence."),
      events: z
        .array(
          z.object({
            sequence: z.int().min(1),
            id,
            event: z.string(),
            occurred_at: timestamp,
            actor: z.object({ type: z.string(), id: z.string() }),
          }),
        )
        .describe("The supporting events, oldest first. /plan/history shows their details."),
    }),
  ),
});

const explainPlan = defineOperation({
  id: "explainPlan",
  method: "GET",
  path: "/plan/explain",
  tag: "Plan",
  summary: "Explain the organisation's plan in words, with the supporting events",
  auth: "member",
  permission: "plan:read",
  responses: { 200: explained },
  example: {
    response: {
      plan: "free",
      items: [
        {
          text: "The plan is Free: the organisation began with it on 2025-11-01.",
          events: [
            {
              sequence: 1,
              id: "0199a001-0c4f-7a11-8b21-6f7e8d9c0b1a",
              event: "PlanStarted",
              occurred_at: "2025-11-01T00:00:00.000Z",
              actor: { type: "user", id: "0199a001-0c4f-7a11-8b21-6f7e8d9c0b1b" },
            },
          ],
        },
      ],
    },
  },
  handler: async ({ principal, services }) => {
    const all = { asOf: null, knownAt: null, from: null, to: null, limit: null };
    const { history } = services.billing;
    const { lines, planAt } = await history.historyOf(principal.organizationId, all);
    const items = explain(lines).map(({ text, events }) => ({
      text,
      events: events.map(({ sequence, id: eventId, type, metadata }) => ({
        sequence,
        id: eventId,
        event: type,
        occurred_at: metadata.occurred_at,
        actor: { type: metadata.actor.type, id: metadata.actor.id },
      })),
    }));
    return { status: 200, body: { plan: planAt.plan, items } };
  },
});

const count = z.int().min(0);
const price = z
  .object({ month: z.number(), year: z.number() })
  .meta({ id: "PlanPrice", description: "The prices of a plan." });
const whatIfSchema = z.object({
  current_plan: planCode,
  plan: planCode,
  months: z.array(
    z.object({
      period: z.string(),
      asked: count.describe("Requested runs, including refused ones."),
      limit: count,
      used: count,
      refused_requests: count,
      refused_runs: count,
      allowed_instead: count.describe("Refused requests that this plan would have admitted."),
      first_refused_at: timestamp.nullable(),
    }),
  ),
  price: z.object({ currency: z.literal("USD"), current: price, other: price }),
  gains: z.array(z.string()),
  losses: z.array(z.string()),
  no_longer_fits: z.array(z.string()),
});

const priceOf = (plan: PlanCode): z.output<typeof price> => ({
  month: catalog[plan].pricePerMonth,
  year: catalog[plan].pricePerYear,
});

const whatIf = defineOperation({
  id: "whatIfPlan",
  method: "GET",
  path: "/plan/what-if",
  tag: "Plan",
  summary: "Compare past usage with the limits of another plan",
  auth: "member",
  permission: "plan:read",
  query: z.object({
    plan: planCode,
    months: z.coerce
      .number("must be a number from 1 to 12")
      .int()
      .min(1)
      .max(12)
      .default(3)
      .describe("The number of months, including the current one."),
  }),
  responses: { 200: whatIfSchema },
  example: {
    response: {
      current_plan: "free",
      plan: "starter",
      months: [
        {
          period: "2025-11",
          asked: 80,
          limit: 500,
          used: 80,
          refused_requests: 0,
          refused_runs: 0,
          allowed_instead: 3,
          first_refused_at: null,
        },
      ],
      price: {
        currency: "USD",
        current: priceOf("free"),
        other: priceOf("starter"),
      },
      gains: ["monthly_runs: 500 instead of 50"],
      losses: [],
      no_longer_fits: [],
    },
  },
  handler: async ({ query, principal, services }) => {
    const { organizationId } = principal;
    const { plan } = query;
    const now = services.clock().toISOString();
    const { queries } = services.billing;
    const { plan: current } = await queries.planOf(organizationId);
    const limit = catalog[plan].monthlyRuns;
    const months = [];
    let period = periodOf(now);
    for (let back = 0; back < query.months; back += 1) {
      const month = await services.usage.replay.monthUnder(organizationId, period, limit);
      months.push({
        period: `${period.slice(0, 4)}-${period.slice(4)}`,
        asked: month.asked,
        limit,
        used: month.held,
        refused_requests: month.refusedRequests,
        refused_runs: month.refusedUnits,
        allowed_instead: month.allowedInstead,
        first_refused_at: month.firstRefusedAt,
      });
      period = periodBefore(period);
    }
    const inUse = await queries.inUse(organizationId, now);
    const { gains, losses, noLongerFits } = compareTerms(current, plan, inUse);
    const body = {
      current_plan: current,
      plan,
      months: months.reverse(),
      price: { currency: "USD", current: priceOf(current), other: priceOf(plan) },
      gains,
      losses,
      no_longer_fits: noLongerFits,
    };
    return { status: 200, body };
  },
});

/** Explanation and comparison of plans. */
export const planExplainOperations: readonly Operation[] = [explainPlan, whatIf];
