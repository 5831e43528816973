import { randomUUID } from "node:crypto";
import { name, type Recipe } from "./recipe.ts";

export const notificationsRequests: Readonly<Record<string, Recipe>> = {
  addContact: { valid: () => ({ body: { email: `${randomUUID()}@example.test` } }) },
  listContacts: {},
  changeContact: {
    valid: async ({ fresh }) => ({ params: { id: (await fresh.contact()).id }, body: { name } }),
  },
  removeContact: {
    valid: async ({ fresh }) => ({ params: { id: (await fresh.contact()).id } }),
  },
  verifyContact: {
    valid: async ({ fresh }) => {
      const { id, token } = await fresh.contact();
      return { params: { id }, body: { token } };
    },
  },
  readPreferences: {},
  changePreferences: { valid: () => ({ body: { on: "failures" } }) },
  listNotifications: {},
  askUnsubscribe: {
    valid: async ({ fresh }) => ({ query: { token: (await fresh.contact()).unsubscribeToken } }),
  },
  unsubscribe: {
    valid: async ({ fresh }) => ({ query: { token: (await fresh.contact()).unsubscribeToken } }),
  },
};
