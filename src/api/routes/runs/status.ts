import { z } from "zod";
import { defineOperation, type Operation } from "../../operation.ts";
import { timestamp } from "../../schemas.ts";

const agent = z
  .object({
    agent_id: z.string(),
    name: z.string(),
    version: z.string(),
    browsers: z.array(z.string()),
    capacity: z.int(),
    running: z.int().describe("The number of its current executions."),
    connected_at: timestamp,
    seen_at: timestamp,
  })
  .meta({ id: "Agent", description: "A connected agent." });

const readRunnerStatus = defineOperation({
  id: "readRunnerStatus",
  method: "GET",
  path: "/runner/status",
  tag: "Runner",
  summary: "Read the number of waiting and running executions, and the connected agents",
  auth: "member",
  permission: "results:read",
  responses: {
    200: z.object({
      queue: z.object({ waiting: z.int(), running: z.int() }),
      agents: z.array(agent),
    }),
  },
  example: {
    response: {
      queue: { waiting: 3, running: 2 },
      agents: [
        {
          agent_id: "5b0e2b0c-6f0d-4d9e-8a55-0e8d2f5c9a10",
          name: "build-7",
          version: "0.1.0",
          browsers: ["chromium"],
          capacity: 2,
          running: 2,
          connected_at: "2026-03-02T09:00:00.000Z",
          seen_at: "2026-03-02T09:15:00.000Z",
        },
      ],
    },
  },
  handler: async ({ principal, services }) => {
    const { queue, agents } = await services.runnerStatus(principal.organizationId);
    return {
      status: 200,
      body: {
        queue,
        agents: agents.map((one) => ({
          agent_id: one.agentId,
          ...{ name: one.name, version: one.version, browsers: one.browsers },
          ...{ capacity: one.capacity, running: one.running },
          ...{ connected_at: one.connectedAt, seen_at: one.seenAt },
        })),
      },
    };
  },
});

/** The queue and the agents of an organisation. */
export const runnerStatusOperations: readonly Operation[] = [readRunnerStatus];
