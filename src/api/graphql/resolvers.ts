import type { CommandContext } from "../../commands/kernel/commandLoop.ts";
import type { Standing } from "../../domain/organizations/permissions.ts";
import type { NumberedRunEvent } from "../../domain/runs/watchedEvents.ts";
import type { Logger } from "../../platform/logger.ts";
import type { ExecutionSummary } from "../../projections/runs/executions/queries.ts";
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

/** Who asks, as the edge found out. */
export type Caller = {
  readonly principal: Principal & { readonly organizationId: string; readonly standing: Standing };
  readonly context: CommandContext;
  readonly request: HandlerInput<unknown, unknown, unknown, "member">["request"];
};

/** Who asks, and what is kept while a query is answered. */
type QueryContext = Caller & {
  readonly executionsOf: (runId: string) => Promise<readonly ExecutionSummary[] | undefined>;
};

type Arguments = Readonly<Record<string, unknown>>;

const operationById = (id: string): Operation => {
  const operation = operations.find((one) => one.id === id);
  if (!operation) throw new Error(`GraphQL asks for ${id}, which is no operation`);
  return operation;
};

/** What a caller brings to a query, with loaders of its own. */
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

/** The schema and its resolvers: each field of a query is a reading operation of REST, and does what that does. */
export const createResolvers = (services: Services, logger: Logger) => {
  const writer = createTypeWriter();
  const resolvers: Record<string, unknown> = {};
  // Named first: what the pages list is called as the resource is.
  const execution = writer.typeOf(executionSummary, "ExecutionSummary");
  const event = writer.typeOf(runEvent, "RunEvent");
  const lines = Object.entries(queryFields).map(([field, { operation: id, type }]) => {
    const operation = operationById(id);
    const answer = operation.responses[200];
    if (!answer || !("_zod" in answer)) throw new Error(`${id} answers no JSON`);
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
  "What happens in a run, after event number \`after\` (0: from its first), until it has ended"
  run_events(id: ID!, after: Int): ${event}
}
${writer.write({ RunSummary: `  executions: [${execution}]!` })}
`;
  return {
    schema,
    resolvers: {
      Query: resolvers,
      RunSummary: {
        executions: async ({ id }: { readonly id: string }, _: unknown, asking: QueryContext) =>
          (await asking.executionsOf(id)) ?? [],
      },
    },
    subscriptions: {
      run_events: {
        subscribe: async (
          root: unknown,
          args: { readonly id: string; readonly after?: number | null },
          asking: QueryContext,
        ) => {
          // Whoever may list the events of a run may watch it.
          const page = await readEvents(root, { id: args.id, limit: 1 }, asking);
          if (page === null) throw new GraphQLError("There is no run of this id.");
          const { bus } = services;
          const deps = { bus, queries: services.runs.queries };
          const after = Math.max(0, args.after ?? 0);
          return runEventsOf(deps, args.id.toLowerCase(), after, asking.request.signal);
        },
        resolve: (event: NumberedRunEvent) => event,
      },
    },
  };
};

/** Answers a field by its operation: the same permission, the same checks of what is asked, the same handler. */
const resolverOf =
  (operation: Operation, services: Services, logger: Logger) =>
  async (_root: unknown, args: Arguments, asking: QueryContext): Promise<unknown> => {
    try {
      const caller = await authorise(operation, services, asking);
      const given = Object.entries(args).filter(([, value]) => value !== null);
      const inPath = (name: string) => operation.path.includes(`{${name}}`);
      const input = validateInput(operation, {
        params: Object.fromEntries(given.filter(([name]) => inPath(name))),
        query: Object.fromEntries(given.filter(([name]) => !inPath(name))),
        body: undefined,
      });
      const handle = operation.handler as (input: unknown) => Promise<OperationResponse>;
      const answer = await handle({ ...input, ...caller, services, request: asking.request });
      return answer.body ?? null;
    } catch (error) {
      const { status, detail, isFault } = errorResponseOf(error);
      // What is not there is null, as any field that has nothing to say.
      if (status === 404) return null;
      // GraphQL would show the error's own words.
      if (isFault) logger.error({ err: error }, "a GraphQL query failed");
      throw new GraphQLError(detail, { extensions: { status } });
    }
  };

/** Who may ask REST for it may ask here; throws what REST answers everybody else. */
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
  // They look after every organisation, and act for none.
  const nowhere = { organizationId: null };
  return {
    principal: { ...principal, ...nowhere, standing: null },
    context: { ...context, ...nowhere },
  };
};
