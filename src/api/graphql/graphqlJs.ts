import { createRequire } from "node:module";

/**
 * GraphQL's own library, in the one copy that the query engine has: a schema of one copy is none to another, and
 * what is imported may be another than what is required.
 */
export const graphqlJs = createRequire(import.meta.url)("graphql") as typeof import("graphql");
