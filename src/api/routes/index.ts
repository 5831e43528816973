import type { Operation } from "../operation.ts";
import { auditOperations } from "./audit/audit.ts";
import { treeOperations } from "./audit/tree.ts";
import { baselineOperations } from "./baselines/baselines.ts";
import { reviewOperations } from "./baselines/reviews.ts";
import { billingAdminOperations } from "./billing/admin.ts";
import { billingOperations } from "./billing/billing.ts";
import { planExplainOperations } from "./billing/explain.ts";
import { planHistoryOperations } from "./billing/history.ts";
import { planOperations } from "./billing/plan.ts";
import { planChangeOperations } from "./billing/planChange.ts";
import { webhookOperations } from "./billing/webhooks.ts";
import { catalogueOperations } from "./catalogue/index.ts";
import { dashboardOperations } from "./dashboard/dashboard.ts";
import { oauthOperations } from "./identity/oauth.ts";
import { passwordOperations } from "./identity/passwords.ts";
import { personOperations } from "./identity/person.ts";
import { sessionOperations } from "./identity/sessions.ts";
import { settingsOperations } from "./identity/settings.ts";
import { signInOperations } from "./identity/signIn.ts";
import { verificationOperations } from "./identity/verification.ts";
import { whoAmIOperations } from "./identity/whoAmI.ts";
import { inspectorOperations } from "./inspection/inspector.ts";
import { healthOperations } from "./kernel/health.ts";
import { projectionOperations } from "./kernel/projections.ts";
import { contactOperations } from "./notifications/contacts.ts";
import { notificationOperations } from "./notifications/notifications.ts";
import { adminOperations } from "./organizations/admin.ts";
import { apiKeyOperations } from "./organizations/apiKeys.ts";
import { inviteOperations } from "./organizations/invites.ts";
import { memberOperations } from "./organizations/members.ts";
import { organizationOperations } from "./organizations/organization.ts";
import { quarantineOperations } from "./quarantine/quarantine.ts";
import { reportOperations } from "./reports/reports.ts";
import { resultImportOperations } from "./resultImports/resultImports.ts";
import { artifactOperations } from "./runs/artifacts.ts";
import { controlOperations } from "./runs/control.ts";
import { dispatchOperations } from "./runs/dispatch.ts";
import { executionOperations } from "./runs/executions.ts";
import { junitOperations } from "./runs/junit.ts";
import { runOperations } from "./runs/runs.ts";
import { runnerStatusOperations } from "./runs/status.ts";
import { scheduleOperations } from "./schedules/schedules.ts";
import { usageOperations } from "./usage/usage.ts";

/** All operations of the service, for the router, OpenAPI and the tests. */
export const operations: readonly Operation[] = [
  ...healthOperations,
  ...catalogueOperations,
  ...dispatchOperations,
  ...controlOperations,
  ...artifactOperations,
  ...runOperations,
  ...executionOperations,
  ...baselineOperations,
  ...reviewOperations,
  ...junitOperations,
  ...runnerStatusOperations,
  ...reportOperations,
  ...dashboardOperations,
  ...quarantineOperations,
  ...resultImportOperations,
  ...scheduleOperations,
  ...contactOperations,
  ...notificationOperations,
  ...usageOperations,
  ...billingOperations,
  ...planOperations,
  ...planHistoryOperations,
  ...planExplainOperations,
  ...planChangeOperations,
  ...webhookOperations,
  ...billingAdminOperations,
  ...signInOperations,
  ...oauthOperations,
  ...passwordOperations,
  ...sessionOperations,
  ...settingsOperations,
  ...personOperations,
  ...verificationOperations,
  ...whoAmIOperations,
  ...organizationOperations,
  ...memberOperations,
  ...auditOperations,
  ...treeOperations,
  ...inviteOperations,
  ...apiKeyOperations,
  ...adminOperations,
  ...inspectorOperations,
  ...projectionOperations,
];
