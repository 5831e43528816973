import { z } from "zod";
import { displayName } from "../../../domain/organizations/names.ts";
import { defineOperation, type Operation } from "../../operation.ts";
import { id, idParams, pageOf, pageQuery, toPage } from "../../schemas.ts";
import { owned } from "../kernel/ownership.ts";
import { stepsInput, textInput } from "./content.ts";
import {
  projectExample,
  stepExamples,
  stepInputExamples,
  summaryExample,
  testExample,
} from "./examples.ts";
import {
  project,
  projectBody,
  step,
  stepBodies,
  summaryBody,
  test,
  testSummary,
} from "./shapes.ts";
import { fileBody, replaceStepsOf } from "./steps.ts";
import { createTestFrom, listTestsFor, sourceInput, testListQuery } from "./tests.ts";

const written = { ...testExample, text: "" };

const listCliProjects = defineOperation({
  id: "listCliProjects",
  method: "GET",
  path: "/cli/projects",
  tag: "CLI",
  summary: "List projects",
  auth: "apiKey",
  permission: "results:read",
  query: pageQuery,
  responses: { 200: pageOf(project) },
  example: { response: { items: [projectExample], next_cursor: null } },
  handler: async ({ query, principal, services }) => {
    const rows = await services.catalogue.queries.listProjects(principal.organizationId, query);
    return { status: 200, body: toPage(rows.map(projectBody), query.limit) };
  },
});

const listCliTests = defineOperation({
  id: "listCliTests",
  method: "GET",
  path: "/cli/tests",
  tag: "CLI",
  summary: "List tests, each with a step count",
  auth: "apiKey",
  permission: "results:read",
  query: testListQuery,
  responses: { 200: pageOf(testSummary) },
  errors: [404],
  example: { response: { items: [summaryExample], next_cursor: null } },
  handler: ({ query, principal, services }) => listTestsFor(services, principal, query),
});

const readCliSpecs = defineOperation({
  id: "readCliSpecs",
  method: "GET",
  path: "/cli/tests/{id}/specs",
  tag: "CLI",
  summary: "Read one test with its ordered steps",
  auth: "apiKey",
  permission: "results:read",
  params: idParams,
  responses: { 200: z.object({ ...testSummary.shape, text: z.string(), steps: z.array(step) }) },
  example: { response: { ...summaryExample, text: "", steps: stepExamples } },
  handler: async ({ params, principal, services }) => {
    const found = owned(await services.catalogue.queries.findTest(params.id), principal, "test");
    const { text, steps, ...rest } = found;
    return { status: 200, body: { ...summaryBody(rest), text, steps: stepBodies(steps) } };
  },
});

const createCliTest = defineOperation({
  id: "createCliTest",
  method: "POST",
  path: "/cli/tests",
  tag: "CLI",
  summary: "Create a test from explicit steps, or from plain English",
  auth: "apiKey",
  permission: "catalogue:write",
  body: z.strictObject({
    name: displayName,
    project_id: id.nullable().optional(),
    folder_id: id.nullable().optional(),
    text: textInput.optional(),
    steps: stepsInput.optional(),
    source: sourceInput.optional(),
  }),
  later: ["tags"],
  responses: { 201: test },
  errors: [409],
  example: { body: { name: "Sign in", steps: stepInputExamples }, response: written },
  handler: ({ body, context, services }) =>
    createTestFrom(services, context, { ...body, language: "en", platform: "web" }),
});

const replaceCliSteps = defineOperation({
  id: "replaceCliSteps",
  method: "PUT",
  path: "/cli/tests/{id}/steps",
  tag: "CLI",
  summary: "Replace a test's steps, or its text",
  auth: "apiKey",
  permission: "catalogue:write",
  params: idParams,
  body: fileBody,
  ifMatch: true,
  responses: { 200: test },
  errors: [409],
  example: { body: { steps: stepInputExamples }, response: { ...written, version: 2 } },
  handler: ({ params, body, context, request, services }) =>
    replaceStepsOf(services, context, params.id, body, request.ifMatch),
});

export const catalogueCliOperations: readonly Operation[] = [
  listCliProjects,
  listCliTests,
  readCliSpecs,
  createCliTest,
  replaceCliSteps,
];
