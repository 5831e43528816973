import type { Kysely } from "kysely";
import { seal } from "../../platform/crypto.ts";

export type ByoKeyTables = {
  byo_keys: { user_id: string; key_sealed: string; set_at: string };
};

export type ByoKeysState = {
  /** Keeps a person's key, in place of the one before. */
  set(userId: string, key: string, at: string): Promise<void>;
  remove(userId: string): Promise<void>;
};

/** Keys that persons bring for services of others, sealed with the master key. */
export const byoKeysState = (deps: {
  readonly db: Kysely<ByoKeyTables>;
  readonly masterKey: Buffer;
}): ByoKeysState => ({
  set: async (userId, key, at) => {
    const key_sealed = seal(deps.masterKey, key, `byo_key:${userId}`);
    await deps.db
      .insertInto("byo_keys")
      .values({ user_id: userId, key_sealed, set_at: at })
      .onConflict((conflict) => conflict.column("user_id").doUpdateSet({ key_sealed, set_at: at }))
      .execute();
  },
  remove: async (userId) => {
    await deps.db.deleteFrom("byo_keys").where("user_id", "=", userId).execute();
  },
});
