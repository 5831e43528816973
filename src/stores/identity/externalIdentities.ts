import type { Kysely } from "kysely";
import { hmac } from "../../platform/crypto.ts";
import { derivedId } from "../../platform/ids.ts";

export type ExternalIdentityTables = {
  external_identities: {
    id: string;
    user_id: string;
    provider: string;
    issuer: string;
    subject: string;
    linked_at: string;
  };
};

/** Somebody as a provider knows them. */
export type ExternalIdentity = {
  readonly provider: string;
  readonly issuer: string;
  readonly subject: string;
};

type Db = Pick<Kysely<ExternalIdentityTables>, "selectFrom" | "insertInto">;

export type ExternalIdentitiesState = {
  /** The id of an identity: deterministic, and the subject cannot be derived from it. */
  idOf(identity: ExternalIdentity): string;
  /** The owner of an identity; null if it is not linked. */
  ownerOf(identity: ExternalIdentity): Promise<string | null>;
  /**
   * Links an identity, within the given transaction if there is one. Idempotent; false if it is linked to another user.
   */
  link(
    link: { readonly identity: ExternalIdentity; readonly userId: string; readonly at: string },
    db?: Db,
  ): Promise<boolean>;
};

/** Namespace of the ids of identities (a fixed random UUID). */
const IDENTITIES = "2f1c7a36-52b1-4b8c-9f0e-6d7e0a4c9b55";

/**
 * Links between users and identities of OpenID providers. Subjects are stored only here and are deleted with the user.
 */
export const externalIdentitiesState = (deps: {
  readonly db: Kysely<ExternalIdentityTables>;
  readonly masterKey: Buffer;
}): ExternalIdentitiesState => {
  const { masterKey } = deps;
  const idOf: ExternalIdentitiesState["idOf"] = ({ provider, issuer, subject }) =>
    derivedId(
      IDENTITIES,
      hmac(masterKey, "oauth.identity", JSON.stringify([provider, issuer, subject])),
    );
  const ownerOf = async (identity: ExternalIdentity, db: Db = deps.db): Promise<string | null> => {
    const row = await db
      .selectFrom("external_identities")
      .select("user_id")
      .where("id", "=", idOf(identity))
      .executeTakeFirst();
    return row?.user_id ?? null;
  };
  return {
    idOf,
    ownerOf: (identity) => ownerOf(identity),
    link: async ({ identity, userId, at }, db = deps.db) => {
      await db
        .insertInto("external_identities")
        .values({ id: idOf(identity), user_id: userId, ...identity, linked_at: at })
        .onConflict((conflict) => conflict.column("id").doNothing())
        .execute();
      return (await ownerOf(identity, db)) === userId;
    },
  };
};
