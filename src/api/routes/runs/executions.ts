import { z } from "zod";
import { browserName } from "../../../domain/runs/verdict.ts";
import { announceWatcher } from "../../../platform/bus/watchedRuns.ts";
import { screenshotUrl } from "../../../projections/runs/executions/queries.ts";
import { ApiError } from "../../apiError.ts";
import { defineOperation, type Operation } from "../../operation.ts";
import {
  binary,
  id,
  idParams,
  pageOf,
  pageQuery,
  sortOrder,
  timeRange,
  toPage,
} from "../../schemas.ts";
import { owned } from "../kernel/ownership.ts";
import { mustBeKept } from "./access.ts";
import { executionDetailExample, executionSummaryExample, screenshotExample } from "./examples.ts";
import { executionBody } from "./executionBody.ts";
import { tagFilter, triggerFilter } from "./filters.ts";
import { executionDetail, executionStatus, executionSummary, screenshot } from "./schemas.ts";

const listExecutions = defineOperation({
  id: "listExecutions",
  method: "GET",
  path: "/executions",
  tag: "Executions",
  summary: "List executions, newest first unless sorted",
  auth: "member",
  permission: "results:read",
  query: pageQuery.extend({
    status: executionStatus.optional(),
    run_id: id.optional().describe("Only executions of this run."),
    test_id: id.optional().describe("Only executions of this test."),
    test_set_id: id.optional().describe("Only executions in runs of this test set."),
    project_id: id.optional().describe("Only executions of tests of this project."),
    tag: tagFilter,
    triggered_by: triggerFilter,
    ...timeRange,
    sort: sortOrder,
  }),
  responses: { 200: pageOf(executionSummary) },
  example: { response: { items: [executionSummaryExample], next_cursor: null } },
  handler: async ({ query, principal, services }) => {
    const rows = await services.runs.queries.listExecutions(principal.organizationId, query, {
      status: query.status,
      runId: query.run_id,
      testId: query.test_id,
      testSetId: query.test_set_id,
      projectId: query.project_id,
      tag: query.tag,
      triggeredBy: query.triggered_by,
      since: query.since,
      until: query.until,
    });
    return { status: 200, body: toPage(rows, query.limit) };
  },
});

const readExecution = defineOperation({
  id: "readExecution",
  method: "GET",
  path: "/executions/{id}",
  tag: "Executions",
  summary: "Read an execution with the result of each step in each browser",
  auth: "member",
  permission: "results:read",
  params: idParams,
  responses: { 200: executionDetail },
  example: { response: executionDetailExample },
  handler: async ({ params, principal, services }) => {
    const found = await services.runs.queries.findExecution(params.id);
    const execution = owned(found, principal, "execution");
    if (execution.finished_at === null) announceWatcher(services.bus, execution.run_id);
    return { status: 200, body: await executionBody(services, execution) };
  },
});

const listScreenshots = defineOperation({
  id: "listScreenshots",
  method: "GET",
  path: "/tests/{execution_id}/screenshots",
  tag: "Screenshots",
  summary: "List the screenshots of an execution",
  auth: "download",
  permission: "results:read",
  params: z.object({ execution_id: id }),
  responses: { 200: z.object({ items: z.array(screenshot), next_cursor: z.null() }) },
  example: { response: { items: [screenshotExample], next_cursor: null } },
  handler: async ({ params, principal, services }) => {
    const { queries } = services.runs;
    owned(await queries.findExecutionSummary(params.execution_id), principal, "execution");
    const isDeleted = (await queries.deletionsOf([params.execution_id])).size > 0;
    const shots = isDeleted ? [] : await queries.screenshotsOf(params.execution_id);
    const items = shots.map((shot) => ({ ...shot, url: screenshotUrl(shot) }));
    return { status: 200, body: { items, next_cursor: null } };
  },
});

/** The API path of a step's picture. */
export const shotParams = z.object({
  execution_id: id,
  browser: browserName,
  step_number: z.coerce.number().int().positive().max(2_147_483_647),
});

export const attemptQuery = z.object({
  attempt: z
    .union([z.literal("last"), z.coerce.number().int().positive().max(2_147_483_647)])
    .default("last")
    .describe(
      "The number of the attempt. Defaults to the last attempt with a picture of the step.",
    ),
});

const readScreenshot = defineOperation({
  id: "readScreenshot",
  method: "GET",
  path: "/tests/{execution_id}/screenshots/{browser}/{step_number}",
  tag: "Screenshots",
  summary: "Read the screenshot of a step: JPEG, or PNG for screenshot steps and visual checks",
  auth: "download",
  permission: "results:read",
  params: shotParams,
  query: attemptQuery,
  responses: { 200: binary("image/*", "The picture") },
  errors: [410],
  handler: async ({ params, query, principal, services }) => {
    const { queries } = services.runs;
    const summary = await queries.findExecutionSummary(params.execution_id);
    await mustBeKept(services, owned(summary, principal, "execution"));
    const shot = await queries.findScreenshot(
      params.execution_id,
      params.browser,
      params.step_number,
      query.attempt === "last" ? undefined : query.attempt,
    );
    const blob = shot && (await services.blobs.get(shot.blob_key));
    if (!shot || !blob) {
      const lost = (await queries.lostScreenshotsOf(params.execution_id)).findLast(
        ({ browser, number, attempt }) =>
          browser === params.browser &&
          number === params.step_number &&
          (query.attempt === "last" || attempt === query.attempt),
      );
      const why = lost ? ` ${lost.reason}` : "";
      throw new ApiError(404, `There is no screenshot of this step.${why}`);
    }
    const extension = shot.format === "jpeg" ? "jpg" : "png";
    return {
      status: 200,
      body: blob.bytes,
      headers: {
        "content-type": `image/${shot.format}`,
        "content-disposition": `inline; filename="step-${params.step_number}-${params.browser}.${extension}"`,
      },
    };
  },
});

/** Executions and their screenshots. */
export const executionOperations: readonly Operation[] = [
  listExecutions,
  readExecution,
  listScreenshots,
  readScreenshot,
];
