import { z } from "zod";
import { defineOperation, type Operation } from "../../operation.ts";
import { clientOf, currentPassword, email, mailedToken, newPassword } from "./shapes.ts";

const forgotPassword = defineOperation({
  id: "forgotPassword",
  method: "POST",
  path: "/auth/password/forgot",
  tag: "Authentication",
  summary: "Send a password reset link; the response is the same for unknown addresses",
  auth: "none",
  permission: null,
  body: z.object({ email }),
  responses: { 202: null },
  errors: [422],
  example: { body: { email: "ann@example.com" } },
  handler: async ({ body, services }) => {
    await services.identity.commands.forgotPassword(body.email);
    return { status: 202 };
  },
});

const resetPassword = defineOperation({
  id: "resetPassword",
  method: "POST",
  path: "/auth/password/reset",
  tag: "Authentication",
  summary: "Set a new password with a mailed token, which is valid once; ends all sessions",
  auth: "none",
  permission: null,
  body: z.object({ token: mailedToken, password: newPassword }),
  responses: { 204: null },
  errors: [422],
  example: {
    body: {
      token: "oX8c2nQkq0aS8p6oC1b6lV2h8mQ1wD7fYt0e3rZkU9s",
      password: "correct horse battery staple",
    },
  },
  handler: async ({ body, services, context }) => ({
    status: 204,
    receipt: await services.identity.commands.resetPassword(context, body),
  }),
});

const changePassword = defineOperation({
  id: "changePassword",
  method: "POST",
  path: "/auth/password/change",
  tag: "Authentication",
  summary: "Change the caller's password; ends all other sessions",
  auth: "session",
  permission: null,
  body: z.object({ current_password: currentPassword, new_password: newPassword }),
  responses: { 204: null },
  errors: [403, 422, 429],
  example: {
    body: {
      current_password: "correct horse battery staple",
      new_password: "a better one, with more words",
    },
  },
  handler: async ({ body, principal, services, context, request }) => ({
    status: 204,
    receipt: await services.identity.commands.changePassword(context, {
      userId: principal.userId,
      sessionId: principal.sessionId,
      current: body.current_password,
      next: body.new_password,
      client: clientOf(request),
    }),
  }),
});

export const passwordOperations: readonly Operation[] = [
  forgotPassword,
  resetPassword,
  changePassword,
];
