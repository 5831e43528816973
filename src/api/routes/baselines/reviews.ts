import { z } from "zod";
import type { Comparison } from "../../../commands/baselines/comparison.ts";
import { browserName, verdict } from "../../../domain/runs/verdict.ts";
import type { ComparisonRow, Review } from "../../../projections/baselines/queries.ts";
import { ApiError } from "../../apiError.ts";
import { defineOperation, type Operation } from "../../operation.ts";
import { binary, id, idParams } from "../../schemas.ts";
import type { Services } from "../../services.ts";
import { owned } from "../kernel/ownership.ts";
import { mustBeKept } from "../runs/access.ts";
import { attemptQuery, shotParams } from "../runs/executions.ts";
import { rejudgedExample, reviewedExample, settingsExample } from "./examples.ts";
import { settingsAfter, settingsInput, visual, visualBody } from "./shapes.ts";

const reviewed = z
  .object({
    items: z.array(
      z.object({
        test_id: id,
        execution_id: id,
        step_id: id,
        step_number: z.int(),
        attempt: z.int(),
        browser: browserName,
        viewport: z.string(),
        visual: visual.describe("The result of the comparison."),
        review: z
          .enum(["open", "approved", "closed"])
          .describe("`closed`: rejected, or a newer picture is proposed or approved."),
      }),
    ),
  })
  .meta({ id: "BaselineReview", description: "The new and differing pictures of a run." });

/** The pictures of a run that need a review: without a baseline, or different from it. Deleted differences have no link. */
const toReview = async (
  services: Services,
  runId: string,
  principal: { readonly organizationId: string },
): Promise<readonly ComparisonRow[]> => {
  owned(await services.runs.queries.findRunOwner(runId), principal, "run");
  const all = await services.baselines.queries.comparisonsOfRun(runId);
  const differing = all.filter(({ outcome }) => outcome !== "same");
  const ids = differing.map(({ executionId }) => executionId);
  const deletions = await services.runs.queries.deletionsOf([...new Set(ids)]);
  return differing.map((one) => (deletions.has(one.executionId) ? { ...one, diffKey: null } : one));
};

const reviewedBody = (
  comparisons: readonly ComparisonRow[],
  reviewOf: (one: ComparisonRow) => Review,
) => ({
  items: comparisons.map((one) => ({
    test_id: one.testId,
    execution_id: one.executionId,
    step_id: one.stepId,
    step_number: one.number,
    attempt: one.attempt,
    browser: one.browser,
    viewport: one.viewport,
    visual: visualBody(one),
    review: reviewOf(one),
  })),
});

const listRunPictures = defineOperation({
  id: "listRunPictures",
  method: "GET",
  path: "/runs/{id}/baselines",
  tag: "Baselines",
  summary: "List a run's new and differing pictures, with the decision on each",
  auth: "member",
  permission: "results:read",
  params: idParams,
  responses: { 200: reviewed },
  example: { response: reviewedExample },
  handler: async ({ params, principal, services }) => {
    const comparisons = await toReview(services, params.id, principal);
    const reviewOf = await services.baselines.queries.reviewsOf(comparisons);
    return { status: 200, body: reviewedBody(comparisons, reviewOf) };
  },
});

const approveRunBaselines = defineOperation({
  id: "approveRunBaselines",
  method: "POST",
  path: "/runs/{id}/baselines/approve",
  tag: "Baselines",
  summary: "Approve a run's new and differing pictures as baselines",
  auth: "member",
  permission: "catalogue:write",
  params: idParams,
  responses: { 200: reviewed },
  errors: [409],
  example: { response: reviewedExample },
  handler: async ({ params, principal, context, services }) => {
    const comparisons = await toReview(services, params.id, principal);
    const receipt = await services.baselines.commands.approveRun(context, comparisons);
    return { status: 200, body: reviewedBody(comparisons, () => "approved"), receipt };
  },
});

const rejectRunBaselines = defineOperation({
  id: "rejectRunBaselines",
  method: "POST",
  path: "/runs/{id}/baselines/reject",
  tag: "Baselines",
  summary: "Reject the baselines that a run proposed; existing baselines are kept",
  auth: "member",
  permission: "catalogue:write",
  params: idParams,
  responses: { 200: reviewed },
  example: { response: reviewedExample },
  handler: async ({ params, principal, context, services }) => {
    const comparisons = await toReview(services, params.id, principal);
    const { commands, queries } = services.baselines;
    const before = await queries.reviewsOf(comparisons);
    const receipt = await commands.rejectRun(context, comparisons);
    const after = (one: ComparisonRow) => (before(one) === "approved" ? "approved" : "closed");
    return { status: 200, body: reviewedBody(comparisons, after), receipt };
  },
});

const rejudgeExecution = defineOperation({
  id: "rejudgeExecution",
  method: "POST",
  path: "/executions/{id}/rejudge",
  tag: "Baselines",
  summary: "Compare an execution's pictures again with other settings, without a browser",
  auth: "member",
  permission: "catalogue:write",
  params: idParams,
  body: z
    .strictObject({
      settings: settingsInput
        .default({})
        .describe("Omitted fields default to the test's current settings."),
    })
    .prefault({}),
  responses: {
    200: z.object({
      execution_id: id,
      status: verdict.describe("The verdict of the execution."),
      pictures: z.array(
        z.object({
          attempt: z.int(),
          browser: browserName,
          step_number: z.int(),
          outcome: z.enum(["same", "different", "proposed"]),
          pixels: z.int(),
          ratio: z.number(),
          size_differs: z.boolean(),
        }),
      ),
    }),
  },
  errors: [409],
  example: { body: { settings: settingsExample }, response: rejudgedExample },
  handler: async ({ params, body, principal, context, services }) => {
    const { commands, queries } = services.baselines;
    const found = await services.runs.queries.findExecutionSummary(params.id);
    const execution = owned(found, principal, "execution");
    const comparisons: readonly Comparison[] = await queries.comparisonsOfExecution(params.id);
    const { settings: before } = await commands.baselinesNow(execution.test_id);
    const settings = settingsAfter(before, body.settings);
    const judged = await commands.rejudge(context, params.id, settings, comparisons);
    const pictures = judged.pictures.map(({ number, sizeDiffers, diff: _, ...rest }) => ({
      ...rest,
      step_number: number,
      size_differs: sizeDiffers,
    }));
    return {
      status: 200,
      body: { execution_id: params.id, status: judged.verdict, pictures },
      receipt: judged.receipt,
    };
  },
});

const readVisual = (which: "baseline" | "diff", summary: string): Operation =>
  defineOperation({
    id: which === "baseline" ? "readScreenshotBaseline" : "readScreenshotDiff",
    method: "GET",
    path: `/tests/{execution_id}/screenshots/{browser}/{step_number}/${which}`,
    tag: "Screenshots",
    summary,
    auth: "download",
    permission: "results:read",
    params: shotParams,
    query: attemptQuery,
    responses: { 200: binary("image/png", "The picture") },
    errors: [410],
    handler: async ({ params, query, principal, services }) => {
      const { execution_id, browser, step_number: number } = params;
      const { runs, baselines, blobs } = services;
      const summary = await runs.queries.findExecutionSummary(execution_id);
      await mustBeKept(services, owned(summary, principal, "execution"));
      const all = await baselines.queries.comparisonsOfExecution(execution_id);
      const of = all.filter((one) => one.browser === browser && one.number === number);
      const one = of.findLast(
        ({ attempt }) => query.attempt === "last" || attempt === query.attempt,
      );
      const key = which === "baseline" ? one?.baseline?.key : one?.diffKey;
      const blob = key ? await blobs.get(key) : null;
      if (!blob) throw new ApiError(404, `There is no ${NAMES[which]} of this step.`);
      return {
        status: 200,
        body: blob.bytes,
        headers: {
          "content-type": "image/png",
          "content-disposition": `inline; filename="step-${number}-${browser}-${which}.png"`,
        },
      };
    },
  });

const NAMES = { baseline: "baseline", diff: "picture of a difference" } as const;

/** Reviews of a run's pictures. */
export const reviewOperations: readonly Operation[] = [
  listRunPictures,
  approveRunBaselines,
  rejectRunBaselines,
  rejudgeExecution,
  readVisual("baseline", "Read the baseline of a step's picture comparison"),
  readVisual("diff", "Read the difference between a step's picture and its baseline"),
];
