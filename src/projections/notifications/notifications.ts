import type { Kysely } from "kysely";
import { type ContactsEvent, contactsDecider } from "../../domain/notifications/contacts.ts";
import {
  type About,
  type NotificationEvent,
  notificationDecider,
} from "../../domain/notifications/notification.ts";
import { changeRow } from "../kernel/changeRow.ts";
import { newestFirst, type Page, type Period, within } from "../kernel/newestFirst.ts";
import { defineProjection, type Recorded } from "../kernel/projection.ts";

export type NotificationTables = {
  contacts: {
    id: string;
    organization_id: string;
    verified: boolean;
    enabled: boolean;
    created_at: string;
    updated_at: string;
    version: number;
  };
  notifications: {
    id: string;
    organization_id: string;
    kind: About["kind"];
    run_id: string | null;
    schedule_id: string | null;
    contact_id: string | null;
    status: "requested" | "sent" | "abandoned";
    attempts: number;
    reason: string | null;
    next_try_at: string | null;
    created_at: string;
    updated_at: string;
    version: number;
  };
};

export const notificationsProjection = defineProjection<
  NotificationTables,
  ContactsEvent | NotificationEvent
>({
  name: "notifications",
  version: 1,
  tables: ["contacts", "notifications"],
  create: async (db) => {
    await db.schema
      .createTable("contacts")
      .addColumn("id", "uuid", (c) => c.primaryKey())
      .addColumn("organization_id", "uuid", (c) => c.notNull())
      .addColumn("verified", "boolean", (c) => c.notNull())
      .addColumn("enabled", "boolean", (c) => c.notNull())
      .addColumn("created_at", "timestamptz", (c) => c.notNull())
      .addColumn("updated_at", "timestamptz", (c) => c.notNull())
      .addColumn("version", "integer", (c) => c.notNull())
      .execute();
    await db.schema
      .createTable("notifications")
      .addColumn("id", "uuid", (c) => c.primaryKey())
      .addColumn("organization_id", "uuid", (c) => c.notNull())
      .addColumn("kind", "text", (c) => c.notNull())
      .addColumn("run_id", "uuid")
      .addColumn("schedule_id", "uuid")
      .addColumn("contact_id", "uuid")
      .addColumn("status", "text", (c) => c.notNull())
      .addColumn("attempts", "integer", (c) => c.notNull())
      .addColumn("reason", "text")
      .addColumn("next_try_at", "timestamptz")
      .addColumn("created_at", "timestamptz", (c) => c.notNull())
      .addColumn("updated_at", "timestamptz", (c) => c.notNull())
      .addColumn("version", "integer", (c) => c.notNull())
      .execute();
    for (const table of ["contacts", "notifications"]) {
      await db.schema
        .createIndex(`${table}_by_organization`)
        .on(table)
        .columns(["organization_id", "id"])
        .execute();
    }
  },
  codecs: [contactsDecider.codec, notificationDecider.codec],
  on: {
    ContactAdded: async (db, { data, metadata }) => {
      const at = metadata.occurred_at;
      await db
        .insertInto("contacts")
        .values({
          id: data.contactId,
          organization_id: metadata.organization_id ?? "",
          verified: false,
          enabled: true,
          created_at: at,
          updated_at: at,
          version: 1,
        })
        .execute();
    },
    ContactChanged: (db, { data, ...event }) =>
      changeContact(db, event, data.contactId, {
        enabled: data.enabled,
        ...(data.hasNewAddress && { verified: false }),
      }),
    ContactVerified: (db, { data, ...event }) =>
      changeContact(db, event, data.contactId, { verified: true }),
    ContactRemoved: async (db, { data }) => {
      await db.deleteFrom("contacts").where("id", "=", data.contactId).execute();
    },
    Unsubscribed: async (db, { data, ...event }) => {
      if (data.contactId === null) return;
      await changeContact(db, event, data.contactId, { enabled: false });
    },
    NotificationRequested: async (db, { data, metadata }) => {
      const { notificationId, about, recipient } = data;
      const at = metadata.occurred_at;
      await db
        .insertInto("notifications")
        .values({
          id: notificationId,
          organization_id: metadata.organization_id ?? "",
          kind: about.kind,
          run_id: about.kind === "run" ? about.runId : null,
          schedule_id: about.scheduleId,
          contact_id: recipient.kind === "contact" ? recipient.contactId : null,
          status: "requested",
          attempts: 0,
          reason: null,
          next_try_at: at,
          created_at: at,
          updated_at: at,
          version: 1,
        })
        .execute();
    },
    NotificationSent: (db, { data, ...event }) =>
      change(db, event, data.notificationId, { status: "sent", reason: null, next_try_at: null }),
    NotificationFailed: (db, { data, ...event }) =>
      change(db, event, data.notificationId, {
        attempts: data.attempts,
        reason: data.reason,
        next_try_at: data.nextTryAt,
      }),
    NotificationAbandoned: (db, { data, ...event }) =>
      change(db, event, data.notificationId, {
        status: "abandoned",
        reason: data.reason,
        next_try_at: null,
      }),
  },
});

type Event = Pick<Recorded<ContactsEvent | NotificationEvent>, "metadata" | "revision">;

const changeContact = (
  db: Kysely<NotificationTables>,
  event: Event,
  id: string,
  values: Partial<NotificationTables["contacts"]>,
): Promise<void> => changeRow(db, "contacts", event, id, values);

const change = (
  db: Kysely<NotificationTables>,
  event: Event,
  id: string,
  values: Partial<NotificationTables["notifications"]>,
): Promise<void> => changeRow(db, "notifications", event, id, values, Number(event.revision) + 1);

/** Conditions on mails. Absent ones do not apply. */
export type NotificationFilter = Period & {
  readonly status?: NotificationTables["notifications"]["status"] | undefined;
  readonly runId?: string | undefined;
  readonly scheduleId?: string | undefined;
};

export type NotificationQueries = ReturnType<typeof notificationQueries>;

/** Queries about contacts and mails. */
export const notificationQueries = (db: Kysely<NotificationTables>) => ({
  /** A contact, whosever it is; null when there is none of that id. */
  findContact: async (id: string) =>
    (await db.selectFrom("contacts").selectAll().where("id", "=", id).executeTakeFirst()) ?? null,

  /** Contacts of an organisation, newest first, one more than `limit` where there are more. */
  listContacts: (organizationId: string, page: Page) =>
    newestFirst(
      db.selectFrom("contacts").selectAll().where("organization_id", "=", organizationId),
      page,
    ),

  /** Contacts that have confirmed and want mail. */
  listeningContacts: async (organizationId: string): Promise<readonly string[]> => {
    const rows = await db
      .selectFrom("contacts")
      .select("id")
      .where("organization_id", "=", organizationId)
      .where("verified", "=", true)
      .where("enabled", "=", true)
      .execute();
    return rows.map(({ id }) => id);
  },

  /** Mails of an organisation, newest first unless sorted, one more than `limit` if there are more. */
  listNotifications: (organizationId: string, page: Page, filter: NotificationFilter = {}) => {
    const { status, runId, scheduleId } = filter;
    const all = db
      .selectFrom("notifications")
      .selectAll()
      .where("organization_id", "=", organizationId);
    let rows = within(all, "created_at", filter);
    if (status !== undefined) rows = rows.where("status", "=", status);
    if (runId !== undefined) rows = rows.where("run_id", "=", runId);
    if (scheduleId !== undefined) rows = rows.where("schedule_id", "=", scheduleId);
    return newestFirst(rows, page);
  },
});
