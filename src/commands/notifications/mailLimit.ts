import { DomainError } from "../../domain/kernel/errors.ts";
import type { Clock } from "../../platform/clock.ts";
import type { OutboxState } from "../../stores/notifications/outbox.ts";

/** Upper limit of mails of a kind to one address within an hour, so that the service cannot flood a mailbox. */
const MAILS_AN_HOUR = 5;
const HOUR_MS = 3_600_000;

/** Limits mails that users can send to any address. `noun` names them in the plural. */
export const mailLimit = (deps: {
  readonly outbox: Pick<OutboxState, "takenSince">;
  readonly clock: Clock;
  readonly kind: string;
  readonly code: string;
  readonly noun: string;
}) => {
  const { outbox, clock, kind, code, noun } = deps;
  return {
    /** Throws `code` with the time until the next mail if the limit is reached. */
    mustBeFew: async (address: string): Promise<void> => {
      const now = clock().getTime();
      const since = new Date(now - HOUR_MS);
      const taken = await outbox.takenSince({ address, kind, since, limit: MAILS_AN_HOUR });
      const oldest = taken.at(-1);
      if (taken.length < MAILS_AN_HOUR || oldest === undefined) return;
      const seconds = Math.max(1, Math.ceil((Date.parse(oldest) + HOUR_MS - now) / 1_000));
      throw new DomainError(
        code,
        `This address was sent ${MAILS_AN_HOUR} ${noun} within an hour. The next can go out in ${seconds} s.`,
        { retryAfter: seconds },
      );
    },

    /** The limit for `OutboxState.put`, which holds for concurrent mails too. */
    atMost: () => ({
      messages: MAILS_AN_HOUR,
      since: new Date(clock().getTime() - HOUR_MS),
    }),
  };
};
