import type { Operation } from "../../operation.ts";
import { healingOperations } from "../healing/healings.ts";
import { bulkOperations } from "./bulk.ts";
import { catalogueCliOperations } from "./cli.ts";
import { downloadOperations } from "./downloads.ts";
import { environmentOperations } from "./environments.ts";
import { fileOperations } from "./files.ts";
import { folderOperations } from "./folders.ts";
import { historyOperations } from "./history.ts";
import { importOperations } from "./imports.ts";
import { projectOperations } from "./projects.ts";
import { singleStepOperations } from "./singleSteps.ts";
import { stepOperations } from "./steps.ts";
import { tagOperations } from "./tags.ts";
import { testDataOperations } from "./testData.ts";
import { testLifeOperations } from "./testLife.ts";
import { testSetOperations } from "./testSets.ts";
import { testOperations } from "./tests.ts";

/** Operations on projects, folders, tags, tests, steps, test sets, parsing and downloads, also for runners. */
export const catalogueOperations: readonly Operation[] = [
  ...projectOperations,
  ...environmentOperations,
  ...fileOperations,
  ...folderOperations,
  ...tagOperations,
  ...testOperations,
  ...testDataOperations,
  ...testLifeOperations,
  ...bulkOperations,
  ...historyOperations,
  ...healingOperations,
  ...importOperations,
  ...stepOperations,
  ...singleStepOperations,
  ...testSetOperations,
  ...downloadOperations,
  ...catalogueCliOperations,
];
