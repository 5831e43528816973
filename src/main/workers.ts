import type { WebhookCommands } from "../commands/billing/webhooks.ts";
import { limitOf } from "../domain/billing/entitlements.ts";
import type { Config } from "../platform/config.ts";
import { newId } from "../platform/ids.ts";
import type { Logger } from "../platform/logger.ts";
import { folderMailer } from "../platform/mail/folder.ts";
import { smtpMailer } from "../platform/mail/smtp.ts";
import type { Positions } from "../projections/kernel/positions.ts";
import { startBaselineProposer } from "../workers/baselines/proposer.ts";
import { startSubscriptionKeeper } from "../workers/billing/subscriptionKeeper.ts";
import { startTimekeeper } from "../workers/billing/timekeeper.ts";
import { startWebhookRetrier } from "../workers/billing/webhookRetrier.ts";
import { startImporter } from "../workers/catalogue/importer.ts";
import { createBrowsers, publicAnd } from "../workers/executor/index.ts";
import { startIdentityKeeper } from "../workers/identity/keeper.ts";
import { startMailSender } from "../workers/identity/mailSender.ts";
import { startRefusedSignInsRecorder } from "../workers/identity/refusedSignIns.ts";
import { startEventIndexer } from "../workers/inspection/indexer.ts";
import { startIdempotencySweeper } from "../workers/kernel/idempotencySweeper.ts";
import { startNotifier } from "../workers/notifications/notifier.ts";
import { startRecorder } from "../workers/notifications/recorder.ts";
import { startOrganizationDeleter } from "../workers/organizations/deleter.ts";
import { startReportFinisher } from "../workers/resultImports/finisher.ts";
import { startEvidenceDeleter } from "../workers/retention/evidenceDeleter.ts";
import { startDispatcher } from "../workers/runs/dispatcher.ts";
import { runInBrowsers } from "../workers/runs/executorAdapter.ts";
import { startPublisher } from "../workers/runs/publisher.ts";
import { startQueueWorker } from "../workers/runs/queueWorker.ts";
import { startWatchdog } from "../workers/runs/watchdog.ts";
import { startScheduler } from "../workers/schedules/scheduler.ts";
import type { Core } from "./core.ts";
import type { Platform, Stops } from "./platform.ts";
import type { Telemetry } from "./telemetry/index.ts";
import { testParts } from "./testParts.ts";

/** Starts what reacts to the log and acts on the world, as far as this process has the role for it. */
export const startWorkers = (
  config: Config,
  platform: Platform,
  core: Core,
  webhooks: WebhookCommands,
  positions: Positions,
  logger: Logger,
  stops: Stops,
  { traced, observeTests }: Pick<Telemetry, "traced" | "observeTests">,
): void => {
  const { log, bus, blobs } = platform;
  const { db } = platform.database;
  const { clock, loop, queries } = core;
  const holder = newId();
  const common = { log, db, bus, logger, holder, traced };

  if (config.roles.includes("dispatcher")) {
    const parallelismOf = async (organizationId: string) =>
      limitOf((await queries.billing.planOf(organizationId)).plan, "parallel_executions").limit;
    const dispatcher = startDispatcher({
      ...common,
      commands: loop,
      usage: core.commands.usage,
      parallelismOf,
    });
    stops.add("dispatcher", dispatcher.stop);
    const alone = config.databaseUrl === null;
    const watchdog = startWatchdog({ ...common, usage: core.commands.usage, clock, alone });
    stops.add("watchdog", watchdog.stop);
    const { baselines, retention } = core.commands;
    const evidenceDeleter = startEvidenceDeleter({
      ...common,
      retention,
      queries: queries.retention,
      daysOf: async (organizationId) =>
        limitOf((await queries.billing.planOf(organizationId)).plan, "retention_days").limit,
      clock,
    });
    stops.add("evidence deleter", evidenceDeleter.stop);
    stops.add("baseline proposer", startBaselineProposer({ ...common, baselines }).stop);
    const deleter = startOrganizationDeleter({
      ...common,
      commands: core.commands.organizations,
      invites: core.commands.invites,
      schedules: core.commands.schedules,
      notifications: core.commands.notifications,
      secrets: core.environmentSecrets,
      billing: core.commands.billing,
      queries: queries.organizations,
      clock,
    });
    stops.add("organization deleter", deleter.stop);
    const timekeeper = startTimekeeper({
      ...common,
      billing: core.commands.billing,
      queries: queries.billing,
      clock,
    });
    stops.add("timekeeper", timekeeper.stop);
    const subscriptions = startSubscriptionKeeper({ ...common, billing: core.commands.billing });
    stops.add("subscription keeper", subscriptions.stop);
    stops.add("webhook retrier", startWebhookRetrier({ webhooks, logger }).stop);
  }
  if (config.roles.includes("scheduler")) {
    const scheduler = startScheduler({
      ...common,
      loop,
      clock,
      slots: core.scheduleSlots,
      queries: queries.schedules,
      runs: core.commands.runs,
      cancelRun: core.commands.runs.cancelRun,
    });
    stops.add("scheduler", scheduler.stop);
  }
  if (config.roles.includes("notifier")) {
    const notifier = startNotifier({
      ...common,
      loop,
      clock,
      positions,
      runs: queries.runs,
      executions: queries.executions,
      notifications: queries.notifications,
      addresses: core.notificationAddresses,
      recipients: core.scheduleRecipients,
      commands: core.commands.notifications,
      outbox: core.outbox,
      webBase: core.webBase,
      apiBase: core.apiBase,
    });
    stops.add("notifier", notifier.stop);
    stops.add("notification recorder", startRecorder({ ...common, loop }).stop);
  }
  if (config.roles.includes("api")) {
    const { identity } = core.commands;
    stops.add("sign-in recorder", startRefusedSignInsRecorder({ identity, logger }).stop);
    const { keyRing, outbox } = core;
    stops.add("identity keeper", startIdentityKeeper({ identity, keyRing, clock, logger }).stop);
    const from = config.mailFrom;
    const mailer =
      config.smtpUrl === null
        ? folderMailer({ folder: config.mailFolder, from, pictureOf: blobs.get, logger })
        : smtpMailer({ url: config.smtpUrl, from, pictureOf: blobs.get });
    stops.add("mailer", mailer.close);
    const jobs = core.commands.catalogue;
    stops.add("importer", startImporter({ db, holder, jobs, positions, logger }).stop);
    const finisher = startReportFinisher({
      db,
      holder,
      commands: core.commands.resultImports,
      logger,
    });
    stops.add("report finisher", finisher.stop);
    stops.add("mail sender", startMailSender({ db, holder, outbox, mailer, clock, logger }).stop);
    const keys = core.idempotencyKeys;
    stops.add("idempotency sweeper", startIdempotencySweeper({ keys, logger }).stop);
  }
  if (config.roles.includes("projections")) {
    const publisher = startPublisher({ ...common, positions });
    stops.add("publisher", publisher.stop);
    stops.add("event indexer", startEventIndexer(common).stop);
  }
  if (config.roles.includes("executor")) {
    const network = config.executionNetwork === "open" ? "open" : publicAnd(config.executionAllow);
    const browsers = createBrowsers({
      paths: config.browserPaths,
      network,
      onLog: (message) => logger.info({ part: "browser" }, message),
    });
    stops.add("browsers", browsers.close);
    const worker = startQueueWorker({
      ...common,
      blobs,
      clock,
      capacity: config.executorConcurrency,
      runTest: observeTests(runInBrowsers(browsers, network)),
      ...testParts(core, platform, logger),
    });
    stops.add("executor", worker.stop);
  }
};
