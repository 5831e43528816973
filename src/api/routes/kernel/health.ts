import { z } from "zod";
import { ApiError } from "../../apiError.ts";
import { defineOperation, type Operation } from "../../operation.ts";
import type { Services } from "../../services.ts";

/** How one part of the service is. `detail` says in a few words what is wrong, without an address. */
export type PartHealth = { readonly ok: boolean; readonly detail?: string };

/** The parts of the service by name. */
export type Health = Readonly<Record<string, PartHealth>>;

/** Nobody is kept from asking: however many do at once, each part is asked once. */
const shared = new WeakMap<Services, Promise<Health>>();

const healthOf = (services: Services): Promise<Health> => {
  const asked = shared.get(services) ?? services.health().finally(() => shared.delete(services));
  shared.set(services, asked);
  return asked;
};

const live = defineOperation({
  id: "checkLiveness",
  method: "GET",
  path: "/health/live",
  tag: "Health",
  summary: "Whether the process lives",
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
  summary: "Whether every part is ready, each by name",
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
