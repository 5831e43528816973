import type { FastifyInstance } from "fastify";
import { z } from "zod";
import type { Logger } from "../../platform/logger.ts";
import { defineOperation, type Operation } from "../operation.ts";
import type { Services } from "../services.ts";
import type { GraphqlEngine } from "./engine.ts";

/** Maximum length of a query, in characters. */
export const MAX_QUERY = 20_000;

const request = z.strictObject({
  query: z.string().min(1).max(MAX_QUERY).describe("The document, one query."),
  variables: z.record(z.string(), z.unknown()).nullable().optional(),
  operationName: z.string().nullable().optional().describe("The operation of the document."),
  extensions: z.unknown().optional().describe("Ignored."),
});

/** Everything about the operation but its handler. */
export const graphqlShape = {
  id: "queryGraphql",
  method: "POST",
  path: "/graphql",
  tag: "Runs",
  summary: "Query read models, streams and the plan's history by GraphQL",
  description:
    "Each field has the authorisation of its REST operation. `schema.graphql` and introspection describe the schema.",
  auth: "member",
  permission: null,
  body: request,
  responses: { 200: z.unknown().describe("The result of the query: `data` and `errors`.") },
  example: {
    body: { query: "{ runs(limit: 1) { items { id status } } }" },
    response: { data: { runs: { items: [] } } },
  },
} as const;

const engines = new WeakMap<Services, Promise<GraphqlEngine>>();

/** The query engine of these services, started on first use. */
export const engineOf = (services: Services, logger: Logger): Promise<GraphqlEngine> => {
  const before = engines.get(services);
  if (before) return before;
  const starting = import("./engine.ts").then(({ startGraphqlEngine }) =>
    startGraphqlEngine(services, logger),
  );
  engines.set(services, starting);
  starting.catch(() => engines.delete(services));
  return starting;
};

/** Creates the operation for queries. Errors before parsing are `{detail}`, later ones `errors`. */
export const createGraphql = (
  app: FastifyInstance,
  services: Services,
  logger: Logger,
): Operation => {
  app.addHook("onClose", async () => {
    await (await engines.get(services)?.catch(() => null))?.close();
  });
  return defineOperation({
    ...graphqlShape,
    handler: async ({ body, principal, context, request }) => {
      const engine = await engineOf(services, logger);
      return engine.answer(body, { principal, context, request });
    },
  });
};
