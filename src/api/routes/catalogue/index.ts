import type { Operation } from "../../operation.ts";
import { catalogueCliOperations } from "./cli.ts";
import { downloadOperations } from "./downloads.ts";
import { projectOperations } from "./projects.ts";
import { stepOperations } from "./steps.ts";
import { testOperations } from "./tests.ts";

/** Projects, tests, steps, parsing, downloads, and the same for runners. */
export const catalogueOperations: readonly Operation[] = [
  ...projectOperations,
  ...testOperations,
  ...stepOperations,
  ...downloadOperations,
  ...catalogueCliOperations,
];
