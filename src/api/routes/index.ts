import type { Operation } from "../operation.ts";

/** Every operation of the service. OpenAPI, the router and the tests read this list. */
export const operations: readonly Operation[] = [];
