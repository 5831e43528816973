import { z } from "zod";
import { contentOfStep } from "../../../domain/catalogue/content.ts";
import { MAX_STEPS } from "../../../domain/catalogue/step.ts";
import { ApiError } from "../../apiError.ts";
import { defineOperation, type Operation } from "../../operation.ts";
import { id, idParams } from "../../schemas.ts";
import { owned } from "../kernel/ownership.ts";
import { stepInput } from "./content.ts";
import { stepInputExamples, testExample } from "./examples.ts";
import { test, writtenTest } from "./shapes.ts";

const stepParams = z.object({ id, step_id: id });
const changed = { ...testExample, text: "", version: 2 };
const [stepExample] = stepInputExamples;

const addStep = defineOperation({
  id: "addStep",
  method: "POST",
  path: "/tests/{id}/steps",
  tag: "Test Steps",
  summary: "Insert a step at a position from 1, by default at the end",
  auth: "member",
  permission: "catalogue:write",
  params: idParams,
  body: z.object({ ...stepInput.shape, position: z.int().positive().optional() }),
  ifMatch: true,
  responses: { 201: test },
  example: { body: { ...stepExample, position: 1 }, response: changed },
  handler: async ({ params, body, context, request, services }) => {
    const { commands, queries } = services.catalogue;
    const { position = null, ...draft } = body;
    const step = contentOfStep(draft);
    const before = await queries.findTest(params.id);
    const written = await commands.addStep(context, params.id, step, position, request.ifMatch);
    return { status: 201, body: writtenTest(written, before, null), receipt: written.receipt };
  },
});

const changeStep = defineOperation({
  id: "changeStep",
  method: "PUT",
  path: "/tests/{id}/steps/{step_id}",
  tag: "Test Steps",
  summary: "Replace a step; it keeps its id",
  auth: "member",
  permission: "catalogue:write",
  params: stepParams,
  body: stepInput,
  ifMatch: true,
  responses: { 200: test },
  example: { body: { ...stepExample }, response: changed },
  handler: async ({ params, body, context, request, services }) => {
    const { commands, queries } = services.catalogue;
    const step = { ...contentOfStep(body), id: params.step_id };
    const before = await queries.findTest(params.id);
    const written = await commands.changeStep(context, params.id, step, request.ifMatch);
    return { status: 200, body: writtenTest(written, before, null), receipt: written.receipt };
  },
});

const removeStep = defineOperation({
  id: "removeStep",
  method: "DELETE",
  path: "/tests/{id}/steps/{step_id}",
  tag: "Test Steps",
  summary: "Delete a step",
  auth: "member",
  permission: "catalogue:write",
  params: stepParams,
  ifMatch: true,
  responses: { 204: null },
  handler: async ({ params, context, principal, request, services }) => {
    const { commands, queries } = services.catalogue;
    // A repeated request may have removed it itself.
    if (!context.again) {
      const { steps } = owned(await queries.findTest(params.id), principal, "test");
      if (!steps.some((step) => step.id === params.step_id)) {
        throw new ApiError(404, "The test has no step of this id.");
      }
    }
    const receipt = await commands.removeStep(context, params.id, params.step_id, request.ifMatch);
    return { status: 204, receipt };
  },
});

const reorderSteps = defineOperation({
  id: "reorderSteps",
  method: "POST",
  path: "/tests/{id}/steps/reorder",
  tag: "Test Steps",
  summary: "Reorder the steps of a test; the list must contain each step once",
  auth: "member",
  permission: "catalogue:write",
  params: idParams,
  body: z.strictObject({ step_ids: z.array(id).max(MAX_STEPS) }),
  ifMatch: true,
  responses: { 200: test },
  example: {
    body: { step_ids: testExample.steps.map((step) => step.id).reverse() },
    response: changed,
  },
  handler: async ({ params, body, context, request, services }) => {
    const { commands, queries } = services.catalogue;
    const before = await queries.findTest(params.id);
    const written = await commands.reorderSteps(context, params.id, body.step_ids, request.ifMatch);
    return { status: 200, body: writtenTest(written, before, null), receipt: written.receipt };
  },
});

export const singleStepOperations: readonly Operation[] = [
  addStep,
  changeStep,
  removeStep,
  reorderSteps,
];
