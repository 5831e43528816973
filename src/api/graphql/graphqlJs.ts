import { createRequire } from "node:module";

/**
 * The copy of graphql-js that the query engine uses. `import` and `require` may load different copies, whose schemas are
 * incompatible.
 */
export const graphqlJs = createRequire(import.meta.url)("graphql") as typeof import("graphql");
