import { type Kysely, sql } from "kysely";
import { type WebhookEvent, webhookDecider } from "../domain/billing/webhook.ts";
import { defineProjection } from "./kernel/projection.ts";

export type WebhookTables = {
  /** By that name since the first release: every verified event of a payment provider, and what came of it. */
  webhook_events: {
    provider: string;
    event_id: string;
    type: string;
    received_at: string;
    status: "received" | "applied" | "ignored" | "failed";
    reason: string | null;
  };
};

const keyOf = (stream: string) => {
  const name = stream.slice("webhook-".length);
  const at = name.indexOf("_");
  return { provider: name.slice(0, at), event_id: name.slice(at + 1) };
};

export const webhooksProjection = defineProjection<WebhookTables, WebhookEvent>({
  name: "webhooks",
  version: 1,
  tables: ["webhook_events"],
  create: async (db) => {
    await db.schema
      .createTable("webhook_events")
      .addColumn("provider", "text", (c) => c.notNull())
      .addColumn("event_id", "text", (c) => c.notNull())
      .addColumn("type", "text", (c) => c.notNull())
      .addColumn("received_at", "timestamptz", (c) => c.notNull())
      .addColumn("status", "text", (c) => c.notNull())
      .addColumn("reason", "text")
      .addPrimaryKeyConstraint("webhook_events_pkey", ["provider", "event_id"])
      .execute();
    await db.schema
      .createIndex("webhook_events_received")
      .on("webhook_events")
      .columns(["received_at"])
      .execute();
  },
  codecs: [webhookDecider.codec],
  on: {
    WebhookReceived: async (db, { data, metadata }) => {
      await db
        .insertInto("webhook_events")
        .values({
          provider: data.provider,
          event_id: data.eventId,
          type: data.type,
          received_at: metadata.recorded_at,
          status: "received",
          reason: null,
        })
        .execute();
    },
    WebhookApplied: async (db, { stream }) => {
      const { provider, event_id } = keyOf(stream);
      await db
        .updateTable("webhook_events")
        .set({ status: "applied", reason: null })
        .where("provider", "=", provider)
        .where("event_id", "=", event_id)
        .execute();
    },
    WebhookIgnored: async (db, { stream, data }) => {
      const { provider, event_id } = keyOf(stream);
      await db
        .updateTable("webhook_events")
        .set({ status: "ignored", reason: data.reason })
        .where("provider", "=", provider)
        .where("event_id", "=", event_id)
        .execute();
    },
    WebhookFailed: async (db, { stream, data }) => {
      const { provider, event_id } = keyOf(stream);
      await db
        .updateTable("webhook_events")
        .set({ status: "failed", reason: data.reason })
        .where("provider", "=", provider)
        .where("event_id", "=", event_id)
        .execute();
    },
  },
});

/** An event of a provider, what came of it, and how often it was tried. */
export type WebhookRow = WebhookTables["webhook_events"] & {
  readonly attempts: number;
  /** null: nothing more will come of it by itself. */
  readonly next_attempt_at: string | null;
};

/** After which row a page begins. */
export type WebhookCursor = Pick<WebhookRow, "received_at" | "provider" | "event_id">;

/** Events of providers, as the read model has them. */
export const webhookQueries = (db: Kysely<WebhookTables>) => ({
  /** Newest first. */
  listWebhooks: async (wanted: {
    readonly status: WebhookRow["status"] | null;
    readonly after: WebhookCursor | null;
    readonly limit: number;
  }): Promise<readonly WebhookRow[]> => {
    const { status, after, limit } = wanted;
    const { rows } = await sql<WebhookRow>`
      select e.provider, e.event_id, e.type, e.received_at, e.status, e.reason,
        coalesce(b.attempts, 0) as attempts, b.next_attempt_at
      from webhook_events e left join webhook_bodies b using (provider, event_id)
      where (${status}::text is null or e.status = ${status})
        and (${after === null} or (e.received_at, e.provider, e.event_id)
          < (${after?.received_at ?? null}::timestamptz, ${after?.provider ?? ""}, ${after?.event_id ?? ""}))
      order by e.received_at desc, e.provider desc, e.event_id desc
      limit ${limit}`.execute(db);
    return rows;
  },
});

export type WebhookQueries = ReturnType<typeof webhookQueries>;
