import { type Kysely, sql } from "kysely";
import { behind } from "../../platform/batchedWriter.ts";
import { together } from "../../platform/coalesce.ts";
import { open, seal } from "../../platform/crypto.ts";
import { prepared } from "../../platform/database/database.ts";

/** What is due while it is at work, in seconds: longer than any request takes. */
const AT_WORK_SECONDS = 60;
/** From one attempt to the next, in seconds: doubled each time, up to an hour. */
const FIRST_PAUSE_SECONDS = 5;
const LONGEST_PAUSE_SECONDS = 3_600;
/** For about three days: as long as a provider tries. */
const MAX_ATTEMPTS = 80;

/**
 * Bodies are kept so far apart at the least, in milliseconds: events that come soon after each other go on together
 * from there, in one statement, and what they do is committed together. A provider waits for seconds.
 */
const KEEP_APART_MS = 10;

/** That nothing more comes of an event is noted so long after it at most, in milliseconds: nobody waits for that. */
const DONE_WITHIN_MS = 250;

/** A provider's event whose body is kept. */
export type KeptWebhook = {
  readonly provider: string;
  readonly eventId: string;
  readonly body: Buffer;
};

type Key = Pick<KeptWebhook, "provider" | "eventId">;

type NewRow = {
  readonly provider: string;
  readonly event_id: string;
  readonly body_sealed: string;
  readonly subscription_id: string | null;
};

/** A row on its way, and whether it is the one that stays. */
type Keeping = { readonly row: NewRow; isKept: boolean };

export type WebhookBodies = ReturnType<typeof webhookBodies>;

/** The rows of providers' events, sealed. The database's clock decides what is due. */
export const webhookBodies = (deps: {
  readonly db: Kysely<unknown>;
  readonly masterKey: Buffer;
  /** Hears that it could not be noted that nothing more will come of some. */
  readonly onFailure?: (error: unknown) => void;
}) => {
  const { db, masterKey, onFailure = () => undefined } = deps;
  const keepAll = together(async (keeping: readonly Keeping[]) => {
    const { rows } = await sql<Pick<NewRow, "provider" | "event_id">>`${prepared}
      insert into webhook_bodies (provider, event_id, body_sealed, subscription_id, next_attempt_at)
      select provider, event_id, body_sealed, subscription_id,
        now() + make_interval(secs => ${AT_WORK_SECONDS})
      from json_to_recordset(${JSON.stringify(keeping.map(({ row }) => row))}::json)
        as row(provider text, event_id text, body_sealed text, subscription_id text)
      order by provider, event_id
      on conflict (provider, event_id) do nothing
      returning provider, event_id`.execute(db);
    const kept = new Set(rows.map(keyOf));
    // Of copies in one statement the first is the one.
    for (const one of keeping) one.isKept = kept.delete(keyOf(one.row));
  }, KEEP_APART_MS);
  const done = behind(
    DONE_WITHIN_MS,
    async (rows: readonly Pick<NewRow, "provider" | "event_id">[]) => {
      await sql`
        update webhook_bodies b set next_attempt_at = null
        from json_to_recordset(${JSON.stringify(rows)}::json) as row(provider text, event_id text)
        where b.provider = row.provider and b.event_id = row.event_id`.execute(db);
    },
    onFailure,
  );
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
    /**
     * Keeps a body; the first one of an event stays. Answers whether it is that one. Those that come at the same
     * time are one statement.
     */
    keep: async (webhook: KeptWebhook, subscriptionId: string | null): Promise<boolean> => {
      const { provider, eventId: event_id } = webhook;
      const body_sealed = seal(masterKey, webhook.body.toString("utf8"), contextOf(webhook));
      const row = { provider, event_id, body_sealed, subscription_id: subscriptionId };
      const keeping: Keeping = { row, isKept: false };
      await keepAll(keeping);
      return keeping.isKept;
    },

    /** One event's body; null when it was never kept. */
    find: async (provider: string, eventId: string): Promise<KeptWebhook | null> => {
      const { rows } = await sql<{ provider: string; event_id: string; body_sealed: string }>`
        select provider, event_id, body_sealed from webhook_bodies
        where provider = ${provider} and event_id = ${eventId}`.execute(db);
      return rows[0] ? opened(rows[0]) : null;
    },

    /**
     * Notes that nothing more will come of it, a moment later: those of that moment are one statement. What a crash
     * takes of it is looked at once more when it is due, and found settled.
     */
    done: ({ provider, eventId: event_id }: Key): void => done.add({ provider, event_id }),

    /** Notes at once what was to be noted a moment later. Rejects when that fails. */
    flush: (): Promise<void> => done.flush(),

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

    /** How many events are open, and for how many seconds the oldest has been. */
    countOpen: async (): Promise<{ readonly count: number; readonly oldestSeconds: number }> => {
      const { rows } = await sql<{ count: number; oldest: number | null }>`
        select count(*)::integer as count,
          extract(epoch from now() - min(received_at))::double precision as oldest
        from webhook_bodies where next_attempt_at is not null`.execute(db);
      return { count: rows[0]?.count ?? 0, oldestSeconds: rows[0]?.oldest ?? 0 };
    },

    /** What is open of a subscription, oldest first. */
    listOpenOf: async (
      provider: string,
      subscriptionId: string,
    ): Promise<readonly KeptWebhook[]> => {
      await done.flush();
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

const keyOf = ({ provider, event_id }: Pick<NewRow, "provider" | "event_id">): string =>
  `${provider} ${event_id}`;
