import { auditCommands } from "../../commands/audit/audit.ts";
import { proofCommands } from "../../commands/audit/proofs.ts";
import { baselineCommands } from "../../commands/baselines/baselines.ts";
import type { billingCommands } from "../../commands/billing/index.ts";
import { planAuditCommands } from "../../commands/billing/planAudit.ts";
import { catalogueCommands } from "../../commands/catalogue/index.ts";
import { checkPlace } from "../../commands/catalogue/places.ts";
import { inspectionCommands } from "../../commands/inspection/inspection.ts";
import type { CommandLoop } from "../../commands/kernel/commandLoop.ts";
import { notificationCommands } from "../../commands/notifications/notifications.ts";
import type { organizationCommands } from "../../commands/organizations/index.ts";
import { inviteCommands } from "../../commands/organizations/invites.ts";
import { quarantineCommands } from "../../commands/quarantine/quarantine.ts";
import { resultImportCommands } from "../../commands/resultImports/resultImports.ts";
import { retentionCommands } from "../../commands/retention/retention.ts";
import { runControlCommands } from "../../commands/runs/control.ts";
import { runCommands } from "../../commands/runs/runs.ts";
import { scheduleCommands } from "../../commands/schedules/schedules.ts";
import { usageCommands } from "../../commands/usage/index.ts";
import type { Clock } from "../../platform/clock.ts";
import type { createComparer } from "../../platform/pictures/comparer.ts";
import { checkpointSigner } from "../../stores/audit/signer.ts";
import { tileStore } from "../../stores/audit/tiles.ts";
import { auditTree } from "../../stores/audit/tree.ts";
import { createStatements } from "../../stores/billing/statements.ts";
import { importsState } from "../../stores/catalogue/imports.ts";
import { eventIndex } from "../../stores/inspection/eventIndex.ts";
import type { Platform } from "../platform.ts";
import type { createIdentity } from "./identity.ts";
import type { Queries } from "./queries.ts";
import { scheduleSelectionCheck } from "./scheduleSelection.ts";
import type { Stores } from "./stores.ts";
import { createTestPinning } from "./testPinning.ts";

/** The dependencies shared by the commands of all contexts. */
type CommandDeps = {
  readonly platform: Pick<Platform, "log" | "raw" | "blobs" | "database" | "masterKey">;
  readonly loop: CommandLoop;
  readonly clock: Clock;
  readonly stores: Stores;
  readonly queries: Queries;
  readonly comparer: ReturnType<typeof createComparer>;
  readonly identity: Awaited<ReturnType<typeof createIdentity>>;
  readonly organizations: ReturnType<typeof organizationCommands>;
  readonly billing: ReturnType<typeof billingCommands>;
  readonly webBase: () => string;
};

/** The commands of every context. */
export const createCommands = (deps: CommandDeps) => {
  const { loop, clock, stores, queries, comparer, identity, webBase } = deps;
  const { log, blobs, database } = deps.platform;
  const { outbox } = identity;
  const usage = usageCommands({ loop, clock });
  const runs = createRunCommands(deps, usage);
  return {
    audit: auditCommands({ loop, clock }),
    proofs: createProofCommands(deps),
    baselines: baselineCommands({ loop, log, blobs, comparer }),
    billing: deps.billing,
    catalogue: catalogueCommands({
      loop,
      clock,
      findTests: queries.catalogue.pinTests,
      findCallable: queries.catalogue.findCallable,
      secrets: stores.environmentSecrets,
      blobs,
      imports: importsState(database.db),
    }),
    identity: identity.commands,
    inspection: inspectionCommands({ loop }),
    invites: inviteCommands({
      loop,
      clock,
      addresses: stores.inviteAddresses,
      persons: identity.persons,
      outbox,
      webBase,
    }),
    organizations: deps.organizations,
    planAudit: planAuditCommands({
      log,
      loop,
      statements: createStatements({ ring: identity.keyRing }),
      clock,
    }),
    quarantine: quarantineCommands({
      loop,
      clock,
      findImportedTest: queries.resultImports.findImportedTest,
    }),
    resultImports: resultImportCommands({
      loop,
      clock,
      quarantinedUntil: queries.quarantine.quarantinedUntil,
      pending: stores.pendingReports,
    }),
    retention: retentionCommands({ loop, log, blobs, clock }),
    runs,
    ...createScheduleCommands(deps, runs.queueRuns),
    usage,
  };
};

const createProofCommands = ({ platform, loop, clock }: CommandDeps) => {
  const { raw, blobs, database, masterKey } = platform;
  return proofCommands({
    ...{ raw, loop, clock },
    tree: auditTree(database.db),
    tiles: tileStore(blobs),
    signer: checkpointSigner(masterKey),
    index: eventIndex(database.db),
  });
};

const createRunCommands = (
  { platform, loop, clock, queries }: CommandDeps,
  usage: ReturnType<typeof usageCommands>,
) => {
  const pinTests = createTestPinning(queries, clock);
  const queueing = runCommands({
    ...{ loop, clock, usage, pinTests },
    findCallable: queries.catalogue.findCallable,
    findSources: queries.catalogue.findSources,
    checkProject: (organizationId, projectId) =>
      checkPlace(loop, organizationId, { projectId, folderId: null }),
    environments: queries.catalogue,
  });
  const { queueRuns } = queueing;
  const control = runControlCommands({ loop, log: platform.log, pinTests, queueRuns });
  return { ...queueing, ...control };
};

const createScheduleCommands = (
  { loop, clock, stores, queries, identity, webBase }: CommandDeps,
  queueRuns: ReturnType<typeof createRunCommands>["queueRuns"],
) => {
  const recipients = stores.scheduleRecipients;
  return {
    notifications: notificationCommands({
      loop,
      clock,
      addresses: stores.notificationAddresses,
      recipients,
      outbox: identity.outbox,
      webBase,
    }),
    schedules: scheduleCommands({
      loop,
      clock,
      slots: stores.scheduleSlots,
      recipients,
      checkSelection: scheduleSelectionCheck(queries.catalogue),
      queueRuns,
    }),
  };
};
