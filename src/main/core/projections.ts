import { auditProjection } from "../../projections/audit/audit.ts";
import { baselinesProjection } from "../../projections/baselines/baselines.ts";
import { billingProjection } from "../../projections/billing/projection.ts";
import { webhooksProjection } from "../../projections/billing/webhooks.ts";
import { catalogueProjection } from "../../projections/catalogue/catalogue.ts";
import { environmentsProjection } from "../../projections/catalogue/environments.ts";
import { tagsProjection } from "../../projections/catalogue/tags.ts";
import { testSetsProjection } from "../../projections/catalogue/testSets.ts";
import { dashboardProjection } from "../../projections/dashboard/dashboard.ts";
import { healingsProjection } from "../../projections/healing/healings.ts";
import type { Projection } from "../../projections/kernel/projection.ts";
import { notificationsProjection } from "../../projections/notifications/notifications.ts";
import { organizationsProjection } from "../../projections/organizations/projection.ts";
import { quarantineProjection } from "../../projections/quarantine/quarantine.ts";
import { resultImportsProjection } from "../../projections/resultImports/resultImports.ts";
import { evidenceProjection } from "../../projections/runs/evidence.ts";
import { executionsProjection } from "../../projections/runs/executions/projection.ts";
import { runsProjection } from "../../projections/runs/runs.ts";
import { runEventsProjection } from "../../projections/runs/watchedEvents.ts";
import { schedulesProjection } from "../../projections/schedules/schedules.ts";
import { usageProjection } from "../../projections/usage/usage.ts";

/** Every read model of the service. */
export const projections: readonly Projection[] = [
  organizationsProjection,
  auditProjection,
  catalogueProjection,
  environmentsProjection,
  tagsProjection,
  testSetsProjection,
  runsProjection,
  executionsProjection,
  evidenceProjection,
  runEventsProjection,
  usageProjection,
  billingProjection,
  webhooksProjection,
  schedulesProjection,
  notificationsProjection,
  baselinesProjection,
  healingsProjection,
  quarantineProjection,
  resultImportsProjection,
  dashboardProjection,
];
