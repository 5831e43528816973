import { type Kysely, sql } from "kysely";
import { createBatchedWriter } from "../../platform/batchedWriter.ts";
import { coalesce } from "../../platform/coalesce.ts";
import { open, seal } from "../../platform/crypto.ts";
import { prepared } from "../../platform/database/database.ts";
import {
  ATTEMPT_SECONDS,
  countOpen,
  type RowKey,
  type SealedRow,
  selectOne,
  selectOpenOf,
  takeDueRows,
  tryLater,
  type WebhookKey,
} from "./webhookRows.ts";

/**
 * The minimum time between two statements that store bodies, in milliseconds. Events that arrive close together are
 * stored in one statement, so that they continue together and their effects are committed together.
 */
const KEEP_INTERVAL_MS = 10;

/** The maximum delay until a settled event is marked as done, in milliseconds. */
const DONE_WITHIN_MS = 250;

/** A provider's event with its raw body. */
export type KeptWebhook = WebhookKey & { readonly body: Buffer };

type NewRow = SealedRow & { readonly subscription_id: string | null };

/** A row being stored, and whether this statement inserted it. */
type Insertion = { readonly row: NewRow; isInserted: boolean };

type Deps = { readonly db: Kysely<unknown>; readonly masterKey: Buffer };

export type WebhookBodies = ReturnType<typeof webhookBodies>;

/** Stores the encrypted bodies of providers' events and schedules their retries, by the database's clock. */
export const webhookBodies = (
  deps: Deps & {
    /** Called if marking events as done failed. */
    readonly onFailure?: (error: unknown) => void;
  },
) => {
  const { db, masterKey, onFailure = () => undefined } = deps;
  const insert = coalesce(
    (insertions: readonly Insertion[]) => insertAll(db, insertions),
    KEEP_INTERVAL_MS,
  );
  const done = createBatchedWriter(
    DONE_WITHIN_MS,
    (keys: readonly RowKey[]) => markDone(db, keys),
    onFailure,
  );
  const unseal = (row: SealedRow): KeptWebhook => unsealRow(masterKey, row);
  return {
    /** Stores a body. Resolves to whether it is the first one of its event; later ones are discarded. */
    keep: async (webhook: KeptWebhook, subscriptionId: string | null): Promise<boolean> => {
      const insertion = { row: sealRow(masterKey, webhook, subscriptionId), isInserted: false };
      await insert(insertion);
      return insertion.isInserted;
    },
    /** The stored event, null if there is none. */
    find: async (provider: string, eventId: string): Promise<KeptWebhook | null> => {
      const row = await selectOne(db, { provider, eventId });
      return row && unseal(row);
    },
    /** Marks an event as done, without waiting. After a crash it is retried once and found settled. */
    done: ({ provider, eventId: event_id }: WebhookKey): void => done.add({ provider, event_id }),
    /** Writes pending done marks immediately. Rejects if that fails. */
    flush: (): Promise<void> => done.flush(),
    tryLater: (key: WebhookKey): Promise<void> => tryLater(db, key),
    /** Claims due events for the duration of one attempt, at most `limit`. */
    takeDue: async (limit: number): Promise<readonly KeptWebhook[]> =>
      (await takeDueRows(db, limit)).map(unseal),
    countOpen: () => countOpen(db),
    /** The open events of a subscription, oldest first. */
    listOpenOf: async (
      provider: string,
      subscriptionId: string,
    ): Promise<readonly KeptWebhook[]> => {
      await done.flush();
      return (await selectOpenOf(db, provider, subscriptionId)).map(unseal);
    },
  };
};

const insertAll = async (db: Kysely<unknown>, insertions: readonly Insertion[]): Promise<void> => {
  const { rows } = await sql<RowKey>`${prepared}
    insert into webhook_bodies (provider, event_id, body_sealed, subscription_id, next_attempt_at)
    select provider, event_id, body_sealed, subscription_id,
      now() + make_interval(secs => ${ATTEMPT_SECONDS})
    from json_to_recordset(${JSON.stringify(insertions.map(({ row }) => row))}::json)
      as row(provider text, event_id text, body_sealed text, subscription_id text)
    order by provider, event_id
    on conflict (provider, event_id) do nothing
    returning provider, event_id`.execute(db);
  const inserted = new Set(rows.map(keyOf));
  // Of duplicates in one statement the first is inserted.
  for (const one of insertions) one.isInserted = inserted.delete(keyOf(one.row));
};

const markDone = async (db: Kysely<unknown>, keys: readonly RowKey[]): Promise<void> => {
  await sql`
    update webhook_bodies b set next_attempt_at = null
    from json_to_recordset(${JSON.stringify(keys)}::json) as row(provider text, event_id text)
    where b.provider = row.provider and b.event_id = row.event_id`.execute(db);
};

const sealRow = (
  masterKey: Buffer,
  webhook: KeptWebhook,
  subscriptionId: string | null,
): NewRow => ({
  provider: webhook.provider,
  event_id: webhook.eventId,
  body_sealed: seal(masterKey, webhook.body.toString("utf8"), sealContext(webhook)),
  subscription_id: subscriptionId,
});

const unsealRow = (
  masterKey: Buffer,
  { provider, event_id: eventId, body_sealed }: SealedRow,
): KeptWebhook => {
  const text = open(masterKey, body_sealed, sealContext({ provider, eventId }));
  return { provider, eventId, body: Buffer.from(text, "utf8") };
};

const sealContext = ({ provider, eventId }: WebhookKey): string => `webhook:${provider}:${eventId}`;

const keyOf = ({ provider, event_id }: RowKey): string => `${provider} ${event_id}`;
