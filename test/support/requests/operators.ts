import type { Organization } from "../organization/organization.ts";
import type { Recipe } from "./recipe.ts";

const asAdmin = async (fresh: Organization["fresh"]) => ({
  bearer: (await fresh.admin()).accessToken,
});
const ofReadModel: Recipe = {
  valid: async ({ fresh }) => ({ params: { name: "tags" }, ...(await asAdmin(fresh)) }),
};
const ofRunStream: Recipe = {
  valid: async ({ fresh, runId }) => ({
    params: { stream: `run-${runId}` },
    ...(await asAdmin(fresh)),
  }),
};
const byAdmin: Recipe = {
  valid: async ({ fresh }) => ({ bearer: (await fresh.admin()).accessToken }),
};

export const operatorsRequests: Readonly<Record<string, Recipe>> = {
  checkLiveness: {},
  checkReadiness: {},
  grantPlan: {
    valid: async ({ account, fresh }) => ({
      ...(await asAdmin(fresh)),
      params: { id: account.organizationId },
      body: { plan: "business", until: "2099-01-01T00:00:00Z", reason: "A trial" },
    }),
  },
  settlePlanChange: {
    valid: async ({ account, fresh }) => ({
      ...(await asAdmin(fresh)),
      params: { id: account.organizationId, change_id: await fresh.planChangeId() },
      body: { outcome: "cancelled", reason: "It was stuck" },
    }),
  },
  settleAttention: {
    valid: async ({ account, fresh }) => ({
      ...(await asAdmin(fresh)),
      params: { id: account.organizationId, provider_event_id: await fresh.attention() },
      body: { outcome: "corrected", reason: "The price is set up now" },
    }),
  },
  listWebhookEvents: byAdmin,
  retryWebhookEvent: {
    valid: async ({ fresh }) => ({
      ...(await asAdmin(fresh)),
      params: { id: await fresh.webhookEventId() },
    }),
  },
  listOutbox: byAdmin,
  listUsers: byAdmin,
  listAllOrganizations: byAdmin,
  listProjections: byAdmin,
  rebuildProjection: ofReadModel,
  verifyProjection: ofReadModel,
  listParkedEvents: byAdmin,
  retryParkedEvent: {
    valid: async ({ fresh }) => ({
      params: { id: await fresh.parkedId() },
      query: { wait: "0" },
      ...(await asAdmin(fresh)),
    }),
  },
  skipParkedEvent: {
    valid: async ({ fresh }) => ({
      params: { id: await fresh.parkedId() },
      body: { reason: "Nobody knows it any more" },
      ...(await asAdmin(fresh)),
    }),
  },
  findStreams: {
    valid: async ({ fresh, runId }) => ({ query: { q: runId }, ...(await asAdmin(fresh)) }),
  },
  listStreams: byAdmin,
  readStream: ofRunStream,
  readEvent: {
    valid: async ({ fresh }) => ({
      params: { event_id: await fresh.eventId() },
      ...(await asAdmin(fresh)),
    }),
  },
  diffStream: ofRunStream,
  compareReadModels: ofRunStream,
  revealPerson: {
    valid: async ({ fresh, account }) => ({
      params: { id: account.userId },
      body: { reason: "Asked for help" },
      ...(await asAdmin(fresh)),
    }),
  },
};
