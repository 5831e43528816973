import type { Operation } from "../operation.ts";
import { healthOperations } from "./health.ts";

/** Every operation of the service. OpenAPI, the router and the tests read this list. */
export const operations: readonly Operation[] = [
  ...healthOperations,
];
