import { z } from "zod";
import { defineOperation, type Operation } from "../../operation.ts";
import { email, mailedToken } from "./shapes.ts";

const requestVerification = defineOperation({
  id: "requestVerification",
  method: "POST",
  path: "/auth/verify-email/request",
  tag: "Email Verification",
  summary: "Send an address verification link; the response is the same for unknown addresses",
  auth: "none",
  permission: null,
  body: z.object({ email }),
  responses: { 202: null },
  errors: [422],
  example: { body: { email: "ann@example.com" } },
  handler: async ({ body, services }) => {
    await services.identity.commands.requestVerification(body.email);
    return { status: 202 };
  },
});

const verifyEmail = defineOperation({
  id: "verifyEmail",
  method: "POST",
  path: "/auth/verify-email",
  tag: "Email Verification",
  summary: "Verify an address with a mailed token, which is valid once",
  auth: "none",
  permission: null,
  body: z.object({ token: mailedToken }),
  responses: { 204: null },
  errors: [422],
  example: { body: { token: "oX8c2nQkq0aS8p6oC1b6lV2h8mQ1wD7fYt0e3rZkU9s" } },
  handler: async ({ body, services, context }) => ({
    status: 204,
    receipt: await services.identity.commands.verifyEmail(context, body.token),
  }),
});

export const verificationOperations: readonly Operation[] = [requestVerification, verifyEmail];
