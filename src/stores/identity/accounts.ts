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

/** How long what a mail says is good, in hours. */
export const TOKEN_HOURS: Readonly<Record<TokenPurpose, number>> = {
  verify_email: 24,
  reset_password: 1,
};

/** So many mails of one purpose go to one person within an hour: nobody floods a mailbox through us. */
const MAILS_AN_HOUR = 5;
const HOUR_MS = 3_600_000;

/** A mail with a token in it. */
export type TokenMail = {
  readonly id: string;
  readonly purpose: TokenPurpose;
  readonly userId: string;
  readonly at: Date;
  /** Nobody has the address: does the same work, and sends nothing. */
  readonly pretence: boolean;
  readonly write: (token: string) => Omit<Mail, "id">;
};

export type AccountsState = {
  /** Makes a token and puts its mail into the outbox, in one step; part of a transaction where one is given. */
  mailToken(mail: TokenMail, db?: Db<AccountTables>): Promise<void>;
  /** Whose token it is; null when it is unknown, used or expired. The token stays good. */
  ownerOf(purpose: TokenPurpose, token: string, now: Date): Promise<string | null>;
  /** Uses a token up: the address is its owner's. False when it was used up meanwhile. */
  verifyEmail(token: string, now: Date): Promise<boolean>;
  /** Uses a token up for a new password; every session ends with it. False when it was used up meanwhile. */
  resetPassword(input: {
    readonly token: string;
    readonly passwordHash: string;
    readonly notice: QueuedMail;
    readonly now: Date;
  }): Promise<boolean>;
  /** A new password; every session but `keep` ends with it. */
  changePassword(input: {
    readonly userId: string;
    readonly passwordHash: string;
    readonly keep: string;
    readonly notice: QueuedMail;
    readonly now: Date;
  }): Promise<void>;
  /** Forgets tokens that have expired. */
  sweepTokens(now: Date): Promise<void>;
};

/** What changes several of an account's tables at once. Tokens are kept as SHA-256. */
export const accountsState = (deps: {
  readonly db: Kysely<AccountTables>;
  readonly outbox: OutboxState;
}): AccountsState => {
  const { db, outbox } = deps;

  /** Deletes a good token and its siblings; answers whose it was. */
  const use = async (
    trx: Kysely<AccountTables>,
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

  const put = (trx: Kysely<AccountTables>, message: QueuedMail): Promise<void> =>
    outbox.put(message, trx as unknown as Kysely<OutboxTables>);

  const setVerified = async (trx: Kysely<AccountTables>, userId: string, at: string) => {
    await trx
      .updateTable("persons")
      .set({ verified_at: at })
      .where("id", "=", userId)
      .where("verified_at", "is", null)
      .execute();
  };

  const setPassword = async (
    trx: Kysely<AccountTables>,
    { userId, hash, at }: { userId: string; hash: string; at: string },
  ) => {
    await trx
      .insertInto("password_hashes")
      .values({ user_id: userId, hash, changed_at: at })
      .onConflict((conflict) => conflict.column("user_id").doUpdateSet({ hash, changed_at: at }))
      .execute();
  };

  const endSessions = async (
    trx: Kysely<AccountTables>,
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

  /** Who opened an account with an address that was not theirs does not keep a way in (as `evolve` of a user has it). */
  const forgetUnprovenIdentities = async (trx: Kysely<AccountTables>, userId: string) => {
    await trx
      .deleteFrom("external_identities")
      .using("persons")
      .whereRef("persons.id", "=", "external_identities.user_id")
      .where("persons.id", "=", userId)
      .where("persons.verified_at", "is", null)
      .execute();
  };

  const mailToken = async (
    trx: Kysely<AccountTables>,
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
    const isTooMany = Number(count) >= MAILS_AN_HOUR;
    await put(trx, {
      mail,
      kind: purpose,
      userId,
      at: createdAt,
      pretence: pretence || isTooMany,
    });
  };

  return {
    mailToken: (mail, trx) =>
      trx ? mailToken(trx, mail) : db.transaction().execute((opened) => mailToken(opened, mail)),

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
        const userId = await use(trx, "verify_email", token, now);
        if (userId === null) return false;
        await setVerified(trx, userId, now.toISOString());
        return true;
      }),

    resetPassword: ({ token, passwordHash: hash, notice, now }) =>
      db.transaction().execute(async (trx) => {
        const userId = await use(trx, "reset_password", token, now);
        if (userId === null) return false;
        const at = now.toISOString();
        await setPassword(trx, { userId, hash, at });
        await endSessions(trx, { userId, keep: null, at });
        await forgetUnprovenIdentities(trx, userId);
        // The token came by mail: whoever has it reads what is sent there.
        await setVerified(trx, userId, at);
        await put(trx, notice);
        return true;
      }),

    changePassword: ({ userId, passwordHash: hash, keep, notice, now }) =>
      db.transaction().execute(async (trx) => {
        const at = now.toISOString();
        await setPassword(trx, { userId, hash, at });
        await endSessions(trx, { userId, keep, at });
        // A reset that was asked for before must not undo this.
        await trx
          .deleteFrom("identity_tokens")
          .where("user_id", "=", userId)
          .where("purpose", "=", "reset_password")
          .execute();
        await put(trx, notice);
      }),

    sweepTokens: async (now) => {
      await db.deleteFrom("identity_tokens").where("expires_at", "<", now.toISOString()).execute();
    },
  };
};

const hashOf = (token: string): Buffer => createHash("sha256").update(token, "utf8").digest();
