import { z } from "zod";
import type { ProviderName } from "../../../domain/billing/subscription.ts";
import { ApiError } from "../../apiError.ts";
import { defineOperation, type Operation } from "../../operation.ts";

/** The `Retry-After` of an inactive receiver, in seconds. */
const RETRY_AFTER_SECONDS = 60;

const webhookResponse = z.union([z.object({ received: z.literal(true) }), z.literal("ignored")]);

const receiver = (spec: {
  readonly id: string;
  readonly provider: ProviderName;
  readonly header: string;
  readonly summary: string;
}): Operation =>
  defineOperation({
    id: spec.id,
    method: "POST",
    path: `/webhooks/${spec.provider}`,
    tag: "PlanChange",
    summary: spec.summary,
    auth: "none",
    permission: null,
    rawBody: true,
    responses: { 200: webhookResponse },
    errors: [408, 413, 415],
    example: { response: { received: true } },
    handler: async ({ request, services }) => {
      const { webhooks } = services;
      if (spec.provider === "provider-a" && !webhooks.isActive("provider-a")) {
        throw new ApiError(503, "PROVIDER_A_WEBHOOK_SECRET is not set: nothing can be verified.", {
          "retry-after": String(RETRY_AFTER_SECONDS),
        });
      }
      const signature = request.headers[spec.header];
      const answered = await webhooks.receive(
        spec.provider,
        request.rawBody,
        typeof signature === "string" ? signature : undefined,
      );
      return { status: 200, body: answered === "applied" ? { received: true } : "ignored" };
    },
  });

/** Webhook receivers of payment providers. */
export const webhookOperations: readonly Operation[] = [
  receiver({
    id: "receiveProviderA",
    provider: "provider-a",
    header: "paddle-signature",
    summary: "Receive events of payment provider A",
  }),
  receiver({
    id: "receiveProviderB",
    provider: "provider-b",
    header: "stripe-signature",
    summary: "Receive events of payment provider B; ignored unless configured",
  }),
];
