import type { Memberships } from "../../api/auth/memberships.ts";
import type { Services } from "../../api/services.ts";
import { createLanguageModel } from "../../platform/languageModel.ts";
import { billingHistory } from "../../projections/billing/history.ts";
import { planMarks } from "../../projections/billing/marks.ts";
import { webhookQueries } from "../../projections/billing/webhooks.ts";
import { inspectorQueries } from "../../projections/inspection/index.ts";
import { projectionOperations } from "../../projections/kernel/operations.ts";
import { usageReplay } from "../../projections/usage/replay.ts";
import { connectedAgents } from "../../stores/agents/connectedAgents.ts";
import { dispatchQueue } from "../../stores/runs/dispatchQueue.ts";
import { projections } from "../core/projections.ts";
import { checkHealth } from "../health.ts";
import type { Platform } from "../platform.ts";
import { version } from "../version.ts";
import type { ApiContext } from "./context.ts";

/** The dependencies of the API's operations. */
export const createServices = (context: ApiContext, memberships: Memberships): Services => {
  const { config, platform, core, webhooks, logger } = context;
  const { commands, queries, clock } = core;
  const { db } = platform.database;
  const { log } = platform;
  const readModels = projectionOperations({ db, projections });
  return {
    runnerStatus: createRunnerStatus(db),
    config,
    version,
    clock,
    memberships,
    idempotencyKeys: core.idempotencyKeys,
    bus: platform.bus,
    blobs: platform.blobs,
    health: () => checkHealth(platform),
    identity: { commands: commands.identity },
    audit: { commands: commands.audit, queries: queries.audit, proofs: commands.proofs },
    invites: { commands: commands.invites },
    organizations: { commands: commands.organizations, queries: queries.organizations },
    admin: { listMail: core.outbox.list, queries: queries.admin },
    projections: {
      operations: readModels,
      listBuilds: () => readModels.listBuilds(log),
    },
    inspector: {
      commands: commands.inspection,
      queries: inspectorQueries({
        db,
        log,
        persons: core.persons,
        projections,
      }),
      findPerson: core.persons.find,
      isAdmin: core.isAdmin,
    },
    catalogue: { commands: commands.catalogue, queries: queries.catalogue },
    languageModel: config.languageModel && createLanguageModel(config.languageModel, logger),
    runs: {
      commands: commands.runs,
      queries: { ...queries.runs, ...queries.executions, ...queries.evidence },
    },
    notifications: { commands: commands.notifications, queries: queries.notifications },
    reports: { queries: queries.reports },
    dashboard: { queries: queries.dashboard },
    quarantine: { commands: commands.quarantine, queries: queries.quarantine },
    resultImports: { commands: commands.resultImports, queries: queries.resultImports },
    schedules: { commands: commands.schedules, queries: queries.schedules },
    baselines: { commands: commands.baselines, queries: queries.baselines },
    healings: queries.healings,
    usage: { queries: queries.usage, replay: usageReplay(log) },
    billing: {
      commands: commands.billing,
      queries: queries.billing,
      history: billingHistory(log, planMarks(db)),
      audit: commands.planAudit,
    },
    webhooks: { ...webhooks, queries: webhookQueries(db) },
  };
};

const createRunnerStatus = (db: Platform["database"]["db"]): Services["runnerStatus"] => {
  const queue = dispatchQueue(db);
  const agents = connectedAgents(db);
  return async (organizationId) => ({
    queue: await queue.countOf(organizationId),
    agents: await agents.listOf(organizationId),
  });
};
