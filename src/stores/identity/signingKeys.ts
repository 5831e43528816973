import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from "jose";
import { type Kysely, sql } from "kysely";
import { open, seal } from "../../platform/crypto.ts";
import { SettingError } from "../../platform/settingError.ts";

export type SigningKeyTables = {
  signing_keys: {
    kid: string;
    public_jwk: JWK;
    private_jwk_sealed: string;
    active: boolean;
    created_at: string;
    activated_at: string | null;
    retired_at: string | null;
  };
};

const DAY_MS = 24 * 3_600_000;
/** How long one key signs. */
export const SIGNS_MS = 30 * DAY_MS;
/** The time between publishing a key and signing with it, so that cached copies of the JWKS contain it. */
export const PUBLISHED_MS = DAY_MS;
/** The time for which signatures of a retired key are valid: longer than the lifetime of any token. */
export const RETIRED_MS = 3_600_000;

/** ECDSA on P-256: every JWT library verifies it. */
export const SIGNING_ALGORITHM = "ES256";

export type SigningKeys = {
  /** The key that signs now. */
  readonly active: { readonly kid: string; readonly privateJwk: JWK };
  /** Every key whose signatures are valid, by `kid`. */
  readonly publicJwks: ReadonlyMap<string, JWK>;
};

export type KeyRing = {
  /** The keys as this process knows them. */
  current(): SigningKeys;
  /** Reloads the keys that other processes have changed. */
  reload(): Promise<void>;
  /**
   * Rotates the keys: creates the next key, activates it and deletes expired ones, each when due. Safe to call
   * concurrently.
   */
  rotate(now: Date): Promise<void>;
};

/** Opens the ring of the signing keys. Rejects as `loadSigningKeys` does. */
export const openKeyRing = async (
  deps: Parameters<typeof loadSigningKeys>[0],
): Promise<KeyRing> => {
  const { db } = deps;
  let keys = await loadSigningKeys(deps);
  const reload = async () => {
    keys = await loadSigningKeys(deps);
  };
  return {
    current: () => keys,
    reload,
    rotate: async (now) => {
      const at = now.toISOString();
      await db.transaction().execute(async (trx) => {
        // One at a time: two processes would else make two next keys.
        await sql`select pg_advisory_xact_lock(hashtext('runledger.signing_keys'))`.execute(trx);
        const rows = await trx.selectFrom("signing_keys").selectAll().execute();
        const active = rows.find((row) => row.active);
        const next = rows.find((row) => !row.active && row.activated_at === null);
        const signsFor = active ? now.getTime() - Date.parse(active.activated_at ?? at) : 0;
        if (!next && signsFor >= SIGNS_MS - PUBLISHED_MS) {
          await insertNewKey({ ...deps, db: trx, at }, { active: false });
        }
        const isDue = signsFor >= SIGNS_MS;
        if (next && isDue && now.getTime() - Date.parse(next.created_at) >= PUBLISHED_MS) {
          await trx
            .updateTable("signing_keys")
            .set({ active: false, retired_at: at })
            .where("active", "=", true)
            .execute();
          await trx
            .updateTable("signing_keys")
            .set({ active: true, activated_at: at })
            .where("kid", "=", next.kid)
            .execute();
        }
        await trx
          .deleteFrom("signing_keys")
          .where("retired_at", "<", new Date(now.getTime() - RETIRED_MS).toISOString())
          .execute();
      });
      await reload();
    },
  };
};

/**
 * Loads the signing keys and creates the first one if there is none; of several processes that start concurrently, one
 * creates it and all use it. Private keys are encrypted with the master key. Rejects if decryption fails, because the
 * master key is another one.
 */
const loadSigningKeys = async (deps: {
  readonly db: Kysely<SigningKeyTables>;
  readonly masterKey: Buffer;
  readonly at: string;
}): Promise<SigningKeys> => {
  const { db } = deps;
  const list = () => db.selectFrom("signing_keys").selectAll().execute();
  let rows = await list();
  if (!rows.some((row) => row.active)) {
    await insertNewKey(deps, { active: true });
    rows = await list();
  }
  const active = rows.find((row) => row.active);
  if (!active) throw new Error("No signing key is active");
  return {
    active: { kid: active.kid, privateJwk: openKey(deps.masterKey, active) },
    publicJwks: new Map(rows.map((row) => [row.kid, row.public_jwk])),
  };
};

/** Whether the data of this database was encrypted with a master key; null if nothing is encrypted yet. */
export const isMasterKeyOf = async (
  db: Kysely<SigningKeyTables>,
  masterKey: Buffer,
): Promise<boolean | null> => {
  const { rows } = await sql<{ there: boolean }>`
    SELECT to_regclass('signing_keys') IS NOT NULL AS there`.execute(db);
  if (!rows[0]?.there) return null;
  const row = await db.selectFrom("signing_keys").selectAll().limit(1).executeTakeFirst();
  if (!row) return null;
  try {
    openKey(masterKey, row);
    return true;
  } catch {
    return false;
  }
};

const insertNewKey = async (
  deps: Parameters<typeof loadSigningKeys>[0],
  { active }: { readonly active: boolean },
): Promise<void> => {
  const { publicKey, privateKey } = await generateKeyPair(SIGNING_ALGORITHM, { extractable: true });
  const jwk = await exportJWK(publicKey);
  const kid = await calculateJwkThumbprint(jwk);
  await deps.db
    .insertInto("signing_keys")
    .values({
      kid,
      public_jwk: JSON.stringify({ ...jwk, kid, alg: SIGNING_ALGORITHM, use: "sig" }) as never,
      private_jwk_sealed: seal(
        deps.masterKey,
        JSON.stringify(await exportJWK(privateKey)),
        sealContext(kid),
      ),
      active,
      created_at: deps.at,
      activated_at: active ? deps.at : null,
      retired_at: null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
};

const sealContext = (kid: string): string => `signing_key:${kid}`;

const openKey = (masterKey: Buffer, row: SigningKeyTables["signing_keys"]): JWK => {
  try {
    return JSON.parse(open(masterKey, row.private_jwk_sealed, sealContext(row.kid))) as JWK;
  } catch (error) {
    throw new SettingError(
      "The signing key cannot be opened: MASTER_KEY is not the one that this database was made with.",
      error,
    );
  }
};
