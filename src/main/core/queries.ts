import type { Database } from "../../platform/database/database.ts";
import { auditQueries } from "../../projections/audit/audit.ts";
import { baselineQueries } from "../../projections/baselines/queries.ts";
import { billingQueries } from "../../projections/billing/queries.ts";
import { billingUse } from "../../projections/billing/use.ts";
import { catalogueQueries } from "../../projections/catalogue/queries.ts";
import { dashboardQueries } from "../../projections/dashboard/queries.ts";
import { healingQueries } from "../../projections/healing/healings.ts";
import { notificationQueries } from "../../projections/notifications/notifications.ts";
import { adminQueries } from "../../projections/organizations/admin.ts";
import { organizationQueries } from "../../projections/organizations/queries.ts";
import { quarantineQueries } from "../../projections/quarantine/quarantine.ts";
import { reportQueries } from "../../projections/reports/queries.ts";
import { resultImportQueries } from "../../projections/resultImports/resultImports.ts";
import { retentionQueries } from "../../projections/retention/retention.ts";
import { evidenceQueries } from "../../projections/runs/evidence.ts";
import { executionQueries } from "../../projections/runs/executions/queries.ts";
import { runQueries } from "../../projections/runs/queries.ts";
import { scheduleQueries } from "../../projections/schedules/queries.ts";
import { usageQueries } from "../../projections/usage/usage.ts";

export type Queries = ReturnType<typeof createQueries>;

/** The queries of every context, over the read models. */
export const createQueries = (db: Database["db"]) => {
  const catalogue = catalogueQueries(db);
  return {
    catalogue,
    organizations: organizationQueries(db),
    audit: auditQueries(db),
    admin: adminQueries(db),
    runs: runQueries(db),
    evidence: evidenceQueries(db),
    executions: executionQueries(db, {
      stepsOfVersion: async (testId, version, calls) =>
        (await catalogue.stepsOfVersion(testId, version, calls)) ?? [],
    }),
    baselines: baselineQueries(db),
    healings: healingQueries(db),
    usage: usageQueries(db),
    reports: reportQueries(db),
    quarantine: quarantineQueries(db),
    dashboard: dashboardQueries(db),
    resultImports: resultImportQueries(db),
    retention: retentionQueries(db),
    schedules: scheduleQueries(db),
    notifications: notificationQueries(db),
    billing: { ...billingQueries(db), ...billingUse(db) },
  };
};
