import { createHash } from "node:crypto";
import type { Kysely } from "kysely";
import { hmac, randomToken } from "../../platform/crypto.ts";

export type RefreshTables = {
  refresh_families: {
    session_id: string;
    user_id: string;
    opened_at: string;
    expires_at: string;
    revoked_at: string | null;
    method: string;
    device: string;
    address: string;
    last_used_at: string | null;
  };
  refresh_tokens: {
    hash: Buffer;
    session_id: string;
    expires_at: string;
    used_at: string | null;
  };
};

/** How long a session lasts at most, and how long it lasts unused. Milliseconds. */
export const SESSION_LIFETIME_MS = 90 * 24 * 3_600_000;
const IDLE_LIFETIME_MS = 30 * 24 * 3_600_000;

/** How long a used token is answered again, with the same successor: its first answer may have been lost. */
const GRACE_MS = 10_000;

export type IssuedRefreshToken = { readonly token: string; readonly expiresAt: string };

export type Rotation =
  | {
      readonly kind: "rotated";
      readonly userId: string;
      readonly sessionId: string;
      readonly next: IssuedRefreshToken;
    }
  /** Unknown, expired, or of a session that has ended. */
  | { readonly kind: "refused" }
  /** Used before, and not just now: the session has been ended. */
  | { readonly kind: "reused"; readonly userId: string; readonly sessionId: string };

/** From where a session is used: the browser as it names itself, and the network address. Both are personal data. */
export type Client = { readonly device: string; readonly address: string };

/** An open session, as its owner sees it. */
export type ListedSession = Client & {
  readonly sessionId: string;
  readonly method: string;
  readonly openedAt: string;
  readonly lastUsedAt: string;
  readonly expiresAt: string;
};

export type RefreshTokensState = {
  /** Opens the family of a session with its first token. */
  open(session: {
    readonly sessionId: string;
    readonly userId: string;
    readonly openedAt: string;
    readonly expiresAt: string;
    readonly method: string;
    readonly client: Client;
  }): Promise<IssuedRefreshToken>;
  /** Takes a token and gives its successor; a second use ends the family, but for a short grace. */
  rotate(token: string, now: Date, client: Client): Promise<Rotation>;
  /** Whose session a token is of, without using it; null when it is not good any more. */
  peek(
    token: string,
    now: Date,
  ): Promise<{ readonly userId: string; readonly sessionId: string } | null>;
  /** The session of a token that is known, good or not: to log out with. */
  sessionOf(token: string): Promise<{ readonly userId: string; readonly sessionId: string } | null>;
  /** Ends a session. Ending it twice is ending it once. */
  revoke(sessionId: string, at: string): Promise<void>;
  /** Ends every session of a user but one. */
  revokeOthers(userId: string, keep: string, at: string): Promise<void>;
  /** The open sessions of a user, the one used last first. */
  list(userId: string, now: Date): Promise<readonly ListedSession[]>;
  /** Whose session it is, open or not; null when it is unknown. */
  ownerOf(sessionId: string): Promise<string | null>;
  /** Whether a session of this user is open. */
  isOpen(sessionId: string, userId: string, now: Date): Promise<boolean>;
};

/**
 * Refresh tokens: hashes alone, a family for each session. A successor is the HMAC of the token that it
 * follows, under the master key, so that a lost answer can be given again although no token is kept,
 * and twenty refreshes at once get the same one.
 */
export const refreshTokensState = (deps: {
  readonly db: Kysely<RefreshTables>;
  readonly masterKey: Buffer;
}): RefreshTokensState => {
  const { db, masterKey } = deps;
  const successorOf = (token: string) => hmac(masterKey, "refresh.successor", token);

  const lookUp = (trx: Kysely<RefreshTables>, token: string) =>
    trx
      .selectFrom("refresh_tokens")
      .innerJoin("refresh_families", "refresh_families.session_id", "refresh_tokens.session_id")
      .select([
        "refresh_families.session_id as sessionId",
        "refresh_families.user_id as userId",
        "refresh_families.expires_at as sessionExpiresAt",
        "refresh_families.revoked_at as revokedAt",
        "refresh_tokens.expires_at as expiresAt",
        "refresh_tokens.used_at as usedAt",
      ])
      .where("refresh_tokens.hash", "=", hashOf(token));

  return {
    open: ({ sessionId, userId, openedAt, expiresAt, method, client }) =>
      db.transaction().execute(async (trx) => {
        await trx
          .deleteFrom("refresh_families")
          .where("user_id", "=", userId)
          .where("expires_at", "<", openedAt)
          .execute();
        await trx
          .insertInto("refresh_families")
          .values({
            session_id: sessionId,
            user_id: userId,
            opened_at: openedAt,
            expires_at: expiresAt,
            revoked_at: null,
            method,
            ...shown(client),
            last_used_at: openedAt,
          })
          .execute();
        const token = randomToken();
        const until = idleEnd(new Date(openedAt), expiresAt);
        await insertToken(trx, token, sessionId, until);
        return { token, expiresAt: until };
      }),

    rotate: (token, now, client) =>
      db.transaction().execute(async (trx): Promise<Rotation> => {
        // The family's row is the lock: refreshes of one session go one after the other.
        const found = await lookUp(trx, token)
          .forUpdate(["refresh_families", "refresh_tokens"])
          .executeTakeFirst();
        if (!found || !isGood(found, now)) return { kind: "refused" };
        const { userId, sessionId, sessionExpiresAt, usedAt } = found;
        const next = successorOf(token);
        if (usedAt === null) {
          const at = now.toISOString();
          const expiresAt = idleEnd(now, sessionExpiresAt);
          await trx
            .updateTable("refresh_tokens")
            .set({ used_at: at })
            .where("hash", "=", hashOf(token))
            .execute();
          await trx
            .deleteFrom("refresh_tokens")
            .where("session_id", "=", sessionId)
            .where("expires_at", "<", at)
            .execute();
          await trx
            .updateTable("refresh_families")
            .set({ ...shown(client), last_used_at: at })
            .where("session_id", "=", sessionId)
            .execute();
          await insertToken(trx, next, sessionId, expiresAt);
          return { kind: "rotated", userId, sessionId, next: { token: next, expiresAt } };
        }
        const successor = await lookUp(trx, next).executeTakeFirst();
        if (isJustUsed(usedAt, now) && successor?.usedAt === null) {
          const { expiresAt } = successor;
          return { kind: "rotated", userId, sessionId, next: { token: next, expiresAt } };
        }
        await revoke(trx, sessionId, now.toISOString());
        return { kind: "reused", userId, sessionId };
      }),

    peek: async (token, now) => {
      const found = await lookUp(db, token).executeTakeFirst();
      if (!found || !isGood(found, now)) return null;
      if (found.usedAt !== null && !isJustUsed(found.usedAt, now)) return null;
      return { userId: found.userId, sessionId: found.sessionId };
    },

    sessionOf: async (token) => {
      const found = await lookUp(db, token).executeTakeFirst();
      return found ? { userId: found.userId, sessionId: found.sessionId } : null;
    },

    revoke: (sessionId, at) => revoke(db, sessionId, at),

    revokeOthers: async (userId, keep, at) => {
      await db
        .updateTable("refresh_families")
        .set({ revoked_at: at })
        .where("user_id", "=", userId)
        .where("session_id", "!=", keep)
        .where("revoked_at", "is", null)
        .execute();
    },

    list: async (userId, now) => {
      const rows = await db
        .selectFrom("refresh_families")
        .selectAll()
        .where("user_id", "=", userId)
        .where("revoked_at", "is", null)
        .where((eb) =>
          // A session ends too when nobody has used it for so long that its last token is over.
          eb.exists(
            eb
              .selectFrom("refresh_tokens")
              .select("refresh_tokens.hash")
              .whereRef("refresh_tokens.session_id", "=", "refresh_families.session_id")
              .where("refresh_tokens.used_at", "is", null)
              .where("refresh_tokens.expires_at", ">", now.toISOString()),
          ),
        )
        .orderBy("last_used_at", "desc")
        .orderBy("session_id", "desc")
        .limit(100)
        .execute();
      return rows.map((row) => ({
        sessionId: row.session_id,
        method: row.method,
        device: row.device,
        address: row.address,
        openedAt: row.opened_at,
        lastUsedAt: row.last_used_at ?? row.opened_at,
        expiresAt: row.expires_at,
      }));
    },

    ownerOf: async (sessionId) => {
      const row = await db
        .selectFrom("refresh_families")
        .select("user_id")
        .where("session_id", "=", sessionId)
        .executeTakeFirst();
      return row?.user_id ?? null;
    },

    isOpen: async (sessionId, userId, now) => {
      const row = await db
        .selectFrom("refresh_families")
        .select("session_id")
        .where("session_id", "=", sessionId)
        .where("user_id", "=", userId)
        .where("revoked_at", "is", null)
        .where("expires_at", ">", now.toISOString())
        .executeTakeFirst();
      return row !== undefined;
    },
  };
};

/** A browser may call itself anything: at most 256 characters of it are kept, none of them control characters. */
const shown = ({ device, address }: Client): Client => ({
  device: device.replace(/\p{Cc}+/gu, " ").slice(0, 256),
  address,
});

const hashOf = (token: string): Buffer => createHash("sha256").update(token, "utf8").digest();

const idleEnd = (from: Date, sessionExpiresAt: string): string => {
  const idle = new Date(from.getTime() + IDLE_LIFETIME_MS).toISOString();
  return idle < sessionExpiresAt ? idle : sessionExpiresAt;
};

const isGood = (
  found: { readonly revokedAt: string | null; readonly expiresAt: string },
  now: Date,
): boolean => found.revokedAt === null && found.expiresAt > now.toISOString();

const isJustUsed = (usedAt: string, now: Date): boolean =>
  now.getTime() - Date.parse(usedAt) <= GRACE_MS;

const insertToken = async (
  trx: Kysely<RefreshTables>,
  token: string,
  sessionId: string,
  expiresAt: string,
): Promise<void> => {
  await trx
    .insertInto("refresh_tokens")
    .values({ hash: hashOf(token), session_id: sessionId, expires_at: expiresAt, used_at: null })
    .execute();
};

const revoke = async (db: Kysely<RefreshTables>, sessionId: string, at: string): Promise<void> => {
  await db
    .updateTable("refresh_families")
    .set({ revoked_at: at })
    .where("session_id", "=", sessionId)
    .where("revoked_at", "is", null)
    .execute();
};
