import { auditCommands } from "../commands/audit/audit.ts";
import { baselineCommands } from "../commands/baselines/baselines.ts";
import { billingCommands } from "../commands/billing/billing.ts";
import type { PaymentSettings } from "../commands/billing/paymentReach.ts";
import { planAuditCommands } from "../commands/billing/planAudit.ts";
import { catalogueCommands } from "../commands/catalogue/index.ts";
import { createApiKeyChecks } from "../commands/identity/checks.ts";
import { inspectionCommands } from "../commands/inspection/inspection.ts";
import { type CommandLoop, createCommandLoop } from "../commands/kernel/commandLoop.ts";
import { notificationCommands } from "../commands/notifications/notifications.ts";
import { inviteCommands } from "../commands/organizations/invites.ts";
import { organizationCommands } from "../commands/organizations/organizations.ts";
import { quarantineCommands } from "../commands/quarantine/quarantine.ts";
import {
  type ReportRequest,
  resultImportCommands,
} from "../commands/resultImports/resultImports.ts";
import { retentionCommands } from "../commands/retention/retention.ts";
import { runControlCommands } from "../commands/runs/control.ts";
import { type PinTests, refuseImported } from "../commands/runs/plans.ts";
import { runCommands } from "../commands/runs/runs.ts";
import { scheduleCommands } from "../commands/schedules/schedules.ts";
import { usageCommands } from "../commands/usage/usage.ts";
import type { Clock } from "../platform/clock.ts";
import { createComparer } from "../platform/pictures/comparer.ts";
import { auditProjection, auditQueries } from "../projections/audit/audit.ts";
import { baselinesProjection } from "../projections/baselines/baselines.ts";
import { baselineQueries } from "../projections/baselines/queries.ts";
import { billingProjection, billingQueries } from "../projections/billing/billing.ts";
import { billingUse } from "../projections/billing/use.ts";
import { webhooksProjection } from "../projections/billing/webhooks.ts";
import { catalogueProjection } from "../projections/catalogue/catalogue.ts";
import { environmentsProjection } from "../projections/catalogue/environments.ts";
import { catalogueQueries } from "../projections/catalogue/queries.ts";
import { tagsProjection } from "../projections/catalogue/tags.ts";
import { testSetsProjection } from "../projections/catalogue/testSets.ts";
import { dashboardProjection } from "../projections/dashboard/dashboard.ts";
import { dashboardQueries } from "../projections/dashboard/queries.ts";
import { healingQueries, healingsProjection } from "../projections/healing/healings.ts";
import type { Projection } from "../projections/kernel/projection.ts";
import {
  notificationQueries,
  notificationsProjection,
} from "../projections/notifications/notifications.ts";
import { adminQueries } from "../projections/organizations/admin.ts";
import { organizationsProjection } from "../projections/organizations/organizations.ts";
import { organizationQueries } from "../projections/organizations/queries.ts";
import { quarantineProjection, quarantineQueries } from "../projections/quarantine/quarantine.ts";
import { reportQueries } from "../projections/reports/queries.ts";
import {
  resultImportQueries,
  resultImportsProjection,
} from "../projections/resultImports/resultImports.ts";
import { retentionQueries } from "../projections/retention/retention.ts";
import { evidenceProjection, evidenceQueries } from "../projections/runs/evidence.ts";
import { executionQueries } from "../projections/runs/executionQueries.ts";
import { executionsProjection } from "../projections/runs/executions.ts";
import { runQueries } from "../projections/runs/queries.ts";
import { runEventsProjection } from "../projections/runs/runEvents.ts";
import { runsProjection } from "../projections/runs/runs.ts";
import { scheduleQueries } from "../projections/schedules/queries.ts";
import { schedulesProjection } from "../projections/schedules/schedules.ts";
import { usageProjection, usageQueries } from "../projections/usage/usage.ts";
import { createStatements } from "../stores/billing/statements.ts";
import { environmentSecrets } from "../stores/catalogue/environmentSecrets.ts";
import { importsState } from "../stores/catalogue/imports.ts";
import { fingerprintsState } from "../stores/healing/fingerprints.ts";
import { idempotencyKeys } from "../stores/kernel/idempotencyKeys.ts";
import { notificationAddresses } from "../stores/notifications/notificationAddresses.ts";
import { apiKeysState } from "../stores/organizations/apiKeyHashes.ts";
import { inviteAddressesState } from "../stores/organizations/inviteAddresses.ts";
import { pendingReports } from "../stores/resultImports/pendingReports.ts";
import { scheduleRecipients } from "../stores/schedules/recipients.ts";
import { scheduleSlots } from "../stores/schedules/slots.ts";
import { createIdentity, type IdentitySettings } from "./identity.ts";
import type { Platform } from "./platform.ts";
import { checkScheduled } from "./schedules.ts";

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

export type Core = Awaited<ReturnType<typeof createCore>>;

/** The commands and queries of every context, over the platform. */
export const createCore = async (
  platform: Platform,
  clock: Clock,
  identitySettings: IdentitySettings,
  payment: PaymentSettings,
  /** Has the commands counted and traced. */
  observe: (loop: CommandLoop) => CommandLoop = (loop) => loop,
) => {
  const { log, masterKey } = platform;
  const { db } = platform.database;
  const loop = observe(createCommandLoop({ log, clock }));

  const catalogue = catalogueQueries(db);
  const queries = {
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

  const apiKeys = apiKeysState(db);
  const keyChecks = createApiKeyChecks({ apiKeys, clock });

  const usage = usageCommands({ loop, clock });
  const billing = billingCommands({ loop, clock, payment });
  const organizations = organizationCommands({ loop, clock, apiKeys, keyChecks });
  const identity = await createIdentity(platform, identitySettings, {
    loop,
    clock,
    createOrganization: organizations.createOrganization,
    startPlan: billing.startPlan,
  });
  const inviteAddresses = inviteAddressesState({ db, masterKey });
  const invites = inviteCommands({
    loop,
    clock,
    addresses: inviteAddresses,
    persons: identity.persons,
    outbox: identity.outbox,
    webBase: identitySettings.webBase,
  });
  const secrets = environmentSecrets({ db, masterKey });
  const catalogueWrites = catalogueCommands({
    loop,
    clock,
    findTests: catalogue.pinTests,
    findCallable: catalogue.findCallable,
    secrets,
    blobs: platform.blobs,
    imports: importsState(db),
  });
  /** A run pins its tests, and with each the baselines that it has now, and whether it is in quarantine. */
  const pinTests: PinTests = async (organizationId, selection) => {
    const tests = await catalogue.pinTests(organizationId, selection);
    const ids = tests.map(({ testId }) => testId);
    const versions = await queries.baselines.baselineVersions(ids);
    const now = clock().toISOString();
    const quarantined = await queries.quarantine.quarantinedUntil(ids, now);
    if ("testIds" in selection && tests.length < selection.testIds.length) {
      const missing = selection.testIds.filter((testId) => !ids.includes(testId));
      refuseImported(await queries.resultImports.importedAmong(organizationId, missing));
    }
    return tests.map((test) => {
      const until = quarantined.get(test.testId);
      return {
        ...test,
        baselineVersion: versions.get(test.testId) ?? 0,
        ...(until === undefined ? {} : { quarantinedUntil: until }),
      };
    });
  };
  const queueing = runCommands({
    ...{ loop, clock, usage, pinTests },
    findCallable: catalogue.findCallable,
    environments: catalogue,
  });
  const { queueRuns } = queueing;
  const control = runControlCommands({ loop, log, pinTests, queueRuns });
  const comparer = createComparer();
  const baselines = baselineCommands({ loop, log, blobs: platform.blobs, comparer });
  const runs = { ...queueing, ...control };

  const slots = scheduleSlots(db);
  const recipients = scheduleRecipients({ db, masterKey });
  const addresses = notificationAddresses({ db, masterKey });
  const notifications = notificationCommands({
    loop,
    clock,
    addresses,
    recipients,
    outbox: identity.outbox,
    webBase: identitySettings.webBase,
  });
  const schedules = scheduleCommands({
    loop,
    clock,
    slots,
    recipients,
    checkSelection: checkScheduled(catalogue),
    queueRuns: runs.queueRuns,
  });

  const quarantine = quarantineCommands({
    loop,
    clock,
    findImportedTest: queries.resultImports.findImportedTest,
  });
  const { quarantinedUntil } = queries.quarantine;
  const pending = pendingReports<ReportRequest>(db);
  const resultImports = resultImportCommands({ loop, clock, quarantinedUntil, pending });

  const planAudit = planAuditCommands({
    log,
    loop,
    statements: createStatements({ ring: identity.keyRing }),
    clock,
  });

  return {
    clock,
    loop,
    queries,
    commands: {
      audit: auditCommands({ loop, clock }),
      baselines,
      billing,
      catalogue: catalogueWrites,
      identity: identity.commands,
      inspection: inspectionCommands({ loop }),
      invites,
      organizations,
      planAudit,
      quarantine,
      resultImports,
      retention: retentionCommands({ loop, log, blobs: platform.blobs, clock }),
      runs,
      notifications,
      schedules,
      usage,
    },
    accessTokens: identity.accessTokens,
    sessions: identity.sessions,
    outbox: identity.outbox,
    accounts: identity.accounts,
    keyRing: identity.keyRing,
    keyChecks,
    isAdmin: identity.isAdmin,
    inviteAddresses,
    environmentSecrets: secrets,
    scheduleSlots: slots,
    scheduleRecipients: recipients,
    notificationAddresses: addresses,
    webBase: identitySettings.webBase,
    apiBase: identitySettings.apiBase,
    idempotencyKeys: idempotencyKeys({ db, masterKey }),
    refreshTokens: identity.refreshTokens,
    persons: identity.persons,
    comparer,
    fingerprints: fingerprintsState(db),
  };
};
