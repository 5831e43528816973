import { z } from "zod";
import type { Written } from "../../../commands/catalogue/changes.ts";
import type { EnvironmentDefinition } from "../../../commands/catalogue/environments.ts";
import type { Environment } from "../../../domain/catalogue/projects/environments.ts";
import { MAX_FIELD_BYTES } from "../../../domain/catalogue/step.ts";
import { variableName } from "../../../domain/catalogue/testData.ts";
import { displayName } from "../../../domain/organizations/names.ts";
import type { EnvironmentRow } from "../../../projections/catalogue/environmentQueries.ts";
import { ApiError } from "../../apiError.ts";
import { defineOperation, type Operation } from "../../operation.ts";
import { id, idParams, pageOf, pageQuery, timestamp, toPage } from "../../schemas.ts";
import type { Services } from "../../services.ts";
import { owned } from "../kernel/ownership.ts";
import { projectExample } from "./examples.ts";
import { timesOf } from "./shapes.ts";
import { httpAddress, variablesInput } from "./variables.ts";

/** The maximum size of an environment's variables, which every run copies. */
const MAX_VARIABLES_KIB = 64;
/** Shorter values would match unrelated text when they are masked. */
const MIN_SECRET = 4;

const environment = z
  .object({
    id,
    created_at: timestamp,
    updated_at: timestamp,
    version: z.int().positive(),
    project_id: id,
    name: z.string(),
    base_url: z.string().nullable(),
    variables: z.record(z.string(), z.string()),
    secrets: z
      .array(z.object({ name: z.string() }))
      .describe("The names of secrets. Values are never returned."),
  })
  .meta({ id: "Environment", description: "Base URL, variables and secrets for runs." });

const environmentInput = z
  .strictObject({
    name: displayName,
    base_url: httpAddress.nullable().default(null),
    variables: variablesInput(MAX_VARIABLES_KIB).default({}),
  })
  .meta({ id: "EnvironmentInput", description: "The editable fields of an environment." });

const environmentExample = {
  id: "0199c29f-44dd-7e55-8f66-708192a3b4c5",
  project_id: projectExample.id,
  name: "staging",
  base_url: "https://staging.shop.example",
  variables: { user: "ada" },
  secrets: [{ name: "password" }],
  created_at: projectExample.created_at,
  updated_at: projectExample.updated_at,
  version: 2,
};
const inputExample = {
  name: "staging",
  base_url: "https://staging.shop.example",
  variables: { user: "ada" },
};

const environmentParams = z.object({ id, environment_id: id });
const secretParams = z.object({ id, environment_id: id, name: variableName });

const environmentBody = ({ organization_id: _, secrets, ...row }: EnvironmentRow) => ({
  ...row,
  secrets: secrets.map(({ name }) => ({ name })),
});

const writtenEnvironment = (
  { id: environmentId, state, at }: Written<Environment>,
  projectId: string,
  before: EnvironmentRow | null,
) => ({
  id: environmentId,
  project_id: projectId,
  name: state.name,
  base_url: state.baseUrl,
  variables: state.variables,
  secrets: [...state.secrets.keys()].sort().map((name) => ({ name })),
  ...timesOf(at, before),
  version: state.version,
});

const definitionOf = (body: z.output<typeof environmentInput>): EnvironmentDefinition => ({
  name: body.name,
  baseUrl: body.base_url,
  variables: body.variables,
});

type Caller = { readonly organizationId: string };

/** The environment in the path; null if a repeated request has removed it. Throws ApiError 404, 403. */
const environmentOf = async (
  services: Services,
  params: { readonly id: string; readonly environment_id: string },
  caller: Caller,
  again: boolean,
): Promise<EnvironmentRow> => {
  const { queries } = services.catalogue;
  const found = await queries.findEnvironment(params.environment_id, { removedToo: again });
  const mine = owned(found, caller, "environment");
  if (mine.project_id === params.id) return mine;
  throw new ApiError(404, "There is no environment of this id in the project.");
};

const shared = { tag: "Projects", auth: "member" } as const;
const writing = { ...shared, permission: "schedules:write" } as const;

const listEnvironments = defineOperation({
  ...shared,
  id: "listEnvironments",
  method: "GET",
  path: "/projects/{id}/environments",
  summary: "List the environments of a project, newest first, with the names of secrets",
  permission: "results:read",
  params: idParams,
  query: pageQuery,
  responses: { 200: pageOf(environment) },
  example: { response: { items: [environmentExample], next_cursor: null } },
  handler: async ({ params, query, principal, services }) => {
    const { queries } = services.catalogue;
    owned(await queries.findProject(params.id), principal, "project");
    const rows = await queries.listEnvironments(params.id, query);
    return { status: 200, body: toPage(rows.map(environmentBody), query.limit) };
  },
});

const createEnvironment = defineOperation({
  ...writing,
  id: "createEnvironment",
  method: "POST",
  path: "/projects/{id}/environments",
  summary: "Create an environment: a base URL and variables",
  params: idParams,
  body: environmentInput,
  responses: { 201: environment },
  errors: [409],
  example: {
    body: inputExample,
    response: { ...environmentExample, secrets: [], version: 1 },
  },
  handler: async ({ params, body, context, principal, services }) => {
    const { commands, queries } = services.catalogue;
    if (!context.again) owned(await queries.findProject(params.id), principal, "project");
    const written = await commands.defineEnvironment(context, params.id, definitionOf(body));
    return {
      status: 201,
      body: writtenEnvironment(written, params.id, null),
      receipt: written.receipt,
    };
  },
});

const changeEnvironment = defineOperation({
  ...writing,
  id: "changeEnvironment",
  method: "PUT",
  path: "/projects/{id}/environments/{environment_id}",
  summary: "Replace an environment; its secrets are kept",
  params: environmentParams,
  body: environmentInput,
  ifMatch: true,
  responses: { 200: environment },
  errors: [409],
  example: { body: inputExample, response: environmentExample },
  handler: async ({ params, body, context, principal, request, services }) => {
    const before = await environmentOf(services, params, principal, context.again === true);
    const written = await services.catalogue.commands.changeEnvironment(
      context,
      { environmentId: params.environment_id, projectId: params.id },
      definitionOf(body),
      request.ifMatch,
    );
    return {
      status: 200,
      body: writtenEnvironment(written, params.id, before),
      receipt: written.receipt,
    };
  },
});

const removeEnvironment = defineOperation({
  ...writing,
  id: "removeEnvironment",
  method: "DELETE",
  path: "/projects/{id}/environments/{environment_id}",
  summary: "Delete an environment and its secrets permanently",
  params: environmentParams,
  ifMatch: true,
  responses: { 204: null },
  handler: async ({ params, context, principal, request, services }) => {
    await environmentOf(services, params, principal, context.again === true);
    const of = { environmentId: params.environment_id, projectId: params.id };
    const { commands } = services.catalogue;
    return { status: 204, receipt: await commands.removeEnvironment(context, of, request.ifMatch) };
  },
});

const setSecret = defineOperation({
  ...writing,
  id: "setSecret",
  method: "PUT",
  path: "/projects/{id}/environments/{environment_id}/secrets/{name}",
  summary: "Set the value of a secret, which is never returned; steps use it as ${secret.name}",
  params: secretParams,
  body: z.strictObject({
    value: z
      .string("is required, the secret itself")
      .min(MIN_SECRET, `must be at least ${MIN_SECRET} characters`)
      .refine((text) => Buffer.byteLength(text) <= MAX_FIELD_BYTES, "is longer than 8 KiB")
      .refine((text) => text.trim() !== "", "must not be blank"),
  }),
  responses: { 200: environment },
  example: { body: { value: "correct horse battery staple" }, response: environmentExample },
  handler: async ({ params, body, context, principal, services }) => {
    const before = await environmentOf(services, params, principal, context.again === true);
    const of = { environmentId: params.environment_id, projectId: params.id };
    const { commands } = services.catalogue;
    const written = await commands.setSecret(context, of, params.name, body.value);
    return {
      status: 200,
      body: writtenEnvironment(written, params.id, before),
      receipt: written.receipt,
    };
  },
});

const removeSecret = defineOperation({
  ...writing,
  id: "removeSecret",
  method: "DELETE",
  path: "/projects/{id}/environments/{environment_id}/secrets/{name}",
  summary: "Delete a secret permanently",
  params: secretParams,
  responses: { 204: null },
  handler: async ({ params, context, principal, services }) => {
    const found = await environmentOf(services, params, principal, context.again === true);
    if (!context.again && !found.secrets.some(({ name }) => name === params.name)) {
      throw new ApiError(404, `The environment has no secret ${params.name}.`);
    }
    const of = { environmentId: params.environment_id, projectId: params.id };
    const { commands } = services.catalogue;
    return { status: 204, receipt: await commands.removeSecret(context, of, params.name) };
  },
});

export const environmentOperations: readonly Operation[] = [
  listEnvironments,
  createEnvironment,
  changeEnvironment,
  removeEnvironment,
  setSecret,
  removeSecret,
];
