import { randomUUID } from "node:crypto";
import { name, type Recipe } from "./recipe.ts";

const ofOrganization: Recipe = {
  valid: ({ account }) => ({ params: { id: account.organizationId } }),
};
const ofFreshOrganization: Recipe = {
  valid: async ({ fresh }) => {
    const id = await fresh.organizationId();
    return { params: { id }, organizationId: id };
  },
};

export const organizationsRequests: Readonly<Record<string, Recipe>> = {
  createOrganization: { valid: () => ({ body: { name } }) },
  listOrganizations: {},
  readOrganization: ofOrganization,
  changeOrganization: {
    valid: ({ account }) => ({ params: { id: account.organizationId }, body: { name } }),
  },
  deleteOrganization: ofFreshOrganization,
  restoreOrganization: ofFreshOrganization,
  listAudit: ofOrganization,
  listMembers: ofOrganization,
  changeRole: {
    valid: async ({ account, fresh }) => ({
      params: { id: account.organizationId, user_id: await fresh.memberId() },
      body: { role: "editor" },
    }),
  },
  removeMember: {
    valid: async ({ account, fresh }) => ({
      params: { id: account.organizationId, user_id: await fresh.memberId() },
    }),
  },
  transferOwnership: {
    valid: async ({ fresh, people, account }) => {
      const id = await fresh.organizationId();
      const heir = people.get("editor") ?? account;
      return { params: { id }, organizationId: id, body: { user_id: heir.userId } };
    },
  },
  createInvite: {
    valid: () => ({ body: { email: `${randomUUID()}@example.test`, role: "editor" } }),
  },
  listInvites: {},
  revokeInvite: { valid: async ({ fresh }) => ({ params: { id: (await fresh.invite()).id } }) },
  resendInvite: { valid: async ({ fresh }) => ({ params: { id: (await fresh.invite()).id } }) },
  lookUpInvite: {
    valid: async ({ fresh }) => ({ query: { token: (await fresh.invite()).token } }),
  },
  acceptInvite: {
    valid: async ({ fresh }) => {
      const { token, guest } = await fresh.invite();
      return { bearer: guest.accessToken, body: { token } };
    },
  },
  createApiKey: { valid: () => ({ body: { name: randomUUID() } }) },
  listApiKeys: {},
  revokeApiKey: { valid: async ({ fresh }) => ({ params: { id: await fresh.keyId() } }) },
};
