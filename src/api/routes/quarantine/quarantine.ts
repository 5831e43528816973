import { z } from "zod";
import { defineOperation, type Operation } from "../../operation.ts";
import { id, idParams, instant, timestamp } from "../../schemas.ts";

const MAX_REASON = 500;

const ofTest = {
  path: "/tests/{id}/quarantine",
  tag: "Dashboard",
  auth: "member",
  permission: "schedules:write",
  params: idParams,
} as const;

const quarantineTest = defineOperation({
  ...ofTest,
  id: "quarantineTest",
  method: "PUT",
  summary:
    "Quarantine a test for at most a year: it still runs, but its failures do not count until then",
  body: z.strictObject({
    until: instant,
    reason: z
      .string()
      .trim()
      .min(1, "must not be empty")
      .max(MAX_REASON, `must have ${MAX_REASON} characters or fewer`),
  }),
  responses: { 200: z.object({ test_id: id, until: timestamp, reason: z.string() }) },
  errors: [409],
  example: {
    body: { until: "2026-04-01T00:00:00Z", reason: "The bank's sandbox is being moved" },
    response: {
      test_id: "0199c2a0-7b1e-7c3a-9d4e-1f2a3b4c5d6e",
      until: "2026-04-01T00:00:00.000Z",
      reason: "The bank's sandbox is being moved",
    },
  },
  handler: async ({ params, body, context, services }) => {
    const { startQuarantine } = services.quarantine.commands;
    const { state, receipt } = await startQuarantine(context, params.id, body);
    const { until, reason } = state;
    return { status: 200, body: { test_id: params.id, until, reason }, receipt };
  },
});

const unquarantineTest = defineOperation({
  ...ofTest,
  id: "unquarantineTest",
  method: "DELETE",
  summary: "End a test's quarantine, from the next run on",
  responses: { 204: null },
  handler: async ({ params, context, services }) => ({
    status: 204,
    receipt: await services.quarantine.commands.endQuarantine(context, params.id),
  }),
});

/** Quarantines of tests. */
export const quarantineOperations: readonly Operation[] = [quarantineTest, unquarantineTest];
