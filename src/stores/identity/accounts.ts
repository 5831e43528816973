import { createHash } from "node:crypto";
import type { Kysely } from "kysely";
import { randomToken } from "../../platform/crypto.ts";
import type { Db } from "../../platform/database/database.ts";
import type { Mail } from "../../platform/mail/port.ts";
import type { OutboxState, OutboxTables, QueuedMail } from "../notifications/outbox.ts";
import type { ExternalIdentityTables } from "./externalIdentities.ts";
import type { PersonTables } from "./persons.ts";
import type { RefreshTables } from "./refreshTokens.ts";

type TokenPurpose = "verify_email" | "reset_password";

export type AccountTables = PersonTables &
  RefreshTables &
  OutboxTables &
  ExternalIdentityTables & {
    identity_tokens: {
      hash: Buffer;
      purpose: TokenPurpose;
      user_id: string;
      created_at: string;
      expires_at: string;
    };
  };

/** Lifetime of mailed tokens, in hours. */
export const TOKEN_HOURS: Readonly<Record<TokenPurpose, number>> = {
  verify_email: 24,
  reset_password: 1,
};

/** Mails of one purpose sent to one person per hour; further ones are prepared and dropped. */
const MAILS_PER_HOUR = 5;
const HOUR_MS = 3_600_000;

/** A mail with a token in it. */
export type TokenMail = {
  readonly id: string;
  readonly purpose: TokenPurpose;
  readonly userId: string;
  readonly at: Date;
  /** Does the same work and sends nothing: the address is unknown. */
  readonly pretence: boolean;
  readonly write: (token: string) => Omit<Mail, "id">;
};

export type AccountsState = {
  /** Creates a token and queues its mail, in one transaction: `db` if given, else a new one. */
  mailToken(mail: TokenMail, db?: Db<AccountTables>): Promise<void>;
  /** The user of a valid token, without using it; null if it is unknown, used or expired. */
  ownerOf(purpose: TokenPurpose, token: string, now: Date): Promise<string | null>;
  /** Uses a token and marks the address as verified. False if the token was used in the meantime. */
  verifyEmail(token: string, now: Date): Promise<boolean>;
  /** Uses a token, sets the password and ends every session. False if the token was used in the meantime. */
  resetPassword(input: {
    readonly token: string;
    readonly passwordHash: string;
    readonly notice: QueuedMail;
    readonly now: Date;
  }): Promise<boolean>;
  /** Sets the password and ends every session except `keep`. */
  changePassword(input: {
    readonly userId: string;
    readonly passwordHash: string;
    readonly keep: string;
    readonly notice: QueuedMail;
    readonly now: Date;
  }): Promise<void>;
  /** Deletes expired tokens. */
  sweepTokens(now: Date): Promise<void>;
};

/** Changes that span several tables of an account. Tokens are stored as SHA-256 hashes. */
export const accountsState = (deps: {
  readonly db: Kysely<AccountTables>;
  readonly outbox: OutboxState;
}): AccountsState => {
  const { db, outbox } = deps;
  return {
    mailToken: (mail, trx) =>
      trx
        ? mailToken(trx, outbox, mail)
        : db.transaction().execute((opened) => mailToken(opened, outbox, mail)),

    ownerOf: async (purpose, token, now) => {
      const row = await db
        .selectFrom("identity_tokens")
        .select("user_id")
        .where("hash", "=", hashOf(token))
        .where("purpose", "=", purpose)
        .where("expires_at", ">", now.toISOString())
        .executeTakeFirst();
      return row?.user_id ?? null;
    },

    verifyEmail: (token, now) =>
      db.transaction().execute(async (trx) => {
        const userId = await useToken(trx, "verify_email", token, now);
        if (userId === null) return false;
        await setVerified(trx, userId, now.toISOString());
        return true;
      }),

    resetPassword: (input) => db.transaction().execute((trx) => resetPassword(trx, outbox, input)),

    changePassword: (input) =>
      db.transaction().execute((trx) => changePassword(trx, outbox, input)),

    sweepTokens: async (now) => {
      await db.deleteFrom("identity_tokens").where("expires_at", "<", now.toISOString()).execute();
    },
  };
};

type Trx = Kysely<AccountTables>;

const put = (trx: Trx, outbox: OutboxState, message: QueuedMail): Promise<void> =>
  outbox.put(message, trx as unknown as Kysely<OutboxTables>);

const mailToken = async (
  trx: Trx,
  outbox: OutboxState,
  { id, purpose, userId, at, pretence, write }: TokenMail,
) => {
  const { count } = await trx
    .selectFrom("identity_tokens")
    .select((eb) => eb.fn.countAll<bigint>().as("count"))
    .where("user_id", "=", userId)
    .where("purpose", "=", purpose)
    .where("created_at", ">", new Date(at.getTime() - HOUR_MS).toISOString())
    .executeTakeFirstOrThrow();
  const token = randomToken();
  const createdAt = at.toISOString();
  await trx
    .insertInto("identity_tokens")
    .values({
      hash: hashOf(token),
      purpose,
      user_id: userId,
      created_at: createdAt,
      expires_at: new Date(at.getTime() + TOKEN_HOURS[purpose] * HOUR_MS).toISOString(),
    })
    .execute();
  const mail = { id, ...write(token) };
  const isTooMany = Number(count) >= MAILS_PER_HOUR;
  await put(trx, outbox, {
    mail,
    kind: purpose,
    userId,
    at: createdAt,
    pretence: pretence || isTooMany,
  });
};

const resetPassword = async (
  trx: Trx,
  outbox: OutboxState,
  { token, passwordHash: hash, notice, now }: Parameters<AccountsState["resetPassword"]>[0],
): Promise<boolean> => {
  const userId = await useToken(trx, "reset_password", token, now);
  if (userId === null) return false;
  const at = now.toISOString();
  await setPassword(trx, { userId, hash, at });
  await endSessions(trx, { userId, keep: null, at });
  await deleteUnverifiedIdentities(trx, userId);
  // The token was mailed to the address, so its holder owns the address.
  await setVerified(trx, userId, at);
  await put(trx, outbox, notice);
  return true;
};

const changePassword = async (
  trx: Trx,
  outbox: OutboxState,
  input: Parameters<AccountsState["changePassword"]>[0],
): Promise<void> => {
  const { userId, passwordHash: hash, keep, notice, now } = input;
  const at = now.toISOString();
  await setPassword(trx, { userId, hash, at });
  await endSessions(trx, { userId, keep, at });
  // A reset requested earlier must not undo the change.
  await trx
    .deleteFrom("identity_tokens")
    .where("user_id", "=", userId)
    .where("purpose", "=", "reset_password")
    .execute();
  await put(trx, outbox, notice);
};

/** Deletes a valid token and the other tokens of the same purpose. Returns its user. */
const useToken = async (
  trx: Trx,
  purpose: TokenPurpose,
  token: string,
  now: Date,
): Promise<string | null> => {
  const used = await trx
    .deleteFrom("identity_tokens")
    .where("hash", "=", hashOf(token))
    .where("purpose", "=", purpose)
    .where("expires_at", ">", now.toISOString())
    .returning("user_id")
    .executeTakeFirst();
  if (!used) return null;
  await trx
    .deleteFrom("identity_tokens")
    .where("user_id", "=", used.user_id)
    .where("purpose", "=", purpose)
    .execute();
  return used.user_id;
};

const setVerified = async (trx: Trx, userId: string, at: string) => {
  await trx
    .updateTable("persons")
    .set({ verified_at: at })
    .where("id", "=", userId)
    .where("verified_at", "is", null)
    .execute();
};

const setPassword = async (
  trx: Trx,
  { userId, hash, at }: { userId: string; hash: string; at: string },
) => {
  await trx
    .insertInto("password_hashes")
    .values({ user_id: userId, hash, changed_at: at })
    .onConflict((conflict) => conflict.column("user_id").doUpdateSet({ hash, changed_at: at }))
    .execute();
};

const endSessions = async (
  trx: Trx,
  { userId, keep, at }: { userId: string; keep: string | null; at: string },
) => {
  let ended = trx
    .updateTable("refresh_families")
    .set({ revoked_at: at })
    .where("user_id", "=", userId)
    .where("revoked_at", "is", null);
  if (keep !== null) ended = ended.where("session_id", "!=", keep);
  await ended.execute();
};

/**
 * Deletes the linked identities of an unverified account: its creator may not own the address. `evolve` of the user
 * applies the same rule.
 */
const deleteUnverifiedIdentities = async (trx: Trx, userId: string) => {
  await trx
    .deleteFrom("external_identities")
    .using("persons")
    .whereRef("persons.id", "=", "external_identities.user_id")
    .where("persons.id", "=", userId)
    .where("persons.verified_at", "is", null)
    .execute();
};

const hashOf = (token: string): Buffer => createHash("sha256").update(token, "utf8").digest();
