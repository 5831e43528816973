import { type Kysely, sql } from "kysely";
import { open, seal } from "../../platform/crypto.ts";
import type { Mail } from "../../platform/mail/port.ts";
import { addressDigestOf } from "../identity/persons.ts";

export type OutboxTables = {
  outbox: {
    id: string;
    user_id: string | null;
    /** Digest of the address (`PersonsState.addressDigest`); null in rows of older releases. */
    address_hmac: string | null;
    kind: string;
    /** `kept`: no mail server is configured and the operator reads the mail. `none`: a decoy. */
    status: "due" | "none" | "sent" | "kept" | "refused" | "given_up";
    mail_sealed: string | null;
    created_at: string;
    due_at: string;
    attempts: number;
    last_error: string | null;
    ended_at: string | null;
  };
};

/** A mail to be sent. `kind` is for logs: `verify_email`. */
export type QueuedMail = {
  readonly mail: Mail;
  readonly kind: string;
  /** The user that it is for, whose erasure removes it; null for an address without an account. */
  readonly userId: string | null;
  readonly at: string;
  /** A decoy that is never sent. It makes the request take the same time whether or not the address has an account. */
  readonly pretence?: boolean;
  /** Limit of mails of this kind to the address since a time. Further ones become decoys, also concurrent ones. */
  readonly atMost?: { readonly messages: number; readonly since: Date };
};

export type DueMail = {
  readonly mail: Mail;
  readonly kind: string;
  /** Number of earlier tries. */
  readonly attempts: number;
  readonly createdAt: string;
};

/** A mail as shown to the operator. `mail` is null unless the status is `kept`. */
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
  /** Adds a mail, within the given transaction if any. The same id is added once. */
  put(message: QueuedMail, db?: Kysely<OutboxTables>): Promise<void>;
  /** Creation times of the mails of a kind to an address since a time, newest first, up to `limit`. */
  takenSince(to: {
    readonly address: string;
    readonly kind: string;
    readonly since: Date;
    readonly limit: number;
  }): Promise<readonly string[]>;
  /** Due mails, oldest first. */
  due(now: Date, limit: number): Promise<readonly DueMail[]>;
  /** Ends a mail and deletes its content unless the status is `kept`. */
  end(
    id: string,
    status: "sent" | "kept" | "refused" | "given_up",
    why: string | null,
    at: Date,
  ): Promise<void>;
  /** Schedules another try at `dueAt`. */
  postpone(id: string, why: string, dueAt: Date): Promise<void>;
  /** A page of mails, newest first: up to `limit`, plus one if there is another page. */
  list(page: {
    readonly limit: number;
    readonly cursor?: string | undefined;
  }): Promise<readonly ListedMail[]>;
  /** Deletes mails that ended before `before`. Resolves with their ids. */
  sweep(before: Date): Promise<readonly string[]>;
};

type OutboxDeps = { readonly db: Kysely<OutboxTables>; readonly masterKey: Buffer };

/** The mails to be sent, at least once each. Their content is sealed: it has names, addresses and tokens. */
export const outboxState = (deps: OutboxDeps): OutboxState => ({
  put: (message, trx) => put(deps, message, trx),
  takenSince: (to) => takenSince(deps, to),
  due: (now, limit) => due(deps, now, limit),
  end: (id, status, why, at) => end(deps, id, status, why, at),
  postpone: (id, why, dueAt) => postpone(deps, id, why, dueAt),
  list: (page) => list(deps, page),
  sweep: (before) => sweep(deps, before),
});

const isTooMany = async (
  { masterKey }: OutboxDeps,
  trx: Kysely<OutboxTables>,
  { mail, kind }: QueuedMail,
  { messages, since }: NonNullable<QueuedMail["atMost"]>,
): Promise<boolean> => {
  const digest = addressDigestOf(masterKey, mail.to.address);
  await sql`select pg_advisory_xact_lock(hashtextextended(${`outbox ${digest}`}, 0))`.execute(trx);
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

const put = async (
  deps: OutboxDeps,
  message: QueuedMail,
  trx?: Kysely<OutboxTables>,
): Promise<void> => {
  const { db, masterKey } = deps;
  const { mail, kind, userId, at, atMost } = message;
  if (atMost && !trx) {
    await db.transaction().execute((opened) => put(deps, message, opened));
    return;
  }
  const into = trx ?? db;
  const pretence =
    message.pretence === true ||
    (atMost !== undefined && (await isTooMany(deps, into, message, atMost)));
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

const takenSince = async (
  { db, masterKey }: OutboxDeps,
  { address, kind, since, limit }: Parameters<OutboxState["takenSince"]>[0],
): Promise<readonly string[]> => {
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
};

const due = async (
  { db, masterKey }: OutboxDeps,
  now: Date,
  limit: number,
): Promise<readonly DueMail[]> => {
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
};

const end = async (
  { db }: OutboxDeps,
  id: string,
  status: Parameters<OutboxState["end"]>[1],
  why: string | null,
  at: Date,
): Promise<void> => {
  await db
    .updateTable("outbox")
    .set({ status, last_error: why, ended_at: at.toISOString() })
    .$if(status !== "kept", (query) => query.set({ mail_sealed: null }))
    .where("id", "=", id)
    .where("status", "=", "due")
    .execute();
};

const postpone = async (
  { db }: OutboxDeps,
  id: string,
  why: string,
  dueAt: Date,
): Promise<void> => {
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
};

const list = async (
  { db, masterKey }: OutboxDeps,
  { limit, cursor }: Parameters<OutboxState["list"]>[0],
): Promise<readonly ListedMail[]> => {
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
};

const sweep = async ({ db }: OutboxDeps, before: Date): Promise<readonly string[]> => {
  const rows = await db
    .deleteFrom("outbox")
    .where("ended_at", "<", before.toISOString())
    .returning("id")
    .execute();
  return rows.map(({ id }) => id);
};

const sealContext = (id: string): string => `mail:${id}`;
