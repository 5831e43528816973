import { z } from "zod";
import { catalog, findPlan, type Plan, planCodes } from "../../../domain/billing/catalog.ts";
import { entitlementNames, entitlementsOf } from "../../../domain/billing/entitlements.ts";
import { permissions, permissionsOf, roles } from "../../../domain/organizations/permissions.ts";
import { ApiError } from "../../apiError.ts";
import { defineOperation, type Operation } from "../../operation.ts";

export const planCode = z.enum(planCodes);

const planSchema = z
  .object({
    code: planCode,
    name: z.string(),
    monthly_runs: z.int(),
    parallel_executions: z.int(),
    seats: z.int(),
    schedules: z.int(),
    visual_baselines: z.boolean(),
    retention_days: z.int(),
    api_keys: z.int(),
    price: z.object({ month: z.number(), year: z.number() }),
  })
  .meta({ id: "CatalogPlan", description: "A plan of the catalogue." });

/** An entitlement, its limit, and the plan that allows more. */
export const entitlement = z
  .object({
    name: z.enum(entitlementNames),
    allowed: z.boolean(),
    limit: z.int().nullable(),
    reason: z.string().nullable(),
    more_on: planCode.nullable(),
  })
  .meta({ id: "Entitlement", description: "An action or a limit of the caller's plan and role." });

const shown = (plan: Plan): z.output<typeof planSchema> => ({
  code: plan.code,
  name: plan.name,
  monthly_runs: plan.monthlyRuns,
  parallel_executions: plan.parallel,
  seats: plan.seats,
  schedules: plan.schedules,
  visual_baselines: plan.visualBaselines,
  retention_days: plan.retentionDays,
  api_keys: plan.apiKeys,
  price: { month: plan.pricePerMonth, year: plan.pricePerYear },
});

const listPlans = defineOperation({
  id: "listPlans",
  method: "GET",
  path: "/catalog/plans",
  tag: "Catalog",
  summary: "List the plans, smallest first",
  auth: "none",
  permission: null,
  responses: { 200: z.object({ items: z.array(planSchema), next_cursor: z.null() }) },
  example: {
    response: { items: planCodes.map((code) => shown(catalog[code])), next_cursor: null },
  },
  handler: async () => ({
    status: 200,
    body: { items: planCodes.map((code) => shown(catalog[code])), next_cursor: null },
  }),
});

const readPlan = defineOperation({
  id: "readCatalogPlan",
  method: "GET",
  path: "/catalog/plans/{code}",
  tag: "Catalog",
  summary: "Read a plan",
  auth: "none",
  permission: null,
  params: z.object({ code: z.string() }),
  responses: { 200: planSchema },
  example: { response: shown(catalog.starter) },
  handler: async ({ params }) => {
    const plan = findPlan(params.code);
    if (!plan)
      throw new ApiError(404, `There is no such plan; these are: ${planCodes.join(", ")}.`);
    return { status: 200, body: shown(plan) };
  },
});

const readEntitlements = defineOperation({
  id: "readEntitlements",
  method: "GET",
  path: "/entitlements",
  tag: "Entitlements",
  summary: "Read the caller's entitlements: actions, limits, and the plan that allows more",
  auth: "member",
  permission: "usage:read",
  responses: {
    200: z.object({
      plan: planCode,
      role: z.enum([...roles, "api_key"]),
      permissions: z.array(z.enum(permissions)),
      items: z.array(entitlement),
    }),
  },
  example: {
    response: {
      plan: "free",
      role: "owner",
      permissions: permissionsOf("owner"),
      items: entitlementsOf("free", "owner"),
    },
  },
  handler: async ({ principal, services }) => {
    const { plan } = await services.billing.queries.planOf(principal.organizationId);
    const items = entitlementsOf(plan, principal.standing);
    const { standing: role } = principal;
    return { status: 200, body: { plan, role, permissions: permissionsOf(role), items } };
  },
});

/** Plans and entitlements. */
export const billingOperations: readonly Operation[] = [listPlans, readPlan, readEntitlements];
