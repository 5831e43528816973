import { billingRequests } from "./billing.ts";
import { identityRequests } from "./identity.ts";
import { notificationsRequests } from "./notifications.ts";
import { operatorsRequests } from "./operators.ts";
import { organizationsRequests } from "./organizations.ts";
import { projectsRequests } from "./projects.ts";
import type { Recipe } from "./recipe.ts";
import { runsRequests } from "./runs.ts";
import { schedulesRequests } from "./schedules.ts";
import { testsRequests } from "./tests.ts";
import { visualsRequests } from "./visuals.ts";

/** How to call each operation, by its id. A test fails if one is missing here. */
export const requests: Readonly<Record<string, Recipe>> = {
  ...operatorsRequests,
  ...billingRequests,
  ...identityRequests,
  ...organizationsRequests,
  ...projectsRequests,
  ...testsRequests,
  ...runsRequests,
  ...schedulesRequests,
  ...notificationsRequests,
  ...visualsRequests,
};
