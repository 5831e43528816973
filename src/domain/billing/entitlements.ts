import { mayDo, type Permission, type Standing } from "../organizations/permissions.ts";
import { catalog, type Plan, type PlanCode, planCodes } from "./catalog.ts";

/** What a plan counts, by the name that refusals and the API use. */
const limits = {
  monthly_runs: { of: (plan: Plan) => plan.monthlyRuns, what: "tests in cloud runs a month" },
  parallel_executions: { of: (plan: Plan) => plan.parallel, what: "executions at the same time" },
  seats: { of: (plan: Plan) => plan.seats, what: "members" },
  schedules: { of: (plan: Plan) => plan.schedules, what: "schedules" },
  retention_days: { of: (plan: Plan) => plan.retentionDays, what: "days of results" },
  api_keys: { of: (plan: Plan) => plan.apiKeys, what: "API keys" },
} as const;

export type LimitName = keyof typeof limits;
export const limitNames = Object.keys(limits) as readonly LimitName[];

/** What depends on the caller's role, and the permission that it needs. */
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
  /** null where nothing is counted. */
  readonly limit: number | null;
  /** Why it ends where it does; null where nothing more could be had. */
  readonly reason: string | null;
  /** The next plan that allows more; null when none does or it is not a matter of plans. */
  readonly more_on: PlanCode | null;
};

/**
 * What a caller may do in an organisation, and why not more: a pure function of the organisation's
 * plan and the caller's standing. Each reason names the entitlement and what would allow more.
 */
export const entitlementsOf = (code: PlanCode, standing: Standing): readonly Entitlement[] => [
  ...limitNames.map((name) => limitOf(code, name)),
  visualBaselines(code),
  ...actionNames.map((name) => actionOf(standing, name)),
];

/** How far an organisation's plan lets it go in one thing that is counted. */
export const limitOf = (
  code: PlanCode,
  name: LimitName,
): Entitlement & { readonly limit: number } => {
  const { of, what } = limits[name];
  const limit = of(catalog[code]);
  const better = planCodes.find((other) => of(catalog[other]) > limit);
  const more_on = better ?? null;
  const more = better
    ? ` ${catalog[better].name} allows ${of(catalog[better])}.`
    : " No plan allows more.";
  const reason = `The plan ${catalog[code].name} allows ${limit} ${what} (${name}).${more}`;
  return { name, allowed: true, limit, reason, more_on };
};

/** Whether a plan has visual baselines, and if not, why. */
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
