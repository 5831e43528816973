import { auditCommands } from "../commands/audit.ts";
import { baselineCommands } from "../commands/baselines.ts";
import { billingCommands } from "../commands/billing.ts";
import { catalogueCommands } from "../commands/catalogue.ts";
import { createApiKeyChecks } from "../commands/identityChecks.ts";
import { inspectionCommands } from "../commands/inspection.ts";
import { inviteCommands } from "../commands/invites.ts";
import { type CommandLoop, createCommandLoop } from "../commands/kernel/commandLoop.ts";
import { notificationCommands } from "../commands/notifications.ts";
import { organizationCommands } from "../commands/organizations.ts";
import type { PaymentSettings } from "../commands/paymentReach.ts";
import { planAuditCommands } from "../commands/planAudit.ts";
import { quarantineCommands } from "../commands/quarantine.ts";
import { type ReportRequest, resultImportCommands } from "../commands/resultImports.ts";
import { retentionCommands } from "../commands/retention.ts";
import { runControlCommands } from "../commands/runControl.ts";
import { type PinTests, refuseImported } from "../commands/runPlans.ts";
import { runCommands } from "../commands/runs.ts";
import { scheduleCommands } from "../commands/schedules.ts";
import { usageCommands } from "../commands/usage.ts";
import type { Clock } from "../platform/clock.ts";
import { createComparer } from "../platform/pictures/comparer.ts";
import { apiKeysState } from "../platform/state/apiKeyHashes.ts";
import { environmentSecrets } from "../platform/state/environmentSecrets.ts";
import { fingerprintsState } from "../platform/state/fingerprints.ts";
import { idempotencyKeys } from "../platform/state/idempotencyKeys.ts";
import { importsState } from "../platform/state/imports.ts";
import { inviteAddressesState } from "../platform/state/inviteAddresses.ts";
import { notificationAddresses } from "../platform/state/notificationAddresses.ts";
import { pendingReports } from "../platform/state/pendingReports.ts";
import { scheduleRecipients } from "../platform/state/scheduleRecipients.ts";
import { scheduleSlots } from "../platform/state/scheduleSlots.ts";
import { createStatements } from "../platform/state/statements.ts";
import { adminQueries } from "../projections/admin.ts";
import { auditProjection, auditQueries } from "../projections/audit.ts";
import { baselineQueries } from "../projections/baselineQueries.ts";
import { baselinesProjection } from "../projections/baselines.ts";
import { billingProjection, billingQueries } from "../projections/billing.ts";
import { billingUse } from "../projections/billingUse.ts";
import { catalogueProjection } from "../projections/catalogue.ts";
import { catalogueQueries } from "../projections/catalogueQueries.ts";
import { dashboardProjection } from "../projections/dashboard.ts";
import { dashboardQueries } from "../projections/dashboardQueries.ts";
import { environmentsProjection } from "../projections/environments.ts";
import { evidenceProjection, evidenceQueries } from "../projections/evidence.ts";
import { executionQueries } from "../projections/executionQueries.ts";
import { executionsProjection } from "../projections/executions.ts";
import { healingQueries, healingsProjection } from "../projections/healings.ts";
import type { Projection } from "../projections/kernel/projection.ts";
import { notificationQueries, notificationsProjection } from "../projections/notifications.ts";
import { organizationQueries } from "../projections/organizationQueries.ts";
import { organizationsProjection } from "../projections/organizations.ts";
import { quarantineProjection, quarantineQueries } from "../projections/quarantine.ts";
import { reportQueries } from "../projections/reportQueries.ts";
import { resultImportQueries, resultImportsProjection } from "../projections/resultImports.ts";
import { retentionQueries } from "../projections/retention.ts";
import { runEventsProjection } from "../projections/runEvents.ts";
import { runQueries } from "../projections/runQueries.ts";
import { runsProjection } from "../projections/runs.ts";
import { scheduleQueries } from "../projections/scheduleQueries.ts";
import { schedulesProjection } from "../projections/schedules.ts";
import { tagsProjection } from "../projections/tags.ts";
import { testSetsProjection } from "../projections/testSets.ts";
import { usageProjection, usageQueries } from "../projections/usage.ts";
import { webhooksProjection } from "../projections/webhooks.ts";
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
