import { z } from "zod";
import { defineOperation, type Operation } from "../../operation.ts";
import { id, idParams } from "../../schemas.ts";
import { owned } from "./access.ts";
import { dispatched, queueing } from "./dispatch.ts";
import { runStatus } from "./schemas.ts";

const runId = "0199c2a1-0c4f-7a11-8b21-6f7e8d9c0b1a";
const executionId = "0199c2a1-0c4f-7d02-9e33-0a1b2c3d4e5f";

const cancelRun = defineOperation({
  id: "cancelRun",
  method: "POST",
  path: "/runner/runs/{id}/cancel",
  tag: "Runner",
  summary: "Stop a run: what waits does not begin, what is under way ends within seconds",
  auth: "member",
  permission: "runs:dispatch",
  params: idParams,
  /** The status is that of now: the run is `cancelled` once everything in it has stopped. */
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
  summary: "Stop one test of a run; the others go on",
  auth: "member",
  permission: "runs:dispatch",
  params: idParams,
  /** The status is that of its run now. */
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
  summary: "Run the tests of a run again, or those alone that did not pass, as they are now",
  auth: "member",
  permission: "runs:dispatch",
  params: idParams,
  body: z
    .strictObject({
      /** Those alone that failed, could not be judged or were cancelled. */
      failed_only: z.boolean().default(false),
    })
    .prefault({}),
  responses: { 202: dispatched },
  errors: [403, 404, 409, 422, 429],
  example: {
    body: { failed_only: true },
    response: {
      run_ids: [runId],
      executions: [
        { id: executionId, run_id: runId, test_id: "0199c2a0-7b1e-7c3a-9d4e-1f2a3b4c5d6e" },
      ],
    },
  },
  handler: async ({ params, body, principal, services, context }) => {
    const { commands, queries } = services.runs;
    owned(await queries.findRunOwner(params.id), principal, "run");
    return queueing(commands.rerun(context, params.id, { failedOnly: body.failed_only }));
  },
});

/** Stopping runs, and running them again. */
export const controlOperations: readonly Operation[] = [cancelRun, cancelExecution, rerunRun];
