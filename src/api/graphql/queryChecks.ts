import type { DocumentNode, GraphQLSchema } from "graphql";
import { ApiError } from "../apiError.ts";
import { graphqlJs } from "./graphqlJs.ts";
import { checkQueryCost, listFieldsOf } from "./queryCost.ts";

const { GraphQLError, parse } = graphqlJs;

/** Maximum nesting of brackets: parser and visitors are recursive. */
const MAX_BRACKETS = 100;
const MAX_TOKENS = 5_000;
/** Number of accepted queries in the cache. */
const CACHE_SIZE = 200;

/** Checks queries before execution. The checker throws ApiError 400 if a query is malformed or too expensive. */
export const createQueryChecker = (schema: GraphQLSchema) => {
  const lists = listFieldsOf(schema);
  const known = new Map<string, { readonly hasSubscription: boolean }>();
  return (query: string): { readonly hasSubscription: boolean } => {
    const before = known.get(query);
    if (before) return before;
    const document = parseQuery(query);
    checkQueryCost(document, lists);
    const seen = { hasSubscription: document.definitions.some(isSubscription) };
    const [oldest] = known.keys();
    if (known.size >= CACHE_SIZE && oldest !== undefined) known.delete(oldest);
    known.set(query, seen);
    return seen;
  };
};

const isSubscription = (definition: DocumentNode["definitions"][number]): boolean =>
  definition.kind === "OperationDefinition" && definition.operation === "subscription";

const parseQuery = (query: string): DocumentNode => {
  if (nestingOf(query) > MAX_BRACKETS) {
    throw new ApiError(400, `query: is nested more than ${MAX_BRACKETS} levels deep.`);
  }
  try {
    return parse(query, { maxTokens: MAX_TOKENS, noLocation: true });
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
