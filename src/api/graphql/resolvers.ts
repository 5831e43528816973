import type { CommandContext } from "../../commands/kernel/commandLoop.ts";
import type { Standing } from "../../domain/organizations/permissions.ts";
import type { NumberedRunEvent } from "../../domain/runs/watchedEvents.ts";
import type { Logger } from "../../platform/logger.ts";
import type { ExecutionSummary } from "../../projections/runs/executions/summaries.ts";
import { ApiError } from "../apiError.ts";
import { ADMIN_REQUIRED, PERSON_REQUIRED } from "../auth/authenticator.ts";
import { checkPermission } from "../edge/caller.ts";
import { errorResponseOf } from "../edge/errorResponses.ts";
import { validateInput } from "../edge/validation.ts";
import type { HandlerInput, Operation, OperationResponse, Principal } from "../operation.ts";
import { operations } from "../routes/index.ts";
import { executionSummary, runEvent } from "../routes/runs/schemas.ts";
import type { Services } from "../services.ts";
import { createDataLoader } from "./dataLoader.ts";
import { queryFields } from "./fields.ts";
import { graphqlJs } from "./graphqlJs.ts";
import { runEventsOf } from "./runEvents.ts";
import { createTypeWriter } from "./sdl.ts";

const { GraphQLError } = graphqlJs;

/** The authenticated caller. */
export type Caller = {
  readonly principal: Principal & { readonly organizationId: string; readonly standing: Standing };
  readonly context: CommandContext;
  readonly request: HandlerInput<unknown, unknown, unknown, "member">["request"];
};

/** Context of one query. */
type QueryContext = Caller & {
  readonly executionsOf: (runId: string) => Promise<readonly ExecutionSummary[] | undefined>;
};

type Arguments = Readonly<Record<string, unknown>>;

const operationById = (id: string): Operation => {
  const operation = operations.find((one) => one.id === id);
  if (!operation) throw new Error(`Unknown operation ${id}`);
  return operation;
};

/** The context of a query, with its own data loaders. */
export const queryContextOf = (services: Services, caller: Caller): QueryContext => ({
  ...caller,
  executionsOf: createDataLoader(async (runIds) => {
    const { organizationId } = caller.principal;
    const rows = await services.runs.queries.executionsOfRuns(organizationId, runIds);
    const byRun = new Map<string, ExecutionSummary[]>();
    for (const row of rows) byRun.set(row.run_id, [...(byRun.get(row.run_id) ?? []), row]);
    return byRun;
  }),
});

/** The schema and its resolvers. Each query field calls a read operation of the REST API. */
export const createResolvers = (services: Services, logger: Logger) => {
  const writer = createTypeWriter();
  const resolvers: Record<string, unknown> = {};
  // Named before the pages that contain them.
  const execution = writer.typeOf(executionSummary, "ExecutionSummary");
  const event = writer.typeOf(runEvent, "RunEvent");
  const lines = Object.entries(queryFields).map(([field, { operation: id, type }]) => {
    const operation = operationById(id);
    const answer = operation.responses[200];
    if (!answer || !("_zod" in answer)) throw new Error(`${id} has no JSON response`);
    resolvers[field] = resolverOf(operation, services, logger);
    const result = writer.typeOf(answer, type).replace(/!$/, "");
    const args = writer.argumentsOf(operation.params, operation.query);
    return `  "${operation.summary.replaceAll('"', "'")}"\n  ${field}${args}: ${result}`;
  });
  const listRunEvents = operationById("listRunEvents");
  const readEvents = resolverOf(listRunEvents, services, logger);
  const schema = `scalar JSON
type Query {
${lines.join("\n")}
}
type Subscription {
  "The events of a run after sequence number \`after\` (0: from the first) until the run ends"
  run_events(id: ID!, after: Int): ${event}
}
${writer.write({ RunSummary: `  executions: [${execution}]!` })}
`;
  return {
    schema,
    resolvers: {
      Query: resolvers,
      RunSummary: {
        executions: async (
          { id }: { readonly id: string },
          _: unknown,
          queryContext: QueryContext,
        ) => (await queryContext.executionsOf(id)) ?? [],
      },
    },
    subscriptions: {
      run_events: {
        subscribe: async (
          root: unknown,
          args: { readonly id: string; readonly after?: number | null },
          queryContext: QueryContext,
        ) => {
          // Checks the permission and the existence of the run.
          const page = await readEvents(root, { id: args.id, limit: 1 }, queryContext);
          if (page === null) throw new GraphQLError("There is no run with this id.");
          const { bus } = services;
          const deps = { bus, queries: services.runs.queries };
          const after = Math.max(0, args.after ?? 0);
          return runEventsOf(deps, args.id.toLowerCase(), after, queryContext.request.signal);
        },
        resolve: (event: NumberedRunEvent) => event,
      },
    },
  };
};

/** Resolves a field with the permission check, validation and handler of its operation. */
const resolverOf =
  (operation: Operation, services: Services, logger: Logger) =>
  async (_root: unknown, args: Arguments, queryContext: QueryContext): Promise<unknown> => {
    try {
      const caller = await authorise(operation, services, queryContext);
      const given = Object.entries(args).filter(([, value]) => value !== null);
      const inPath = (name: string) => operation.path.includes(`{${name}}`);
      const input = validateInput(operation, {
        params: Object.fromEntries(given.filter(([name]) => inPath(name))),
        query: Object.fromEntries(given.filter(([name]) => !inPath(name))),
        body: undefined,
      });
      const handle = operation.handler as (input: unknown) => Promise<OperationResponse>;
      const answer = await handle({ ...input, ...caller, services, request: queryContext.request });
      return answer.body ?? null;
    } catch (error) {
      const { status, detail, isFault } = errorResponseOf(error);
      if (status === 404) return null;
      // GraphQL would expose the original message.
      if (isFault) logger.error({ err: error }, "a GraphQL query failed");
      throw new GraphQLError(detail, { extensions: { status } });
    }
  };

/** Applies the authorisation of the REST operation. Throws ApiError 401 or 403. */
const authorise = async (
  operation: Operation,
  services: Services,
  { principal, context }: QueryContext,
): Promise<{ readonly principal: Principal; readonly context: CommandContext }> => {
  if (operation.auth !== "admin") {
    checkPermission(operation, principal);
    return { principal, context };
  }
  if (principal.kind !== "session") {
    throw new ApiError(401, PERSON_REQUIRED);
  }
  if (!(await services.inspector.isAdmin(principal.userId))) {
    throw new ApiError(403, ADMIN_REQUIRED);
  }
  // Administrators act without an organisation.
  const nowhere = { organizationId: null };
  return {
    principal: { ...principal, ...nowhere, standing: null },
    context: { ...context, ...nowhere },
  };
};
