import type { Migration } from "kysely";
import * as kernel from "./001-kernel.ts";

/** Every migration of the state tables, in order. A released one never changes: add another. */
export const migrations: Record<string, Migration> = {
  "001-kernel": kernel,
};
