import { type Kysely, sql } from "kysely";
import type { OutboxTables } from "./outbox.ts";

/** The outcome of a mail that the log does not contain yet. */
export type Unnoted = {
  readonly id: string;
  /** Null if the addressee has been erased. */
  readonly organizationId: string | null;
  readonly status: OutboxTables["outbox"]["status"];
  readonly attempts: number;
  readonly reason: string;
  readonly dueAt: string;
};

type Tables = OutboxTables & {
  noted_mails: { id: string; status: string; attempts: number };
  notification_addresses: { notification_id: string; organization_id: string };
};

/** Outcomes of mails until they are recorded in the log, so that none is lost between outbox and log. */
export const notedMails = (db: Kysely<Tables>) => ({
  /** Mails of a kind with an outcome since they were noted, oldest first. */
  unnoted: async (kind: string, limit: number): Promise<readonly Unnoted[]> => {
    const rows = await db
      .selectFrom("outbox")
      .leftJoin("noted_mails", "noted_mails.id", "outbox.id")
      .leftJoin("notification_addresses", "notification_addresses.notification_id", "outbox.id")
      .select([
        "outbox.id",
        "outbox.status",
        "outbox.attempts",
        "outbox.last_error",
        "outbox.due_at",
        "notification_addresses.organization_id",
      ])
      .where("outbox.kind", "=", kind)
      .where(
        sql<boolean>`(outbox.status, outbox.attempts) <> (coalesce(noted_mails.status, 'due'), coalesce(noted_mails.attempts, 0))`,
      )
      .orderBy("outbox.created_at")
      .limit(limit)
      .execute();
    return rows.map((row) => ({
      id: row.id,
      organizationId: row.organization_id,
      status: row.status,
      attempts: row.attempts,
      reason: row.last_error ?? "",
      dueAt: row.due_at,
    }));
  },

  note: async ({ id, status, attempts }: Pick<Unnoted, "id" | "status" | "attempts">) => {
    await db
      .insertInto("noted_mails")
      .values({ id, status, attempts })
      .onConflict((conflict) => conflict.column("id").doUpdateSet({ status, attempts }))
      .execute();
  },
});
