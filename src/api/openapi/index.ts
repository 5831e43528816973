import { graphqlShape } from "../graphql/index.ts";
import type { Operation } from "../operation.ts";
import { describeOperation } from "./describeOperation.ts";
import type { Json } from "./jsonSchema.ts";
import { errorSchema, headers, parameters, responses, securitySchemes } from "./shared.ts";
import { tags } from "./tags.ts";

export { errorStatusesOf, exampleOf } from "./describeOperation.ts";

/** The operation for queries is created with the service; its description needs no handler. */
const graphql: Operation = {
  ...graphqlShape,
  handler: () => Promise.reject(new Error("Only described")),
};

/** The OpenAPI 3.1 document of the operations, from the schemas that validate and serialise. Deterministic. */
export const buildOpenApi = (operations: readonly Operation[]): Json => {
  const used = new Set(operations.map(({ tag }) => tag));
  const schemas: Json = {};
  const paths = describePaths([...operations, graphql], schemas);
  return {
    openapi: "3.1.0",
    info: {
      title: "Runledger",
      version: "1.0.0",
      description:
        "Browser tests in plain English, run in real browsers. Schemas are stable within /api/v1.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/" }],
    tags: tags.filter(({ name }) => used.has(name)),
    paths,
    components: {
      securitySchemes,
      parameters,
      headers,
      responses,
      schemas: sorted({ ...schemas, Error: errorSchema }),
    },
  };
};

const sorted = (record: Json): Json =>
  Object.fromEntries(Object.entries(record).sort(([one], [other]) => (one < other ? -1 : 1)));

const describePaths = (
  operations: readonly Operation[],
  schemas: Json,
): Readonly<Record<string, Json>> => {
  const paths: Record<string, Json> = {};
  for (const operation of operations) {
    const path = `/api/v1${operation.path}`;
    paths[path] = {
      ...paths[path],
      [operation.method.toLowerCase()]: describeOperation(operation, schemas),
    };
  }
  return paths;
};
