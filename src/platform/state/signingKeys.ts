import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from "jose";
import type { Kysely } from "kysely";
import { open, seal } from "../crypto.ts";

export type SigningKeyTables = {
  signing_keys: {
    kid: string;
    public_jwk: JWK;
    private_jwk_sealed: string;
    active: boolean;
    created_at: string;
  };
};

/** ECDSA on P-256: every JWT library verifies it. */
export const SIGNING_ALGORITHM = "ES256";

export type SigningKeys = {
  /** The key that signs now. */
  readonly active: { readonly kid: string; readonly privateJwk: JWK };
  /** Every key whose signatures still count, by `kid`. */
  readonly publicJwks: ReadonlyMap<string, JWK>;
};

/**
 * Loads the signing keys, and makes the first one where there is none; of several processes that start
 * at once, one's key wins and all use it. The private part is kept sealed with the master key.
 * Rejects when it cannot be opened: the master key is not the one it was sealed with.
 */
export const loadSigningKeys = async (deps: {
  readonly db: Kysely<SigningKeyTables>;
  readonly masterKey: Buffer;
  readonly at: string;
}): Promise<SigningKeys> => {
  const { db } = deps;
  const list = () => db.selectFrom("signing_keys").selectAll().execute();
  let rows = await list();
  if (!rows.some((row) => row.active)) {
    await insertNewKey(deps);
    rows = await list();
  }
  const active = rows.find((row) => row.active);
  if (!active) throw new Error("No signing key is active");
  return {
    active: { kid: active.kid, privateJwk: openKey(deps.masterKey, active) },
    publicJwks: new Map(rows.map((row) => [row.kid, row.public_jwk])),
  };
};

const insertNewKey = async (deps: Parameters<typeof loadSigningKeys>[0]): Promise<void> => {
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
      active: true,
      created_at: deps.at,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
};

const sealContext = (kid: string): string => `signing_key:${kid}`;

const openKey = (masterKey: Buffer, row: SigningKeyTables["signing_keys"]): JWK => {
  try {
    return JSON.parse(open(masterKey, row.private_jwk_sealed, sealContext(row.kid))) as JWK;
  } catch (error) {
    throw new Error(
      "The signing key cannot be opened: MASTER_KEY is not the one that this database was made with.",
      { cause: error },
    );
  }
};
