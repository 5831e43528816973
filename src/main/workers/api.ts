import { folderMailer } from "../../platform/mail/fileMailer.ts";
import { smtpMailer } from "../../platform/mail/smtpMailer.ts";
import { startImporter } from "../../workers/catalogue/importer.ts";
import { startIdentityCleanup } from "../../workers/identity/cleanup.ts";
import { startMailSender } from "../../workers/identity/mailSender.ts";
import { startRefusedSignInsRecorder } from "../../workers/identity/refusedSignIns.ts";
import { startIdempotencySweeper } from "../../workers/kernel/idempotencySweeper.ts";
import { startReportFinisher } from "../../workers/resultImports/finisher.ts";
import type { WorkerContext } from "./context.ts";

/** Starts the background workers of the role `api`. */
export const startApiWorkers = (context: WorkerContext): void => {
  const { core, positions, logger, stops, holder } = context;
  const { db } = context.platform.database;
  const { identity, catalogue, resultImports } = core.commands;
  const { keyRing, outbox, clock } = core;
  stops.add("sign-in recorder", startRefusedSignInsRecorder({ identity, logger }).stop);
  stops.add("identity keeper", startIdentityCleanup({ identity, keyRing, clock, logger }).stop);
  const mailer = createMailer(context);
  stops.add("mailer", mailer.close);
  stops.add("importer", startImporter({ db, holder, jobs: catalogue, positions, logger }).stop);
  const finisher = startReportFinisher({ db, holder, commands: resultImports, logger });
  stops.add("report finisher", finisher.stop);
  stops.add("mail sender", startMailSender({ db, holder, outbox, mailer, clock, logger }).stop);
  const keys = core.idempotencyKeys;
  stops.add("idempotency sweeper", startIdempotencySweeper({ keys, logger }).stop);
};

const createMailer = ({ config, platform, logger }: WorkerContext) => {
  const { mailFrom: from, smtpUrl: url, mailFolder: folder } = config;
  const pictureOf = platform.blobs.get;
  return url === null
    ? folderMailer({ folder, from, pictureOf, logger })
    : smtpMailer({ url, from, pictureOf });
};
