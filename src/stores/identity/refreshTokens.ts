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

/** Maximum lifetime of a session, and of an unused one, in milliseconds. */
export const SESSION_LIFETIME_MS = 90 * 24 * 3_600_000;
const IDLE_LIFETIME_MS = 30 * 24 * 3_600_000;

/** How long a used token still returns its successor, in milliseconds: the first response may have been lost. */
const GRACE_MS = 10_000;

export type IssuedRefreshToken = { readonly token: string; readonly expiresAt: string };

export type Rotation =
  | {
      readonly kind: "rotated";
      readonly userId: string;
      readonly sessionId: string;
      readonly next: IssuedRefreshToken;
    }
  /** The token is unknown or expired, or its session has ended. */
  | { readonly kind: "refused" }
  /** The token was used before the grace period: the session has been ended. */
  | { readonly kind: "reused"; readonly userId: string; readonly sessionId: string };

/** Client of a session: user agent and network address. Both are personal data. */
export type Client = { readonly device: string; readonly address: string };

/** An open session as listed for its owner. */
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
  /** Exchanges a token for its successor. A second use after the grace period ends the family. */
  rotate(token: string, now: Date, client: Client): Promise<Rotation>;
  /** The session of a valid token, without using it; null otherwise. */
  peek(
    token: string,
    now: Date,
  ): Promise<{ readonly userId: string; readonly sessionId: string } | null>;
  /** The session of a known token, valid or not; null if it is unknown. */
  sessionOf(token: string): Promise<{ readonly userId: string; readonly sessionId: string } | null>;
  /** Ends a session. Idempotent. */
  revoke(sessionId: string, at: string): Promise<void>;
  /** Ends every session of a user except `keep`. */
  revokeOthers(userId: string, keep: string, at: string): Promise<void>;
  /** The open sessions of a user, most recently used first. */
  list(userId: string, now: Date): Promise<readonly ListedSession[]>;
  /** The user of a session, open or not; null if it is unknown. */
  ownerOf(sessionId: string): Promise<string | null>;
  isOpen(sessionId: string, userId: string, now: Date): Promise<boolean>;
};

/**
 * Stores refresh tokens as hashes, one family per session. A token's successor is its HMAC under the master key, so
 * that a lost response can be repeated without storing tokens, and concurrent refreshes get the same successor.
 */
export const refreshTokensState = (deps: {
  readonly db: Kysely<RefreshTables>;
  readonly masterKey: Buffer;
}): RefreshTokensState => {
  const { db, masterKey } = deps;
  return {
    open: (session) => db.transaction().execute((trx) => openFamily(trx, session)),

    rotate: (token, now, client) =>
      db.transaction().execute((trx) => rotate(trx, masterKey, { token, now, client })),

    peek: async (token, now) => {
      const found = await lookUp(db, token).executeTakeFirst();
      if (!found || !isValid(found, now)) return null;
      if (found.usedAt !== null && !isWithinGrace(found.usedAt, now)) return null;
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

    list: (userId, now) => listSessions(db, userId, now),

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

const lookUp = (db: Kysely<RefreshTables>, token: string) =>
  db
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

const openFamily = async (
  trx: Kysely<RefreshTables>,
  session: Parameters<RefreshTokensState["open"]>[0],
): Promise<IssuedRefreshToken> => {
  const { sessionId, userId, openedAt, expiresAt, method, client } = session;
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
      ...sanitised(client),
      last_used_at: openedAt,
    })
    .execute();
  const token = randomToken();
  const until = idleEnd(new Date(openedAt), expiresAt);
  await insertToken(trx, token, sessionId, until);
  return { token, expiresAt: until };
};

const rotate = async (
  trx: Kysely<RefreshTables>,
  masterKey: Buffer,
  { token, now, client }: { readonly token: string; readonly now: Date; readonly client: Client },
): Promise<Rotation> => {
  // The row locks serialise concurrent refreshes of a session.
  const found = await lookUp(trx, token)
    .forUpdate(["refresh_families", "refresh_tokens"])
    .executeTakeFirst();
  if (!found || !isValid(found, now)) return { kind: "refused" };
  const { userId, sessionId, sessionExpiresAt, usedAt } = found;
  const next = hmac(masterKey, "refresh.successor", token);
  if (usedAt === null) {
    const expiresAt = idleEnd(now, sessionExpiresAt);
    await markUsed(trx, { token, sessionId, client, at: now.toISOString() });
    await insertToken(trx, next, sessionId, expiresAt);
    return { kind: "rotated", userId, sessionId, next: { token: next, expiresAt } };
  }
  const successor = await lookUp(trx, next).executeTakeFirst();
  if (isWithinGrace(usedAt, now) && successor?.usedAt === null) {
    const { expiresAt } = successor;
    return { kind: "rotated", userId, sessionId, next: { token: next, expiresAt } };
  }
  await revoke(trx, sessionId, now.toISOString());
  return { kind: "reused", userId, sessionId };
};

/** Marks a token as used, deletes the expired tokens of its session, and updates the client. */
const markUsed = async (
  trx: Kysely<RefreshTables>,
  used: {
    readonly token: string;
    readonly sessionId: string;
    readonly client: Client;
    readonly at: string;
  },
): Promise<void> => {
  const { token, sessionId, client, at } = used;
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
    .set({ ...sanitised(client), last_used_at: at })
    .where("session_id", "=", sessionId)
    .execute();
};

const listSessions = async (
  db: Kysely<RefreshTables>,
  userId: string,
  now: Date,
): Promise<readonly ListedSession[]> => {
  const rows = await db
    .selectFrom("refresh_families")
    .selectAll()
    .where("user_id", "=", userId)
    .where("revoked_at", "is", null)
    .where((eb) =>
      // A session has also ended if its last token expired unused.
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
};

/** Truncates the user agent to 256 characters and replaces control characters. */
const sanitised = ({ device, address }: Client): Client => ({
  device: device.replace(/\p{Cc}+/gu, " ").slice(0, 256),
  address,
});

const hashOf = (token: string): Buffer => createHash("sha256").update(token, "utf8").digest();

const idleEnd = (from: Date, sessionExpiresAt: string): string => {
  const idle = new Date(from.getTime() + IDLE_LIFETIME_MS).toISOString();
  return idle < sessionExpiresAt ? idle : sessionExpiresAt;
};

const isValid = (
  found: { readonly revokedAt: string | null; readonly expiresAt: string },
  now: Date,
): boolean => found.revokedAt === null && found.expiresAt > now.toISOString();

const isWithinGrace = (usedAt: string, now: Date): boolean =>
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
