import fastify from "fastify";
import type { ExecutionResult, GraphQLError as GraphqlError } from "graphql";
import mercurius from "mercurius";
import type { Logger } from "../../platform/logger.ts";
import { ApiError } from "../apiError.ts";
import type { Services } from "../services.ts";
import { graphqlJs } from "./graphqlJs.ts";
import { createQueryChecker } from "./queryChecks.ts";
import { type Caller, createResolvers, queryContextOf } from "./resolvers.ts";

const {
  GraphQLError,
  NoSchemaIntrospectionCustomRule,
  parse,
  specifiedRules,
  subscribe,
  validate,
} = graphqlJs;

/** Queries that stay parsed: what a program asks again and again. Each can be large, so they are few. */
const KEPT_QUERIES = 50;
/** So often a query is asked before it is compiled: what is asked once or twice is not worth it. */
const ASKED_OFTEN = 10;

/** A query is looked through until so much is wrong with it. */
const MOST_ERRORS = 100;

/** A query as it came. */
type Query = {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>> | null | undefined;
  readonly operationName?: string | null | undefined;
};

/** What answers queries and subscriptions. */
export type GraphqlEngine = {
  /** Throws ApiError 400 for what is no query, or asks for too much. */
  answer(
    query: Query,
    caller: Caller,
  ): Promise<{ readonly status: 200 | 400; readonly body: unknown }>;
  /** Begins a subscription, or answers why not. It ends with the caller's signal. */
  begin(
    query: Query,
    caller: Caller,
  ): Promise<{ readonly errors: readonly unknown[] } | AsyncGenerator<unknown>>;
  close(): Promise<void>;
};

/** Starts the query engine: an application of its own that listens nowhere. */
export const startGraphqlEngine = async (
  services: Services,
  logger: Logger,
): Promise<GraphqlEngine> => {
  const app = fastify({ logger: false });
  // What there is to ask is for those to look up who develop.
  const isShut = !services.config?.development;
  const validationRules = isShut ? [NoSchemaIntrospectionCustomRule] : [];
  // Nor does a refusal name what is nearly called as asked: that way everything could be found out, name by name.
  const validateOptions = { maxErrors: MOST_ERRORS, hideSuggestions: isShut };
  const { schema: definitions, resolvers, subscriptions } = createResolvers(services, logger);
  await app.register(mercurius, {
    schema: definitions,
    resolvers: resolvers as never,
    routes: false,
    cache: KEPT_QUERIES,
    // What is asked again and again is compiled: half of what GraphQL adds to a read is walking its fields.
    jit: ASKED_OFTEN,
    graphql: { parseOptions: { noLocation: true }, validateOptions },
    validationRules,
  });
  await app.ready();
  const { schema } = app.graphql;
  // The query engine takes none of these where it has no socket of its own.
  const { run_events } = schema.getSubscriptionType()?.getFields() ?? {};
  Object.assign(run_events ?? {}, subscriptions.run_events);
  const gate = createQueryChecker(schema);

  const subscribed = async (
    { query, variables, operationName }: Query,
    caller: Caller,
  ): ReturnType<GraphqlEngine["begin"]> => {
    if (!gate(query).hasSubscription) {
      return { errors: [new GraphQLError("Only subscriptions are answered here: ask by POST.")] };
    }
    const document = parse(query, { noLocation: true });
    const rules = [...specifiedRules, ...validationRules];
    const errors = validate(schema, document, rules, validateOptions);
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

  return {
    answer: async ({ query, variables, operationName }, caller) => {
      if (gate(query).hasSubscription) {
        const elsewhere = new GraphQLError("Subscribe by WebSocket, at /api/v1/ws/graphql.");
        return { status: 400, body: { data: null, errors: [elsewhere] } };
      }
      try {
        const result = await app.graphql(
          perOperation(query, operationName),
          { ...queryContextOf(services, caller) },
          variables ?? undefined,
          operationName ?? undefined,
        );
        // Found wrong with what was asked, before anything was: it has no place in the answer.
        const { data = null, errors } = result;
        const isRefused = data === null && errors?.every(({ path }) => path === undefined);
        return isRefused ? { status: 400, body: { data, errors } } : { status: 200, body: result };
      } catch (error) {
        const { errors } = error as { errors?: readonly GraphqlError[] };
        if (!errors) throw error;
        return { status: 400, body: { data: null, errors } };
      }
    },
    begin: async (query, caller) => {
      try {
        return await subscribed(query, caller);
      } catch (error) {
        if (error instanceof ApiError) return { errors: [new GraphQLError(error.message)] };
        throw error;
      }
    },
    close: () => app.close(),
  };
};

/**
 * The query as the engine keeps it, with the operation's name in a remark: it compiles one operation of a query, and
 * would answer by that one whichever is named the next time.
 */
const perOperation = (query: string, operationName: string | null | undefined): string =>
  operationName == null ? query : `${query}\n# ${JSON.stringify(operationName)}`;
