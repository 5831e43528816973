import type { FastifyInstance } from "fastify";
import { type DocumentNode, GraphQLError, parse } from "graphql";
import mercurius from "mercurius";
import { z } from "zod";
import type { Logger } from "../platform/logger.ts";
import type { RunDetail } from "../projections/runQueries.ts";
import { ApiError } from "./apiError.ts";
import { answerTo } from "./edge/errorAnswers.ts";
import { checkQueryCost } from "./edge/queryCost.ts";
import { defineOperation, type Operation } from "./operation.ts";
import type { Services } from "./services.ts";

const schema = `
  type Query {
    "A run of your organisation; null when there is none of that id."
    run(id: ID!): Run
  }
  type Run {
    id: ID!
    project_id: ID
    status: String!
    triggered_by: String!
    queued_at: String!
    started_at: String
    finished_at: String
    duration_ms: Int
    sequence: Int!
    totals: Totals!
    tests: [RunTest!]!
    created_at: String!
    updated_at: String!
    version: Int!
  }
  type Totals { passed: Int!, failed: Int!, flaky: Int!, errored: Int!, cancelled: Int! }
  type RunTest {
    test_id: ID!
    name: String!
    execution_id: ID!
    status: String!
    duration_ms: Int
    steps_done: Int!
    steps_total: Int!
    error: String
    attempts: [Attempt!]!
    browsers: [BrowserResult!]!
  }
  type Attempt { number: Int!, status: String!, error: String, duration_ms: Int }
  type BrowserResult { browser: String!, status: String!, duration_ms: Int }
`;

type Context = { readonly organizationId: string };

const request = z.strictObject({
  query: z.string().min(1).max(20_000),
  variables: z.record(z.string(), z.unknown()).nullable().optional(),
  operationName: z.string().nullable().optional(),
  extensions: z.unknown().optional(),
});

/**
 * Registers the query engine and makes the operation that serves it, with REST's authorisation. It is
 * not in openapi.json: GraphQL describes itself. What is refused before a query is parsed is `{detail}`.
 */
export const createGraphql = async (
  app: FastifyInstance,
  services: Services,
  logger: Logger,
): Promise<Operation> => {
  await app.register(mercurius, {
    schema,
    resolvers: { Query: { run: resolveRun(services, logger) } },
    routes: false,
    // Parsed queries are large, and there are as many as somebody likes to make up.
    cache: false,
  });
  return defineOperation({
    id: "queryGraphql",
    method: "POST",
    path: "/graphql",
    tag: "Runs",
    summary: "Query read models",
    auth: "member",
    permission: "results:read",
    body: request,
    responses: { 200: z.unknown() },
    handler: async ({ body, principal }) => {
      checkQueryCost(parseQuery(body.query));
      const context: Context = { organizationId: principal.organizationId };
      try {
        const { query, variables, operationName } = body;
        const result = await app.graphql(
          query,
          { ...context },
          variables ?? undefined,
          operationName ?? undefined,
        );
        return { status: 200, body: result };
      } catch (error) {
        const { errors } = error as { errors?: readonly GraphQLError[] };
        if (!errors) throw error;
        return { status: 400, body: { data: null, errors } };
      }
    },
  });
};

/** Brackets within brackets: the parser goes down into each, and what looks at its work does too. */
const MAX_BRACKETS = 100;

const parseQuery = (query: string): DocumentNode => {
  if (nestingOf(query) > MAX_BRACKETS) {
    throw new ApiError(400, `query: is nested more than ${MAX_BRACKETS} deep.`);
  }
  try {
    return parse(query, { maxTokens: 5_000 });
  } catch (error) {
    if (error instanceof GraphQLError) throw new ApiError(400, `query: ${error.message}`);
    throw error;
  }
};

const nestingOf = (query: string): number => {
  let [open, most] = [0, 0];
  for (const character of query) {
    if ("[{(".includes(character)) most = Math.max(most, ++open);
    else if ("]})".includes(character)) open -= 1;
  }
  return most;
};

const resolveRun =
  (services: Services, logger: Logger) =>
  async (_root: unknown, args: { id: string }, context: unknown): Promise<RunDetail | null> => {
    if (!z.uuid().safeParse(args.id).success) return null;
    const found = await services.runs.queries.findRun(args.id.toLowerCase()).catch((error) => {
      // GraphQL would show the error's own words.
      logger.error({ err: error }, "a GraphQL query failed");
      throw new GraphQLError(answerTo(error).detail);
    });
    if (found && found.organizationId !== (context as Context).organizationId) {
      throw new GraphQLError("This run belongs to another organisation.");
    }
    return found;
  };
