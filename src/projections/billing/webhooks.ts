import { type Kysely, sql } from "kysely";
import { type WebhookEvent, webhookDecider } from "../../domain/billing/webhook.ts";
import { assertNever } from "../../domain/kernel/errors.ts";
import { type AnyRecorded, defineBatchProjection } from "../kernel/projection.ts";
import { insertRows, recordset } from "../kernel/rows.ts";

export type WebhookTables = {
  /** Events of payment providers with a valid signature, and their outcomes. */
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

type Row = WebhookTables["webhook_events"];

export const webhooksProjection = defineBatchProjection<WebhookTables, WebhookEvent>({
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
  types: webhookDecider.codec.types as readonly WebhookEvent["type"][],
  fold: async (into, events) => {
    const received = new Map<string, Row>();
    const settled = new Map<string, Omit<Row, "type" | "received_at">>();
    for (const event of events) {
      const { stream, metadata } = event;
      if (event.type === "WebhookReceived") {
        const { provider, eventId: event_id, type } = event.data;
        const { recorded_at: received_at } = metadata;
        const row = { provider, event_id, type, received_at, status: "received", reason: null };
        received.set(stream, row as Row);
        continue;
      }
      const row = { ...keyOf(stream), ...outcomeOf(event) };
      const here = received.get(stream);
      if (here) received.set(stream, { ...here, ...outcomeOf(event) });
      else settled.set(stream, row);
    }
    await insertRows(into, "webhook_events", [...received.values()], "refuse");
    if (settled.size === 0) return;
    const rows = recordset(into, "webhook_events", [...settled.values()]);
    await sql`
      update ${sql.id(into.schema, "webhook_events")} as e set status = s.status, reason = s.reason
      from ${rows} as s where e.provider = s.provider and e.event_id = s.event_id`.execute(into.db);
  },
});

const outcomeOf = (
  event: Exclude<AnyRecorded<WebhookEvent>, { readonly type: "WebhookReceived" }>,
): Pick<Row, "status" | "reason"> => {
  switch (event.type) {
    case "WebhookApplied":
      return { status: "applied", reason: null };
    case "WebhookIgnored":
      return { status: "ignored", reason: event.data.reason };
    case "WebhookFailed":
      return { status: "failed", reason: event.data.reason };
    default:
      return assertNever(event);
  }
};

/** A provider's event, its outcome, and the number of attempts. */
export type WebhookRow = WebhookTables["webhook_events"] & {
  readonly attempts: number;
  /** Null: no further attempt is scheduled. */
  readonly next_attempt_at: string | null;
};

/** The row after which a page starts. */
export type WebhookCursor = Pick<WebhookRow, "received_at" | "provider" | "event_id">;

/** Queries on providers' events. */
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
