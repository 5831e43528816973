import { createHash, randomInt } from "node:crypto";
import { crc32 } from "node:zlib";
import type { Kysely } from "kysely";

export type ApiKeyTables = {
  api_key_hashes: {
    key_id: string;
    organization_id: string;
    name: string;
    hash: Buffer;
    expires_at: string | null;
    revoked_at: string | null;
    last_used_at: string | null;
  };
};

export type StoredApiKey = {
  readonly keyId: string;
  readonly name: string;
  readonly organizationId: string;
  readonly expiresAt: string | null;
};

export type ApiKeysState = {
  store(key: {
    readonly keyId: string;
    readonly organizationId: string;
    readonly name: string;
    readonly key: string;
    readonly expiresAt: string | null;
  }): Promise<void>;
  /** Deletes a key whose creation was rejected. */
  discard(keyId: string): Promise<void>;
  /** The key with this hash; null if unknown, revoked or expired. Records the use, to the minute. */
  findUsable(hash: Buffer, now: Date): Promise<StoredApiKey | null>;
  /** The organisation of a key, revoked or not; null if there is no such key. */
  ownerOf(keyId: string): Promise<string | null>;
  /** Deletes every key of an organisation. */
  forgetAll(organizationId: string): Promise<void>;
  /** Revokes a key of an organisation. Idempotent. */
  revoke(organizationId: string, keyId: string, at: string): Promise<void>;
};

const PREFIX = "ak_live_";
const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const RANDOM_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
const SHOWN_LENGTH = PREFIX.length + 4;
const LAST_USE_GRAIN_MS = 60_000;

/** A new key: `ak_live_`, 32 random letters and digits (190 bits), and a checksum that detects typing errors. */
export const newApiKey = (): { readonly key: string; readonly prefix: string } => {
  let body = PREFIX;
  for (let i = 0; i < RANDOM_LENGTH; i += 1) body += ALPHABET[randomInt(ALPHABET.length)];
  return { key: body + checksum(body), prefix: body.slice(0, SHOWN_LENGTH) };
};

/** Whether a text has the format and checksum of a key. */
export const isWellFormedApiKey = (text: string): boolean => {
  if (text.length !== PREFIX.length + RANDOM_LENGTH + CHECKSUM_LENGTH) return false;
  if (!text.startsWith(PREFIX)) return false;
  const body = text.slice(0, -CHECKSUM_LENGTH);
  return text === body + checksum(body);
};

/** Whether a credential has the prefix of an API key. Others are treated as access tokens. */
export const looksLikeApiKey = (text: string): boolean => text.startsWith(PREFIX);

const checksum = (body: string): string => {
  let rest = crc32(body);
  let text = "";
  for (let i = 0; i < CHECKSUM_LENGTH; i += 1) {
    text = ALPHABET[rest % ALPHABET.length] + text;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return text;
};

/** Hash of a key. SHA-256 suffices for 190 random bits: they cannot be guessed. */
export const apiKeyHash = (key: string): Buffer =>
  createHash("sha256").update(key, "utf8").digest();

/** The hashes of API keys, and their last use. */
export const apiKeysState = (db: Kysely<ApiKeyTables>): ApiKeysState => ({
  store: async ({ keyId, organizationId, name, key, expiresAt }) => {
    await db
      .insertInto("api_key_hashes")
      .values({
        key_id: keyId,
        organization_id: organizationId,
        name,
        hash: apiKeyHash(key),
        expires_at: expiresAt,
        revoked_at: null,
        last_used_at: null,
      })
      .execute();
  },
  discard: async (keyId) => {
    await db.deleteFrom("api_key_hashes").where("key_id", "=", keyId).execute();
  },
  findUsable: (hash, now) => findUsable(db, hash, now),
  ownerOf: async (keyId) => {
    const row = await db
      .selectFrom("api_key_hashes")
      .select("organization_id")
      .where("key_id", "=", keyId)
      .executeTakeFirst();
    return row?.organization_id ?? null;
  },
  forgetAll: async (organizationId) => {
    await db.deleteFrom("api_key_hashes").where("organization_id", "=", organizationId).execute();
  },
  revoke: async (organizationId, keyId, at) => {
    await db
      .updateTable("api_key_hashes")
      .set({ revoked_at: at })
      .where("key_id", "=", keyId)
      .where("organization_id", "=", organizationId)
      .where("revoked_at", "is", null)
      .execute();
  },
});

const findUsable = async (
  db: Kysely<ApiKeyTables>,
  hash: Buffer,
  now: Date,
): Promise<StoredApiKey | null> => {
  const row = await db
    .selectFrom("api_key_hashes")
    .selectAll()
    .where("hash", "=", hash)
    .executeTakeFirst();
  if (!row || row.revoked_at !== null) return null;
  if (row.expires_at !== null && row.expires_at <= now.toISOString()) return null;
  const lastUse = row.last_used_at === null ? 0 : Date.parse(row.last_used_at);
  if (now.getTime() - lastUse >= LAST_USE_GRAIN_MS) await recordUse(db, row.key_id, now);
  return {
    keyId: row.key_id,
    name: row.name,
    organizationId: row.organization_id,
    expiresAt: row.expires_at,
  };
};

const recordUse = async (db: Kysely<ApiKeyTables>, keyId: string, now: Date): Promise<void> => {
  await db
    .updateTable("api_key_hashes")
    .set({ last_used_at: now.toISOString() })
    .where("key_id", "=", keyId)
    // Of several processes, only one writes.
    .where((where) =>
      where.or([
        where("last_used_at", "is", null),
        where("last_used_at", "<=", new Date(now.getTime() - LAST_USE_GRAIN_MS).toISOString()),
      ]),
    )
    .execute();
};
