import { describe, expect, it } from "vitest";
import { catalog, findPlan, planCodes } from "../../../../src/domain/billing/catalog.ts";
import {
  entitlementsOf,
  limitNames,
  limitOf,
} from "../../../../src/domain/billing/entitlements.ts";
import { planDecider } from "../../../../src/domain/billing/plan.ts";
import type { PlanEvent } from "../../../../src/domain/billing/planEvents.ts";
import { planInForce } from "../../../../src/domain/billing/planState.ts";
import { scenario } from "../../../support/scenario.ts";

const first = "019a0000-0000-7000-8000-000000000001";
const second = "019a0000-0000-7000-8000-000000000002";
const started: PlanEvent = { type: "PlanStarted", data: { changeId: first, plan: "free" } };
const granted: PlanEvent = {
  type: "PlanGranted",
  data: { changeId: second, plan: "team", reason: "a trial", until: null },
};
const grant = { type: "grant", changeId: second, plan: "team", reason: "a trial" } as const;

const plan = scenario(planDecider);

describe("plan", () => {
  it("starts with the free plan, once", () => {
    plan.given([]).when({ type: "start", changeId: first }).then([started]);
    plan.given([started]).when({ type: "start", changeId: second }).thenNothing();
    plan.given([granted]).when({ type: "start", changeId: first }).thenNothing();
  });

  it("puts a granted plan in force, once", () => {
    plan.given([started]).when(grant).then([granted]);
    plan.given([started, granted]).when(grant).thenNothing();
    const state = [started, granted].reduce(planDecider.evolve, planDecider.initial);
    expect(planInForce(state)).toMatchObject({ plan: "team", setBy: second });
  });

  it("is the free plan before it starts", () => {
    expect(planInForce(planDecider.initial)).toEqual({ plan: "free", setBy: null });
  });
});

describe("catalog", () => {
  it("orders plans by their limits and prices a year as ten months", () => {
    for (const [index, code] of planCodes.entries()) {
      const before = planCodes[index - 1];
      expect(catalog[code].pricePerYear).toBe(catalog[code].pricePerMonth * 10);
      if (!before) continue;
      for (const name of limitNames) {
        expect(limitOf(code, name).limit).toBeGreaterThanOrEqual(limitOf(before, name).limit);
      }
    }
    expect(catalog.free).toMatchObject({ monthlyRuns: 50, parallel: 1, apiKeys: 1 });
    expect(findPlan("toString")).toBeNull();
  });
});

describe("entitlements", () => {
  it("explain a limit with the entitlement and the next plan that allows more", () => {
    const limit = limitOf("free", "monthly_runs");
    expect(limit).toMatchObject({ limit: 50, more_on: "starter", allowed: true });
    expect(limit.reason).toBe(
      "The plan Free allows 50 tests in cloud runs a month (monthly_runs). Starter allows 500.",
    );
    expect(limitOf("business", "seats")).toMatchObject({ limit: 100, more_on: null });
  });

  it("explain every refusal for a plan and a role", () => {
    const of = (...args: Parameters<typeof entitlementsOf>) =>
      new Map(entitlementsOf(...args).map((one) => [one.name, one]));
    expect(of("free", "owner").get("visual_baselines")).toMatchObject({
      allowed: false,
      more_on: "starter",
    });
    expect(of("starter", "owner").get("visual_baselines")?.allowed).toBe(true);
    expect(of("free", "viewer").get("run_tests")).toMatchObject({ allowed: false, more_on: null });
    expect(of("free", "viewer").get("run_tests")?.reason).toContain("viewer");
    expect(of("free", "api_key").get("run_tests")).toMatchObject({ allowed: true, reason: null });
  });
});
