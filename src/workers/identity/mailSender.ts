import type { Clock } from "../../platform/clock.ts";
import type { AnySchema, Db } from "../../platform/database/database.ts";
import { runWhileLeader } from "../../platform/leases.ts";
import type { Logger } from "../../platform/logger.ts";
import { type Mailer, MailRefusedError } from "../../platform/mail/port.ts";
import { sleep } from "../../platform/sleep.ts";
import type { DueMail, OutboxState } from "../../stores/notifications/outbox.ts";

const LOOK_MS = 1_000;
/** Mails sent concurrently, so that one slow delivery does not delay the others. */
const CONCURRENCY = 10;
const FIRST_DELAY_MS = 2_000;
const LONGEST_DELAY_MS = 15 * 60_000;
/** Age at which an undelivered mail is given up. */
const GIVE_UP_MS = 48 * 3_600_000;
/** How long the status of a finished mail is kept. */
const RETENTION_MS = 7 * 24 * 3_600_000;
const SWEEP_EVERY_MS = 5_000;

/** Delay before the next try after `attempts` failures, in milliseconds. */
export const delayAfter = (attempts: number): number =>
  Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(attempts, 20));

/** Waits for the work or the abort, so that an unresponsive server does not delay the shutdown. */
const raceAbort = async (work: Promise<unknown>, over: AbortSignal): Promise<void> => {
  let leave = (): void => undefined;
  const left = new Promise<void>((resolve) => {
    leave = resolve;
  });
  if (over.aborted) leave();
  over.addEventListener("abort", leave);
  try {
    await Promise.race([work, left]);
  } finally {
    over.removeEventListener("abort", leave);
  }
};

/** Sends queued mails. Active in one process at a time. */
export const startMailSender = (deps: {
  readonly db: Db<AnySchema>;
  readonly holder: string;
  readonly outbox: OutboxState;
  readonly mailer: Mailer;
  readonly clock: Clock;
  readonly logger: Logger;
}): { stop(): Promise<void> } => {
  const { outbox, mailer, clock, logger } = deps;

  const sendOne = async ({ mail, kind, attempts, createdAt }: DueMail): Promise<void> => {
    try {
      await mailer.send(mail);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      const now = clock();
      const isOld = now.getTime() - Date.parse(createdAt) > GIVE_UP_MS;
      if (error instanceof MailRefusedError || isOld) {
        await outbox.end(mail.id, isOld ? "given_up" : "refused", why, now);
        logger.warn({ mail: mail.id, kind, why }, "a mail cannot be delivered");
        return;
      }
      await outbox.postpone(mail.id, why, new Date(now.getTime() + delayAfter(attempts)));
      logger.warn({ mail: mail.id, kind, why, attempts: attempts + 1 }, "a mail was postponed");
      return;
    }
    await outbox.end(mail.id, mailer.keeps ? "kept" : "sent", null, clock());
  };

  const work = async (over: AbortSignal): Promise<void> => {
    let sweptAt = Number.NEGATIVE_INFINITY;
    while (!over.aborted) {
      if (performance.now() - sweptAt > SWEEP_EVERY_MS) {
        const forgotten = await outbox.sweep(new Date(clock().getTime() - RETENTION_MS));
        await mailer.forget(forgotten);
        sweptAt = performance.now();
      }
      const due = await outbox.due(clock(), CONCURRENCY);
      const sending = Promise.all(due.map(sendOne));
      await raceAbort(sending, over);
      // The next leader resends unfinished mails.
      if (over.aborted) sending.catch(() => undefined);
      if (due.length < CONCURRENCY) await sleep(LOOK_MS, over);
    }
  };

  const { db, holder } = deps;
  return runWhileLeader({ name: "mail", db, holder, work, logger });
};
