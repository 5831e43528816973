import { limitOf } from "../../domain/billing/entitlements.ts";
import { startBaselineProposer } from "../../workers/baselines/proposer.ts";
import { startSubscriptionKeeper } from "../../workers/billing/subscriptionKeeper.ts";
import { startTimekeeper } from "../../workers/billing/timekeeper.ts";
import { startWebhookRetrier } from "../../workers/billing/webhookRetrier.ts";
import { startOrganizationDeleter } from "../../workers/organizations/deleter.ts";
import { startEvidenceDeleter } from "../../workers/retention/evidenceDeleter.ts";
import { startDispatcher } from "../../workers/runs/dispatcher.ts";
import { startWatchdog } from "../../workers/runs/watchdog.ts";
import { commonDeps, type WorkerContext } from "./context.ts";

/** Starts the workers of the role `dispatcher`. */
export const startDispatcherWorkers = (context: WorkerContext): void => {
  startRunWorkers(context);
  startRetentionWorkers(context);
  startBillingWorkers(context);
};

const startRunWorkers = (context: WorkerContext): void => {
  const { config, core, stops } = context;
  const { clock, loop, queries } = core;
  const { usage, baselines } = core.commands;
  const common = commonDeps(context);
  const parallelismOf = async (organizationId: string) =>
    limitOf((await queries.billing.planOf(organizationId)).plan, "parallel_executions").limit;
  const dispatcher = startDispatcher({ ...common, commands: loop, usage, parallelismOf });
  stops.add("dispatcher", dispatcher.stop);
  const alone = config.databaseUrl === null;
  stops.add("watchdog", startWatchdog({ ...common, usage, clock, alone }).stop);
  stops.add("baseline proposer", startBaselineProposer({ ...common, baselines }).stop);
};

const startRetentionWorkers = (context: WorkerContext): void => {
  const { core, stops } = context;
  const { clock, commands, queries } = core;
  const common = commonDeps(context);
  const evidenceDeleter = startEvidenceDeleter({
    ...common,
    retention: commands.retention,
    queries: queries.retention,
    daysOf: async (organizationId) =>
      limitOf((await queries.billing.planOf(organizationId)).plan, "retention_days").limit,
    clock,
  });
  stops.add("evidence deleter", evidenceDeleter.stop);
  const deleter = startOrganizationDeleter({
    ...common,
    commands: commands.organizations,
    invites: commands.invites,
    schedules: commands.schedules,
    notifications: commands.notifications,
    secrets: core.environmentSecrets,
    billing: commands.billing,
    queries: queries.organizations,
    clock,
  });
  stops.add("organization deleter", deleter.stop);
};

const startBillingWorkers = (context: WorkerContext): void => {
  const { core, webhooks, logger, stops } = context;
  const { billing } = core.commands;
  const common = commonDeps(context);
  const timekeeper = startTimekeeper({
    ...common,
    billing,
    queries: core.queries.billing,
    clock: core.clock,
  });
  stops.add("timekeeper", timekeeper.stop);
  stops.add("subscription keeper", startSubscriptionKeeper({ ...common, billing }).stop);
  stops.add("webhook retrier", startWebhookRetrier({ webhooks, logger }).stop);
};
