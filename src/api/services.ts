import type { AuditCommands } from "../commands/audit/audit.ts";
import type { ProofCommands } from "../commands/audit/proofs.ts";
import type { BaselineCommands } from "../commands/baselines/baselines.ts";
import type { BillingCommands } from "../commands/billing/index.ts";
import type { PlanAuditCommands } from "../commands/billing/planAudit.ts";
import type { WebhookCommands } from "../commands/billing/webhooks/index.ts";
import type { CatalogueCommands } from "../commands/catalogue/index.ts";
import type { IdentityCommands } from "../commands/identity/index.ts";
import type { InspectionCommands } from "../commands/inspection/inspection.ts";
import type { NotificationCommands } from "../commands/notifications/notifications.ts";
import type { OrganizationCommands } from "../commands/organizations/index.ts";
import type { InviteCommands } from "../commands/organizations/invites.ts";
import type { QuarantineCommands } from "../commands/quarantine/quarantine.ts";
import type { ResultImportCommands } from "../commands/resultImports/resultImports.ts";
import type { RunControlCommands } from "../commands/runs/control.ts";
import type { RunCommands } from "../commands/runs/runs.ts";
import type { ScheduleCommands } from "../commands/schedules/schedules.ts";
import type { BlobStore } from "../platform/blobs/port.ts";
import type { Bus } from "../platform/bus/port.ts";
import type { Clock } from "../platform/clock.ts";
import type { Config } from "../platform/config.ts";
import type { LanguageModel } from "../platform/languageModel.ts";
import type { AuditQueries } from "../projections/audit/audit.ts";
import type { BaselineQueries } from "../projections/baselines/queries.ts";
import type { BillingHistory } from "../projections/billing/history.ts";
import type { BillingQueries } from "../projections/billing/queries.ts";
import type { BillingUse } from "../projections/billing/use.ts";
import type { WebhookQueries } from "../projections/billing/webhooks.ts";
import type { CatalogueQueries } from "../projections/catalogue/queries.ts";
import type { DashboardQueries } from "../projections/dashboard/queries.ts";
import type { HealingQueries } from "../projections/healing/healings.ts";
import type { InspectorQueries } from "../projections/inspection/index.ts";
import type { BuildStatus, ProjectionOperations } from "../projections/kernel/operations.ts";
import type { NotificationQueries } from "../projections/notifications/notifications.ts";
import type { AdminQueries } from "../projections/organizations/admin.ts";
import type { OrganizationQueries } from "../projections/organizations/queries.ts";
import type { QuarantineQueries } from "../projections/quarantine/quarantine.ts";
import type { ReportQueries } from "../projections/reports/queries.ts";
import type { ResultImportQueries } from "../projections/resultImports/resultImports.ts";
import type { EvidenceQueries } from "../projections/runs/evidence.ts";
import type { ExecutionQueries } from "../projections/runs/executions/queries.ts";
import type { RunQueries } from "../projections/runs/queries.ts";
import type { ScheduleQueries } from "../projections/schedules/queries.ts";
import type { UsageReplay } from "../projections/usage/replay.ts";
import type { UsageQueries } from "../projections/usage/usage.ts";
import type { ConnectedAgents } from "../stores/agents/connectedAgents.ts";
import type { PersonsState } from "../stores/identity/persons.ts";
import type { IdempotencyKeys } from "../stores/kernel/idempotencyKeys.ts";
import type { OutboxState } from "../stores/notifications/outbox.ts";
import type { Memberships } from "./auth/memberships.ts";
import type { Health } from "./health.ts";

/** The commands and queries that operations call, by context. Wired in `src/main/api/services.ts`. */
export type Services = {
  readonly config: Config;
  /** The health of every part by name. Never rejects. */
  readonly health: () => Promise<Health>;
  readonly clock: Clock;
  readonly bus: Bus;
  readonly blobs: BlobStore;
  readonly runs: {
    readonly commands: RunCommands & RunControlCommands;
    readonly queries: RunQueries & ExecutionQueries & EvidenceQueries;
  };
  readonly catalogue: {
    readonly commands: CatalogueCommands;
    readonly queries: CatalogueQueries;
  };
  readonly notifications: {
    readonly commands: NotificationCommands;
    readonly queries: NotificationQueries;
  };
  readonly reports: { readonly queries: ReportQueries };
  readonly dashboard: { readonly queries: DashboardQueries };
  readonly quarantine: {
    readonly commands: QuarantineCommands;
    readonly queries: QuarantineQueries;
  };
  readonly resultImports: {
    readonly commands: ResultImportCommands;
    readonly queries: ResultImportQueries;
  };
  readonly schedules: { readonly commands: ScheduleCommands; readonly queries: ScheduleQueries };
  readonly baselines: {
    readonly commands: BaselineCommands;
    readonly queries: BaselineQueries;
  };
  /** The queue and the connected agents of an organisation. */
  readonly runnerStatus: (organizationId: string) => Promise<{
    readonly queue: { readonly waiting: number; readonly running: number };
    readonly agents: Awaited<ReturnType<ConnectedAgents["listOf"]>>;
  }>;
  readonly healings: HealingQueries;
  /** Proposes steps for lines that the grammar rejects; null unless configured. */
  readonly languageModel: LanguageModel | null;
  readonly usage: { readonly queries: UsageQueries; readonly replay: UsageReplay };
  readonly billing: {
    readonly commands: BillingCommands;
    readonly queries: BillingQueries & BillingUse;
    readonly history: BillingHistory;
    readonly audit: PlanAuditCommands;
  };
  readonly webhooks: Pick<WebhookCommands, "isActive" | "receive" | "retry"> & {
    readonly queries: WebhookQueries;
  };
  /** The version in package.json. */
  readonly version: string;
  readonly identity: { readonly commands: IdentityCommands };
  readonly admin: { readonly listMail: OutboxState["list"]; readonly queries: AdminQueries };
  /** Operators' commands on read models. */
  readonly projections: {
    readonly operations: ProjectionOperations;
    readonly listBuilds: () => Promise<readonly BuildStatus[]>;
  };
  /** Operators' views of the log. */
  readonly inspector: {
    readonly commands: InspectionCommands;
    readonly queries: InspectorQueries;
    readonly findPerson: PersonsState["find"];
    /** Whether a user is a service administrator now. */
    readonly isAdmin: (userId: string) => Promise<boolean>;
  };
  readonly audit: {
    readonly commands: AuditCommands;
    readonly queries: AuditQueries;
    readonly proofs: ProofCommands;
  };
  readonly invites: { readonly commands: InviteCommands };
  readonly organizations: {
    readonly commands: OrganizationCommands;
    readonly queries: OrganizationQueries;
  };
  readonly idempotencyKeys: IdempotencyKeys;
  /** Memberships, current even for a new sign-up. */
  readonly memberships: Memberships;
};
