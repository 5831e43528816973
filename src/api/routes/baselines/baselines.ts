import { z } from "zod";
import type { Written } from "../../../commands/catalogue/changes.ts";
import { type Baselines, baselineAt, placeKey } from "../../../domain/baselines/baseline.ts";
import { viewportText } from "../../../domain/baselines/picture.ts";
import { browserName } from "../../../domain/runs/verdict.ts";
import type { BaselineRow, ComparisonRow } from "../../../projections/baselines/queries.ts";
import { ApiError } from "../../apiError.ts";
import { defineOperation, type Operation, type OperationResponse } from "../../operation.ts";
import { binary, id, idParams } from "../../schemas.ts";
import type { Services } from "../../services.ts";
import { owned } from "../kernel/ownership.ts";

import { baselineExample, baselinesExample, settingsExample } from "./examples.ts";
import {
  baseline,
  baselineBody,
  baselines,
  baselinesBody,
  settingsAfter,
  settingsInput,
} from "./shapes.ts";

const placeParams = z.object({ id, step_id: id, browser: browserName });
/** The default viewport of tests. */
const placeQuery = z.object({ viewport: viewportText.default("1280x720") });

type Caller = { readonly organizationId: string };

const ourTest = async (services: Services, testId: string, principal: Caller) =>
  owned(await services.catalogue.queries.findTest(testId), principal, "test");

/** Renders a test's baselines after a change. Authors and times come from the read model, which may lag. */
const afterwards = async (
  services: Services,
  written: Written<Baselines>,
  by: string | null = null,
): Promise<OperationResponse> => {
  const { state, receipt, id: testId } = written;
  const before = await services.baselines.queries.findBaselines(testId);
  const known = new Map(before.items.map((row) => [keyOf(row), row]));
  const items = [...state.places].map(([key, { stepId, browser, viewport, ...shown }]) => {
    const row = known.get(key);
    const isNew = row?.approved?.picture.sha256 !== shown.approved?.picture.sha256;
    return {
      ...{ step_id: stepId, browser, viewport },
      ...shown,
      approved_at: shown.approved && (isNew ? written.at : (row?.approved_at ?? null)),
      approved_by: shown.approved && (isNew ? by : (row?.approved_by ?? null)),
      proposed_at: shown.proposed && (row?.proposed_at ?? written.at),
    };
  });
  const body = baselinesBody(testId, { settings: state.settings, version: state.version, items });
  return { status: 200, body, receipt };
};

const keyOf = ({ step_id, browser, viewport }: BaselineRow): string =>
  `${step_id} ${browser} ${viewport}`;

const listBaselines = defineOperation({
  id: "listBaselines",
  method: "GET",
  path: "/tests/{id}/baselines",
  tag: "Baselines",
  summary: "Read a test's baselines by step, browser and viewport, with the comparison settings",
  auth: "member",
  permission: "results:read",
  params: idParams,
  responses: { 200: baselines },
  example: { response: baselinesExample },
  handler: async ({ params, principal, services }) => {
    await ourTest(services, params.id, principal);
    const found = await services.baselines.queries.findBaselines(params.id);
    return { status: 200, body: baselinesBody(params.id, found) };
  },
});

const readBaseline = defineOperation({
  id: "readBaseline",
  method: "GET",
  path: "/tests/{id}/baselines/{step_id}/{browser}",
  tag: "Baselines",
  summary: "Download the picture of an approved or proposed baseline",
  auth: "download",
  permission: "results:read",
  params: placeParams,
  query: placeQuery.extend({ which: z.enum(["approved", "proposed"]).default("approved") }),
  responses: { 200: binary("image/png", "The picture") },
  handler: async ({ params, query, principal, services }) => {
    await ourTest(services, params.id, principal);
    const { items } = await services.baselines.queries.findBaselines(params.id);
    const { step_id, browser } = params;
    const { viewport, which } = query;
    const key = placeKey({ stepId: step_id, browser, viewport });
    const picture = items.find((row) => keyOf(row) === key)?.[which]?.picture;
    const blob = picture && (await services.blobs.get(picture.key));
    if (!blob) throw new ApiError(404, `There is no ${which} baseline of this step here.`);
    return {
      status: 200,
      body: blob.bytes,
      headers: {
        "content-type": "image/png",
        "content-disposition": `inline; filename="baseline-${browser}-${viewport}.png"`,
      },
    };
  },
});

const setBaseline = defineOperation({
  id: "setBaseline",
  method: "PUT",
  path: "/tests/{id}/baselines/{step_id}/{browser}",
  tag: "Baselines",
  summary: "Approve an execution's picture as the baseline of a step",
  auth: "member",
  permission: "catalogue:write",
  params: placeParams,
  query: placeQuery,
  body: z.strictObject({ execution_id: id }),
  responses: { 200: baseline },
  errors: [409],
  example: {
    body: { execution_id: baselineExample.approved.execution_id },
    response: baselineExample,
  },
  handler: async ({ params, query, body, principal, context, services }) => {
    const { commands, queries } = services.baselines;
    const { steps } = await ourTest(services, params.id, principal);
    if (!steps.some((step) => step.id === params.step_id)) {
      throw new ApiError(404, "The test has no step of this id.");
    }
    const execution = await services.runs.queries.findExecutionSummary(body.execution_id);
    if (!execution) throw new ApiError(422, "execution_id: there is no such execution.");
    if (execution.organizationId !== principal.organizationId) {
      throw new ApiError(403, "The execution belongs to another organisation.");
    }
    const { viewport } = query;
    const place = { stepId: params.step_id, browser: params.browser, viewport };
    const taken = (await queries.comparisonsOfExecution(body.execution_id)).filter(
      (one) => one.testId === params.id && placeKey(one) === placeKey(place),
    );
    const last = taken.at(-1);
    if (!last) {
      throw new ApiError(
        422,
        `execution_id: this execution has no picture of the step in ${params.browser} at ${viewport}.`,
      );
    }
    const written = await commands.approve(context, params.id, [last]);
    const by = await services.usage.queries.triggeredBy([context.actor]);
    const whole = baselineAt(written.state, place);
    const row = {
      step_id: whole.stepId,
      browser: whole.browser,
      viewport,
      approved: whole.approved,
      approved_at: written.at ?? (await knownApproval(services, params.id, place)),
      approved_by: by(context.actor),
      proposed: null,
      proposed_at: null,
    };
    return { status: 200, body: baselineBody(params.id, row), receipt: written.receipt };
  },
});

/** The approval time of a baseline in the read model. */
const knownApproval = async (
  services: Services,
  testId: string,
  place: Parameters<typeof placeKey>[0],
): Promise<string | null> => {
  const { items } = await services.baselines.queries.findBaselines(testId);
  return items.find((row) => keyOf(row) === placeKey(place))?.approved_at ?? null;
};

const removeBaseline = defineOperation({
  id: "removeBaseline",
  method: "DELETE",
  path: "/tests/{id}/baselines/{step_id}/{browser}",
  tag: "Baselines",
  summary: "Delete the baseline and the proposal of a step; the next run makes a new proposal",
  auth: "member",
  permission: "catalogue:write",
  params: placeParams,
  query: placeQuery,
  responses: { 204: null },
  handler: async ({ params, query, context, services }) => {
    const place = { stepId: params.step_id, browser: params.browser, viewport: query.viewport };
    const { receipt } = await services.baselines.commands.removeBaseline(context, params.id, place);
    return { status: 204, receipt };
  },
});

const rejection = z.strictObject({
  execution_id: id.optional(),
  step_id: id.optional(),
  browser: browserName.optional(),
  viewport: viewportText.optional(),
});

/** The pictures that an execution took, at the named place if any. Null without an execution: all are rejected. */
const rejectedPictures = async (
  services: Services,
  testId: string,
  { execution_id, ...place }: z.output<typeof rejection>,
): Promise<readonly ComparisonRow[] | null> => {
  if (execution_id === undefined) {
    if (Object.keys(place).length === 0) return null;
    throw new ApiError(422, "execution_id: name the execution that took the rejected picture.");
  }
  const taken = await services.baselines.queries.comparisonsOfExecution(execution_id);
  return taken.filter(
    (one) =>
      one.testId === testId &&
      one.stepId === (place.step_id ?? one.stepId) &&
      one.browser === (place.browser ?? one.browser) &&
      one.viewport === (place.viewport ?? one.viewport),
  );
};

const rejectBaselines = defineOperation({
  id: "rejectBaselines",
  method: "POST",
  path: "/tests/{id}/baselines/reject",
  tag: "Baselines",
  summary: "Reject the proposed baselines of a test: all, or those of one execution or place",
  auth: "member",
  permission: "catalogue:write",
  params: idParams,
  body: rejection.default({}),
  responses: { 200: baselines },
  example: { body: {}, response: baselinesExample },
  handler: async ({ params, body, principal, context, services }) => {
    await ourTest(services, params.id, principal);
    const pictures = await rejectedPictures(services, params.id, body);
    const written = await services.baselines.commands.reject(context, params.id, pictures);
    return afterwards(services, written);
  },
});

const changeBaselineSettings = defineOperation({
  id: "changeBaselineSettings",
  method: "PUT",
  path: "/tests/{id}/baselines/settings",
  tag: "Baselines",
  summary: "Set the comparison settings of a test; omitted fields keep their values",
  auth: "member",
  permission: "catalogue:write",
  params: idParams,
  body: settingsInput,
  responses: { 200: baselines },
  errors: [409],
  example: { body: settingsExample, response: baselinesExample },
  handler: async ({ params, body, principal, context, services }) => {
    await ourTest(services, params.id, principal);
    const { commands } = services.baselines;
    const before = await commands.baselinesNow(params.id);
    const settings = settingsAfter(before.settings, body);
    return afterwards(services, await commands.changeSettings(context, params.id, settings));
  },
});

/** Operations on baselines of tests. */
export const baselineOperations: readonly Operation[] = [
  listBaselines,
  readBaseline,
  setBaseline,
  removeBaseline,
  rejectBaselines,
  changeBaselineSettings,
];
