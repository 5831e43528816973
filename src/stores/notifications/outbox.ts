import { type Kysely, sql } from "kysely";
import { open, seal } from "../../platform/crypto.ts";
import type { Mail } from "../../platform/mail/port.ts";
import { addressDigestOf } from "../identity/persons.ts";

export type OutboxTables = {
  outbox: {
    id: string;
    user_id: string | null;
    /** Of whom it is for, as `PersonsState.addressDigest` makes it; null in those of older releases. */
    address_hmac: string | null;
    kind: string;
    /** `kept`: there is no mail server, the operator reads it. `none`: it was a pretence. */
    status: "due" | "none" | "sent" | "kept" | "refused" | "given_up";
    mail_sealed: string | null;
    created_at: string;
    due_at: string;
    attempts: number;
    last_error: string | null;
    ended_at: string | null;
  };
};

/** A message to be sent. `kind` is for logs: `verify_email`. */
export type QueuedMail = {
  readonly mail: Mail;
  readonly kind: string;
  /** Whom it is for; their erasure removes it. Null: nobody who has an account. */
  readonly userId: string | null;
  readonly at: string;
  /** It is only to cost what a message costs, and goes nowhere: nobody shall tell by the time who has an account. */
  readonly pretence?: boolean;
  /** So many of its kind go to its address since a time: one more is a pretence, however many are put at once. */
  readonly atMost?: { readonly messages: number; readonly since: Date };
};

export type DueMail = {
  readonly mail: Mail;
  readonly kind: string;
  /** How often it was tried before. */
  readonly attempts: number;
  readonly createdAt: string;
};

/** A message as the operator sees it. What it says is known while it is kept. */
export type ListedMail = {
  readonly id: string;
  readonly kind: string;
  readonly status: Exclude<OutboxTables["outbox"]["status"], "none">;
  readonly created_at: string;
  readonly attempts: number;
  readonly last_error: string | null;
  readonly ended_at: string | null;
  readonly mail: Mail | null;
};

export type OutboxState = {
  /** Takes a message, as part of a transaction where one is given. The same id twice is one message. */
  put(message: QueuedMail, db?: Kysely<OutboxTables>): Promise<void>;
  /** When the messages of a kind to an address were taken, since a time, newest first; `limit` at most. */
  takenSince(to: {
    readonly address: string;
    readonly kind: string;
    readonly since: Date;
    readonly limit: number;
  }): Promise<readonly string[]>;
  /** Messages that are due, oldest first. */
  due(now: Date, limit: number): Promise<readonly DueMail[]>;
  /** Ends a message; its content is forgotten, unless it is kept. */
  end(
    id: string,
    status: "sent" | "kept" | "refused" | "given_up",
    why: string | null,
    at: Date,
  ): Promise<void>;
  /** Has a message tried again at `dueAt`. */
  postpone(id: string, why: string, dueAt: Date): Promise<void>;
  /** A page of all messages, the newest first, one more than `limit` when there is another page. */
  list(page: {
    readonly limit: number;
    readonly cursor?: string | undefined;
  }): Promise<readonly ListedMail[]>;
  /** Forgets what ended before `before`; answers the ids. */
  sweep(before: Date): Promise<readonly string[]>;
};

/** Messages on their way out, at least once each. What they say is sealed: it holds names, addresses and tokens. */
export const outboxState = (deps: {
  readonly db: Kysely<OutboxTables>;
  readonly masterKey: Buffer;
}): OutboxState => {
  const { db, masterKey } = deps;

  const isTooMany = async (
    trx: Kysely<OutboxTables>,
    { mail, kind }: QueuedMail,
    { messages, since }: NonNullable<QueuedMail["atMost"]>,
  ): Promise<boolean> => {
    const digest = addressDigestOf(masterKey, mail.to.address);
    await sql`select pg_advisory_xact_lock(hashtextextended(${`outbox ${digest}`}, 0))`.execute(
      trx,
    );
    const { count } = await trx
      .selectFrom("outbox")
      .select((eb) => eb.fn.countAll<bigint>().as("count"))
      .where("address_hmac", "=", digest)
      .where("kind", "=", kind)
      .where("status", "!=", "none")
      .where("created_at", ">", since.toISOString())
      .where("id", "!=", mail.id)
      .executeTakeFirstOrThrow();
    return Number(count) >= messages;
  };

  const put: OutboxState["put"] = async (message, trx) => {
    const { mail, kind, userId, at, atMost } = message;
    if (atMost && !trx) {
      await db.transaction().execute((opened) => put(message, opened));
      return;
    }
    const into = trx ?? db;
    const pretence =
      message.pretence === true ||
      (atMost !== undefined && (await isTooMany(into, message, atMost)));
    await into
      .insertInto("outbox")
      .values({
        id: mail.id,
        user_id: userId,
        address_hmac: addressDigestOf(masterKey, mail.to.address),
        kind,
        status: pretence ? "none" : "due",
        mail_sealed: seal(masterKey, JSON.stringify(mail), sealContext(mail.id)),
        created_at: at,
        due_at: at,
        attempts: 0,
        last_error: null,
        ended_at: pretence ? at : null,
      })
      .onConflict((conflict) => conflict.column("id").doNothing())
      .execute();
  };

  return {
    put,
    takenSince: async ({ address, kind, since, limit }) => {
      const rows = await db
        .selectFrom("outbox")
        .select("created_at")
        .where("address_hmac", "=", addressDigestOf(masterKey, address))
        .where("kind", "=", kind)
        .where("status", "!=", "none")
        .where("created_at", ">", since.toISOString())
        .orderBy("created_at", "desc")
        .limit(limit)
        .execute();
      return rows.map(({ created_at }) => created_at);
    },
    due: async (now, limit) => {
      const rows = await db
        .selectFrom("outbox")
        .selectAll()
        .where("status", "=", "due")
        .where("due_at", "<=", now.toISOString())
        .orderBy("due_at")
        .limit(limit)
        .execute();
      return rows.flatMap(({ id, kind, attempts, mail_sealed, created_at }) =>
        mail_sealed === null
          ? []
          : [
              {
                mail: JSON.parse(open(masterKey, mail_sealed, sealContext(id))) as Mail,
                kind,
                attempts,
                createdAt: created_at,
              },
            ],
      );
    },
    end: async (id, status, why, at) => {
      await db
        .updateTable("outbox")
        .set({ status, last_error: why, ended_at: at.toISOString() })
        .$if(status !== "kept", (query) => query.set({ mail_sealed: null }))
        .where("id", "=", id)
        .where("status", "=", "due")
        .execute();
    },
    postpone: async (id, why, dueAt) => {
      await db
        .updateTable("outbox")
        .set({
          attempts: sql<number>`attempts + 1`,
          last_error: why,
          due_at: dueAt.toISOString(),
        })
        .where("id", "=", id)
        .where("status", "=", "due")
        .execute();
    },
    list: async ({ limit, cursor }) => {
      let query = db.selectFrom("outbox").selectAll().where("status", "!=", "none");
      if (cursor !== undefined) {
        query = query.where(
          sql<boolean>`(created_at, id) < (select created_at, id from outbox where id = ${cursor})`,
        );
      }
      const rows = await query
        .orderBy("created_at", "desc")
        .orderBy("id", "desc")
        .limit(limit + 1)
        .execute();
      return rows.map(({ mail_sealed: sealed, status, ...row }) => ({
        id: row.id,
        kind: row.kind,
        status: status as ListedMail["status"],
        created_at: row.created_at,
        attempts: row.attempts,
        last_error: row.last_error,
        ended_at: row.ended_at,
        mail:
          status === "kept" && sealed !== null
            ? (JSON.parse(open(masterKey, sealed, sealContext(row.id))) as Mail)
            : null,
      }));
    },
    sweep: async (before) => {
      const rows = await db
        .deleteFrom("outbox")
        .where("ended_at", "<", before.toISOString())
        .returning("id")
        .execute();
      return rows.map(({ id }) => id);
    },
  };
};

const sealContext = (id: string): string => `mail:${id}`;
