import { type Kysely, sql } from "kysely";

/** How long an attempt may take before another process retries the event, in seconds. */
export const ATTEMPT_SECONDS = 60;
/** The delay before the first retry, in seconds. It doubles with every attempt, up to `MAX_PAUSE_SECONDS`. */
const FIRST_PAUSE_SECONDS = 5;
const MAX_PAUSE_SECONDS = 3_600;
/** About three days of retries, as long as the providers themselves retry. */
const MAX_ATTEMPTS = 80;

export type WebhookKey = { readonly provider: string; readonly eventId: string };

/** A row of `webhook_bodies`. An open event has a `next_attempt_at`. */
export type SealedRow = {
  readonly provider: string;
  readonly event_id: string;
  readonly body_sealed: string;
};
export type RowKey = Pick<SealedRow, "provider" | "event_id">;

export const selectOne = async (
  db: Kysely<unknown>,
  { provider, eventId }: WebhookKey,
): Promise<SealedRow | null> => {
  const { rows } = await sql<SealedRow>`
    select provider, event_id, body_sealed from webhook_bodies
    where provider = ${provider} and event_id = ${eventId}`.execute(db);
  return rows[0] ?? null;
};

/** The open events of a subscription, oldest first. */
export const selectOpenOf = async (
  db: Kysely<unknown>,
  provider: string,
  subscriptionId: string,
): Promise<readonly SealedRow[]> => {
  const { rows } = await sql<SealedRow>`
    select provider, event_id, body_sealed from webhook_bodies
    where provider = ${provider} and subscription_id = ${subscriptionId}
      and next_attempt_at is not null
    order by received_at`.execute(db);
  return rows;
};

/** Claims due events for the duration of one attempt, at most `limit`. */
export const takeDueRows = async (
  db: Kysely<unknown>,
  limit: number,
): Promise<readonly SealedRow[]> => {
  const { rows } = await sql<SealedRow>`
    update webhook_bodies set next_attempt_at = now() + make_interval(secs => ${ATTEMPT_SECONDS})
    where (provider, event_id) in (
      select provider, event_id from webhook_bodies where next_attempt_at <= now()
      order by next_attempt_at limit ${limit} for update skip locked)
    returning provider, event_id, body_sealed`.execute(db);
  return rows;
};

/** Schedules the next attempt with exponential backoff, until `MAX_ATTEMPTS`. */
export const tryLater = async (
  db: Kysely<unknown>,
  { provider, eventId }: WebhookKey,
): Promise<void> => {
  await sql`
    update webhook_bodies set attempts = attempts + 1,
      next_attempt_at = case when attempts + 1 >= ${MAX_ATTEMPTS} then null else now()
        + make_interval(secs => least(${MAX_PAUSE_SECONDS},
            ${FIRST_PAUSE_SECONDS} * power(2, least(attempts, 12)))) end
    where provider = ${provider} and event_id = ${eventId}`.execute(db);
};

/** The number of open events, and the age of the oldest in seconds. */
export const countOpen = async (
  db: Kysely<unknown>,
): Promise<{ readonly count: number; readonly oldestSeconds: number }> => {
  const { rows } = await sql<{ count: number; oldest: number | null }>`
    select count(*)::integer as count,
      extract(epoch from now() - min(received_at))::double precision as oldest
    from webhook_bodies where next_attempt_at is not null`.execute(db);
  return { count: rows[0]?.count ?? 0, oldestSeconds: rows[0]?.oldest ?? 0 };
};
