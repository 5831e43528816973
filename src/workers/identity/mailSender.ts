import type { Clock } from "../../platform/clock.ts";
import type { AnySchema, Db } from "../../platform/database/database.ts";
import { runWhileLeader } from "../../platform/leases.ts";
import type { Logger } from "../../platform/logger.ts";
import { type Mailer, MailRefusedError } from "../../platform/mail/port.ts";
import { sleep } from "../../platform/sleep.ts";
import type { DueMail, OutboxState } from "../../stores/notifications/outbox.ts";

const LOOK_MS = 1_000;
/** So many at once: one server that is slow to answer does not hold up the others' mail. */
const AT_ONCE = 10;
const FIRST_DELAY_MS = 2_000;
const LONGEST_DELAY_MS = 15 * 60_000;
/** After so long nobody waits for it any more. */
const GIVE_UP_MS = 48 * 3_600_000;
/** What is known of a message that has ended (that it was sent, and when) is kept for so long. */
const KEPT_MS = 7 * 24 * 3_600_000;
const SWEEP_EVERY_MS = 5_000;

/** How long to wait after a message was tried in vain `attempts` times, in milliseconds. */
export const delayAfter = (attempts: number): number =>
  Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(attempts, 20));

/** Waits for work to end, or for the lease to be lost: a server that is silent does not hold up the stop. */
const unlessOver = async (work: Promise<unknown>, over: AbortSignal): Promise<void> => {
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

/** Sends what is in the outbox, in one process among any number. */
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
        logger.warn({ mail: mail.id, kind, why }, "a mail will not be delivered");
        return;
      }
      await outbox.postpone(mail.id, why, new Date(now.getTime() + delayAfter(attempts)));
      logger.warn({ mail: mail.id, kind, why, attempts: attempts + 1 }, "a mail has to wait");
      return;
    }
    await outbox.end(mail.id, mailer.keeps ? "kept" : "sent", null, clock());
  };

  const work = async (over: AbortSignal): Promise<void> => {
    let sweptAt = Number.NEGATIVE_INFINITY;
    while (!over.aborted) {
      if (performance.now() - sweptAt > SWEEP_EVERY_MS) {
        const forgotten = await outbox.sweep(new Date(clock().getTime() - KEPT_MS));
        await mailer.forget(forgotten);
        sweptAt = performance.now();
      }
      const due = await outbox.due(clock(), AT_ONCE);
      const sending = Promise.all(due.map(sendOne));
      await unlessOver(sending, over);
      // What goes on is sent again by the next leader, if it does not get through.
      if (over.aborted) sending.catch(() => undefined);
      if (due.length < AT_ONCE) await sleep(LOOK_MS, over);
    }
  };

  const { db, holder } = deps;
  return runWhileLeader({ name: "mail", db, holder, work, logger });
};
