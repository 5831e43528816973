import { type Kysely, sql } from "kysely";
import { open, seal } from "../crypto.ts";

/** What is due while it is at work, in seconds: longer than any request takes. */
const AT_WORK_SECONDS = 60;
/** From one attempt to the next, in seconds: doubled each time, up to an hour. */
const FIRST_PAUSE_SECONDS = 5;
const LONGEST_PAUSE_SECONDS = 3_600;
/** For about three days: as long as a provider tries. */
const MAX_ATTEMPTS = 80;

/** A provider's event whose body is kept. */
export type KeptWebhook = {
  readonly provider: string;
  readonly eventId: string;
  readonly body: Buffer;
};

type Key = Pick<KeptWebhook, "provider" | "eventId">;

export type WebhookBodies = ReturnType<typeof webhookBodies>;

/** The rows of providers' events, sealed. The database's clock decides what is due. */
export const webhookBodies = (deps: {
  readonly db: Kysely<unknown>;
  readonly masterKey: Buffer;
}) => {
  const { db, masterKey } = deps;
  const opened = (row: {
    provider: string;
    event_id: string;
    body_sealed: string;
  }): KeptWebhook => ({
    provider: row.provider,
    eventId: row.event_id,
    body: Buffer.from(
      open(
        masterKey,
        row.body_sealed,
        contextOf({ provider: row.provider, eventId: row.event_id }),
      ),
      "utf8",
    ),
  });

  return {
    /** Keeps a body; the first one of an event stays. */
    keep: async (webhook: KeptWebhook, subscriptionId: string | null): Promise<void> => {
      const sealed = seal(masterKey, webhook.body.toString("utf8"), contextOf(webhook));
      await sql`
        insert into webhook_bodies (provider, event_id, body_sealed, subscription_id, next_attempt_at)
        values (${webhook.provider}, ${webhook.eventId}, ${sealed}, ${subscriptionId},
          now() + make_interval(secs => ${AT_WORK_SECONDS}))
        on conflict (provider, event_id) do nothing`.execute(db);
    },

    /** One event's body; null when it was never kept. */
    find: async (provider: string, eventId: string): Promise<KeptWebhook | null> => {
      const { rows } = await sql<{ provider: string; event_id: string; body_sealed: string }>`
        select provider, event_id, body_sealed from webhook_bodies
        where provider = ${provider} and event_id = ${eventId}`.execute(db);
      return rows[0] ? opened(rows[0]) : null;
    },

    /** Notes that nothing more will come of it. */
    done: async ({ provider, eventId }: Key): Promise<void> => {
      await sql`
        update webhook_bodies set next_attempt_at = null
        where provider = ${provider} and event_id = ${eventId}`.execute(db);
    },

    /** Notes that it is to be tried again, ever later; after about three days it is left. */
    tryLater: async ({ provider, eventId }: Key): Promise<void> => {
      await sql`
        update webhook_bodies set attempts = attempts + 1,
          next_attempt_at = case when attempts + 1 >= ${MAX_ATTEMPTS} then null else now()
            + make_interval(secs => least(${LONGEST_PAUSE_SECONDS},
                ${FIRST_PAUSE_SECONDS} * power(2, least(attempts, 12)))) end
        where provider = ${provider} and event_id = ${eventId}`.execute(db);
    },

    /** Takes what is due, at most so many, for as long as one attempt may take. */
    takeDue: async (limit: number): Promise<readonly KeptWebhook[]> => {
      const { rows } = await sql<{ provider: string; event_id: string; body_sealed: string }>`
        update webhook_bodies set next_attempt_at = now() + make_interval(secs => ${AT_WORK_SECONDS})
        where (provider, event_id) in (
          select provider, event_id from webhook_bodies where next_attempt_at <= now()
          order by next_attempt_at limit ${limit} for update skip locked)
        returning provider, event_id, body_sealed`.execute(db);
      return rows.map(opened);
    },

    /** What is open of a subscription, oldest first. */
    listOpenOf: async (
      provider: string,
      subscriptionId: string,
    ): Promise<readonly KeptWebhook[]> => {
      const { rows } = await sql<{ provider: string; event_id: string; body_sealed: string }>`
        select provider, event_id, body_sealed from webhook_bodies
        where provider = ${provider} and subscription_id = ${subscriptionId}
          and next_attempt_at is not null
        order by received_at`.execute(db);
      return rows.map(opened);
    },
  };
};

const contextOf = ({ provider, eventId }: Key): string => `webhook:${provider}:${eventId}`;
