import { randomUUID } from "node:crypto";
import { name, type Recipe } from "./recipe.ts";

export const identityRequests: Readonly<Record<string, Recipe>> = {
  getJwks: {},
  signUp: {
    valid: () => ({
      body: { email: `${randomUUID()}@example.test`, password: "correct horse", name },
    }),
  },
  listOauthProviders: {},
  startOauth: { valid: () => ({ params: { provider: "google" } }) },
  finishOauth: {
    valid: async ({ fresh }) => ({
      params: { provider: "google" },
      ...(await fresh.oauthAnswer()),
    }),
  },
  login: {
    valid: ({ account: { email, password } }) => ({ body: { email, password } }),
  },
  refreshSession: { valid: async ({ fresh }) => ({ cookie: (await fresh.account()).cookie }) },
  logout: { valid: async ({ fresh }) => ({ cookie: (await fresh.account()).cookie }) },
  getMe: {},
  requestVerification: { valid: ({ account: { email } }) => ({ body: { email } }) },
  verifyEmail: {
    valid: async ({ fresh }) => ({ body: { token: await fresh.mailedToken("verify_email") } }),
  },
  forgotPassword: { valid: ({ account: { email } }) => ({ body: { email } }) },
  resetPassword: {
    valid: async ({ fresh }) => ({
      body: { token: await fresh.mailedToken("reset_password"), password: "an entirely new one" },
    }),
  },
  changePassword: {
    valid: ({ account: { password } }) => ({
      body: { current_password: password, new_password: password },
    }),
  },
  listSessions: {},
  revokeSession: { valid: async ({ fresh }) => ({ params: { id: await fresh.sessionId() } }) },
  revokeOtherSessions: {},
  readSettings: {},
  changeSettings: { valid: () => ({ body: { time_zone: "Europe/Berlin", theme: "dark" } }) },
  setByoKey: { valid: () => ({ body: { key: "sk-0123456789" } }) },
  removeByoKey: {},
  exportMe: {},
  eraseMe: {
    valid: async ({ fresh }) => {
      const { accessToken: bearer, password } = await fresh.account();
      return { bearer, body: { password } };
    },
  },
  getConnection: {},
};
