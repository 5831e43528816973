import { z } from "zod";
import { defineOperation, type Operation } from "../../operation.ts";
import { id, idParams } from "../../schemas.ts";
import { owned } from "../kernel/ownership.ts";

import { dispatched, queueing } from "./dispatch.ts";
import { runStatus } from "./schemas.ts";

const runId = "0199c2a1-0c4f-7a11-8b21-6f7e8d9c0b1a";
const executionId = "0199c2a1-0c4f-7d02-9e33-0a1b2c3d4e5f";

const cancelRun = defineOperation({
  id: "cancelRun",
  method: "POST",
  path: "/runner/runs/{id}/cancel",
  tag: "Runner",
  summary: "Cancel a run: waiting executions do not start, running ones end within seconds",
  auth: "member",
  permission: "runs:dispatch",
  params: idParams,
  /** The current status. It becomes `cancelled` when every execution has stopped. */
  responses: { 202: z.object({ id, status: runStatus }) },
  errors: [403, 404, 409],
  example: { response: { id: runId, status: "running" } },
  handler: async ({ params, principal, services, context }) => {
    const { commands, queries } = services.runs;
    owned(await queries.findRunOwner(params.id), principal, "run");
    const { status, receipt } = await commands.cancelRun(context, params.id);
    return { status: 202, body: { id: params.id, status }, receipt };
  },
});

const cancelExecution = defineOperation({
  id: "cancelExecution",
  method: "POST",
  path: "/executions/{id}/cancel",
  tag: "Executions",
  summary: "Cancel one execution of a run",
  auth: "member",
  permission: "runs:dispatch",
  params: idParams,
  /** The current status of the run. */
  responses: { 202: z.object({ id, run_id: id, run_status: runStatus }) },
  errors: [403, 404, 409],
  example: { response: { id: executionId, run_id: runId, run_status: "running" } },
  handler: async ({ params, principal, services, context }) => {
    const { commands, queries } = services.runs;
    const found = owned(await queries.findExecutionSummary(params.id), principal, "execution");
    const { status, receipt } = await commands.cancelExecution(context, found.run_id, params.id);
    const body = { id: params.id, run_id: found.run_id, run_status: status };
    return { status: 202, body, receipt };
  },
});

const rerunRun = defineOperation({
  id: "rerunRun",
  method: "POST",
  path: "/runner/runs/{id}/rerun",
  tag: "Runner",
  summary: "Repeat a run with the current version of its tests, optionally only of the failed ones",
  auth: "member",
  permission: "runs:dispatch",
  params: idParams,
  body: z
    .strictObject({
      failed_only: z
        .boolean()
        .default(false)
        .describe("Only executions that failed, errored or were cancelled."),
    })
    .prefault({}),
  responses: { 202: dispatched },
  errors: [403, 404, 409, 422, 429],
  example: {
    body: { failed_only: true },
    response: {
      run_ids: [runId],
      executions: [
        {
          ...{ id: executionId, run_id: runId, source: null, content: null },
          test_id: "0199c2a0-7b1e-7c3a-9d4e-1f2a3b4c5d6e",
        },
      ],
    },
  },
  handler: async ({ params, body, principal, services, context }) => {
    const { commands, queries } = services.runs;
    owned(await queries.findRunOwner(params.id), principal, "run");
    return queueing(commands.rerun(context, params.id, { failedOnly: body.failed_only }));
  },
});

/** Cancelling and repeating runs. */
export const controlOperations: readonly Operation[] = [cancelRun, cancelExecution, rerunRun];
