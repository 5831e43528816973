import fastify, { type FastifyInstance } from "fastify";
import type { ExecutionResult, GraphQLSchema, GraphQLError as GraphqlError } from "graphql";
import mercurius from "mercurius";
import type { Logger } from "../../platform/logger.ts";
import { ApiError } from "../apiError.ts";
import type { Services } from "../services.ts";
import { graphqlJs } from "./graphqlJs.ts";
import { createQueryChecker } from "./queryChecks.ts";
import { type Caller, createResolvers, queryContextOf } from "./resolvers.ts";

const { GraphQLError, parse, specifiedRules, subscribe, validate } = graphqlJs;

/** Number of parsed queries in the cache. */
const CACHED_QUERIES = 50;
/** A query is compiled after this many executions. */
const JIT_THRESHOLD = 10;

/** Maximum of validation errors per query. */
const MAX_ERRORS = 100;

type Query = {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>> | null | undefined;
  readonly operationName?: string | null | undefined;
};

export type GraphqlEngine = {
  /** Executes a query. Throws ApiError 400 if it is malformed or too expensive. */
  answer(
    query: Query,
    caller: Caller,
  ): Promise<{ readonly status: 200 | 400; readonly body: unknown }>;
  /** Starts a subscription that ends with the caller's signal, or returns errors. */
  begin(
    query: Query,
    caller: Caller,
  ): Promise<{ readonly errors: readonly unknown[] } | AsyncGenerator<unknown>>;
  close(): Promise<void>;
};

type Engine = {
  readonly app: FastifyInstance;
  readonly services: Services;
  readonly schema: GraphQLSchema;
  readonly checkQuery: ReturnType<typeof createQueryChecker>;
  readonly validateOptions: { readonly maxErrors: number };
};

/** Starts the query engine, a Fastify application that does not listen. */
export const startGraphqlEngine = async (
  services: Services,
  logger: Logger,
): Promise<GraphqlEngine> => {
  const app = fastify({ logger: false });
  const validateOptions = { maxErrors: MAX_ERRORS };
  const { schema: definitions, resolvers, subscriptions } = createResolvers(services, logger);
  await app.register(mercurius, {
    schema: definitions,
    resolvers: resolvers as never,
    routes: false,
    cache: CACHED_QUERIES,
    jit: JIT_THRESHOLD,
    graphql: { parseOptions: { noLocation: true }, validateOptions },
  });
  await app.ready();
  const { schema } = app.graphql;
  // Mercurius ignores subscription resolvers without its own WebSocket.
  const { run_events } = schema.getSubscriptionType()?.getFields() ?? {};
  Object.assign(run_events ?? {}, subscriptions.run_events);
  const checkQuery = createQueryChecker(schema);
  const engine: Engine = { app, services, schema, checkQuery, validateOptions };
  return {
    answer: (query, caller) => answer(engine, query, caller),
    begin: async (query, caller) => {
      try {
        return await beginSubscription(engine, query, caller);
      } catch (error) {
        if (error instanceof ApiError) return { errors: [new GraphQLError(error.message)] };
        throw error;
      }
    },
    close: () => app.close(),
  };
};

const answer = async (
  { app, services, checkQuery }: Engine,
  { query, variables, operationName }: Query,
  caller: Caller,
): ReturnType<GraphqlEngine["answer"]> => {
  if (checkQuery(query).hasSubscription) {
    const error = new GraphQLError("Subscriptions require the WebSocket /api/v1/ws/graphql.");
    return { status: 400, body: { data: null, errors: [error] } };
  }
  try {
    const result = await app.graphql(
      perOperation(query, operationName),
      { ...queryContextOf(services, caller) },
      variables ?? undefined,
      operationName ?? undefined,
    );
    // Errors without a path were found before execution.
    const { data = null, errors } = result;
    const isRefused = data === null && errors?.every(({ path }) => path === undefined);
    return isRefused ? { status: 400, body: { data, errors } } : { status: 200, body: result };
  } catch (error) {
    const { errors } = error as { errors?: readonly GraphqlError[] };
    if (!errors) throw error;
    return { status: 400, body: { data: null, errors } };
  }
};

const beginSubscription = async (
  { services, schema, checkQuery, validateOptions }: Engine,
  { query, variables, operationName }: Query,
  caller: Caller,
): ReturnType<GraphqlEngine["begin"]> => {
  if (!checkQuery(query).hasSubscription) {
    return {
      errors: [
        new GraphQLError("This WebSocket supports only subscriptions. Send queries by POST."),
      ],
    };
  }
  const document = parse(query, { noLocation: true });
  const errors = validate(schema, document, specifiedRules, validateOptions);
  if (errors.length > 0) return { errors };
  const result = await subscribe({
    schema,
    document,
    contextValue: queryContextOf(services, caller),
    variableValues: variables ?? null,
    operationName: operationName ?? null,
  });
  const begun = result as AsyncGenerator<ExecutionResult> | ExecutionResult;
  return Symbol.asyncIterator in begun ? begun : { errors: begun.errors ?? [] };
};

/**
 * Adds the operation name to the query as a comment. The engine caches one compiled operation per query text, and would
 * otherwise execute it for every operation name.
 */
const perOperation = (query: string, operationName: string | null | undefined): string =>
  operationName == null ? query : `${query}\n# ${JSON.stringify(operationName)}`;
