import type { CommandLoop } from "../../commands/kernel/commandLoop.ts";
import {
  type NotificationCommand,
  notificationDecider,
} from "../../domain/notifications/notification.ts";
import type { Database } from "../../platform/database/database.ts";
import { newId } from "../../platform/ids.ts";
import { runWhileLeader } from "../../platform/leases.ts";
import type { Logger } from "../../platform/logger.ts";
import { sleep } from "../../platform/sleep.ts";
import { notedMails, type Unnoted } from "../../stores/notifications/notedMails.ts";

/** The kind of notifications in the outbox. */
export const NOTIFICATION = "notification";

const LOOK_MS = 500;
const AT_ONCE = 100;

/** Records the outcomes of notifications from the outbox in the log. Idempotent. */
export const startRecorder = (deps: {
  readonly db: Database["db"];
  readonly loop: CommandLoop;
  readonly logger: Logger;
  readonly holder: string;
}): { stop(): Promise<void> } => {
  const { db, loop, logger, holder } = deps;
  const mails = notedMails(db);
  return runWhileLeader({
    name: "notification recorder",
    db,
    holder,
    logger,
    work: async (over) => {
      while (!over.aborted) {
        for (const mail of await mails.unnoted(NOTIFICATION, AT_ONCE)) {
          if (over.aborted) return;
          const id = newId();
          await loop.execute(notificationDecider, mail.id, commandFor(mail), {
            actor: { type: "system", id: "notifier" },
            organizationId: mail.organizationId,
            correlationId: id,
            causationId: mail.id,
          });
          await mails.note(mail);
        }
        await sleep(LOOK_MS, over);
      }
    },
  });
};

const commandFor = ({ id, status, attempts, reason, dueAt }: Unnoted): NotificationCommand => {
  const notificationId = id;
  switch (status) {
    case "due":
      return { type: "noteFailure", notificationId, attempts, reason, nextTryAt: dueAt };
    case "sent":
    case "kept":
      return { type: "noteSent", notificationId };
    default:
      return { type: "abandon", notificationId, reason: reason || "It was not sent." };
  }
};
