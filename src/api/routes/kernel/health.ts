import { z } from "zod";
import { ApiError } from "../../apiError.ts";
import type { Health } from "../../health.ts";
import { defineOperation, type Operation } from "../../operation.ts";
import type { Services } from "../../services.ts";

/** The health check in progress. Health requests are not rate limited, so concurrent ones share it. */
const inProgress = new WeakMap<Services, Promise<Health>>();

const healthOf = (services: Services): Promise<Health> => {
  const check =
    inProgress.get(services) ?? services.health().finally(() => inProgress.delete(services));
  inProgress.set(services, check);
  return check;
};

const live = defineOperation({
  id: "checkLiveness",
  method: "GET",
  path: "/health/live",
  tag: "Health",
  summary: "Check that the process is alive",
  auth: "none",
  permission: null,
  responses: { 200: z.object({ status: z.literal("live") }) },
  example: { response: { status: "live" } },
  handler: async () => ({ status: 200, body: { status: "live" } }),
});

const ready = defineOperation({
  id: "checkReadiness",
  method: "GET",
  path: "/health/ready",
  tag: "Health",
  summary: "Check that every part is ready",
  auth: "none",
  permission: null,
  responses: {
    200: z.object({
      status: z.literal("ready"),
      parts: z.record(z.string(), z.object({ status: z.literal("ready") })),
    }),
  },
  example: {
    response: {
      status: "ready",
      parts: { database: { status: "ready" }, event_log: { status: "ready" } },
    },
  },
  handler: async ({ services }) => {
    const parts = Object.entries(await healthOf(services));
    const down = parts.filter(([, part]) => !part.ok);
    if (down.length > 0) {
      const names = down.map(([name, { detail }]) => (detail ? `${name} (${detail})` : name));
      throw new ApiError(503, `Not ready: ${names.join(", ")}.`, { "retry-after": "1" });
    }
    const body = {
      status: "ready",
      parts: Object.fromEntries(parts.map(([name]) => [name, { status: "ready" }])),
    };
    return { status: 200, body };
  },
});

export const healthOperations: readonly Operation[] = [live, ready];
