import { signedByProviderA } from "../providers.ts";
import type { Recipe } from "./recipe.ts";

const ofPlanChange: Recipe = { valid: ({ planChangeId }) => ({ params: { id: planChangeId } }) };
const ofFreshPlanChange: Recipe = {
  valid: async ({ fresh }) => ({ params: { id: await fresh.planChangeId() } }),
};

export const billingRequests: Readonly<Record<string, Recipe>> = {
  listPlans: {},
  readCatalogPlan: { valid: () => ({ params: { code: "free" } }) },
  readUsage: {},
  readRefusal: { valid: ({ refusalId }) => ({ params: { id: refusalId } }) },
  readEntitlements: {},
  receiveProviderA: { valid: () => signedByProviderA({ event_type: "customer.created" }) },
  receiveProviderB: { valid: () => ({ body: {} }) },
  readPlan: {},
  readPlanHistory: {},
  exportPlanHistory: {},
  readCheckpoint: { valid: () => ({ query: { from: "1" } }) },
  explainPlan: {},
  whatIfPlan: { valid: () => ({ query: { plan: "team" } }) },
  readUsageHistory: {},
  withdrawScheduledChange: {},
  createPlanChange: {
    valid: async ({ fresh }) => {
      await fresh.noPlanChange();
      return { body: { plan: "team" } };
    },
  },
  readPlanChange: ofPlanChange,
  confirmPlanChange: ofPlanChange,
  applyPlanChange: ofPlanChange,
  schedulePlanChange: ofFreshPlanChange,
  cancelPlanChange: ofFreshPlanChange,
};
