import { mayDo, type Permission, type Standing } from "../organizations/permissions.ts";
import { catalog, type Plan, type PlanCode, planCodes } from "./catalog.ts";

/** The limits of a plan, by the name that the API and error messages use. */
const limits = {
  monthly_runs: { of: (plan: Plan) => plan.monthlyRuns, unit: "tests in cloud runs a month" },
  parallel_executions: { of: (plan: Plan) => plan.parallel, unit: "executions at the same time" },
  seats: { of: (plan: Plan) => plan.seats, unit: "members" },
  schedules: { of: (plan: Plan) => plan.schedules, unit: "schedules" },
  retention_days: { of: (plan: Plan) => plan.retentionDays, unit: "days of results" },
  api_keys: { of: (plan: Plan) => plan.apiKeys, unit: "API keys" },
} as const;

export type LimitName = keyof typeof limits;
export const limitNames = Object.keys(limits) as readonly LimitName[];

/** Actions that depend on the caller's role, with the permission that each needs. */
const actions = {
  run_tests: "runs:dispatch",
  write_tests: "catalogue:write",
  read_results: "results:read",
} as const satisfies Record<string, Permission>;

export type ActionName = keyof typeof actions;
export const actionNames = Object.keys(actions) as readonly ActionName[];

export const entitlementNames = [...limitNames, "visual_baselines", ...actionNames] as const;

export type Entitlement = {
  readonly name: (typeof entitlementNames)[number];
  readonly allowed: boolean;
  /** Null if the entitlement is not a limit. */
  readonly limit: number | null;
  /** Why the caller may do no more, null if the entitlement is unrestricted. */
  readonly reason: string | null;
  /** The smallest plan that allows more, null if none does. */
  readonly more_on: PlanCode | null;
};

/**
 * The entitlements of a caller in an organisation: a pure function of the organisation's plan and the caller's
 * standing. Each reason names the entitlement and the plan that would allow more.
 */
export const entitlementsOf = (code: PlanCode, standing: Standing): readonly Entitlement[] => [
  ...limitNames.map((name) => limitOf(code, name)),
  visualBaselines(code),
  ...actionNames.map((name) => actionOf(standing, name)),
];

export const limitOf = (
  code: PlanCode,
  name: LimitName,
): Entitlement & { readonly limit: number } => {
  const { of, unit } = limits[name];
  const limit = of(catalog[code]);
  const better = planCodes.find((other) => of(catalog[other]) > limit);
  const more_on = better ?? null;
  const more = better
    ? ` ${catalog[better].name} allows ${of(catalog[better])}.`
    : " No plan allows more.";
  const reason = `The plan ${catalog[code].name} allows ${limit} ${unit} (${name}).${more}`;
  return { name, allowed: true, limit, reason, more_on };
};

export const visualBaselines = (code: PlanCode): Entitlement => {
  const name = "visual_baselines";
  if (catalog[code].visualBaselines) {
    return { name, allowed: true, limit: null, reason: null, more_on: null };
  }
  const better = planCodes.find((other) => catalog[other].visualBaselines) ?? null;
  const more = better ? ` ${catalog[better].name} allows them.` : "";
  const reason = `The plan ${catalog[code].name} has no visual baselines (${name}).${more}`;
  return { name, allowed: false, limit: null, reason, more_on: better };
};

const actionOf = (standing: Standing, name: ActionName): Entitlement => {
  const answer = mayDo(standing, actions[name]);
  const reason = answer.allowed ? null : `${answer.reason} (${name})`;
  return { name, allowed: answer.allowed, limit: null, reason, more_on: null };
};
