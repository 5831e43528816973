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
  /** The id of an identity: the same for the same identity, and nobody can tell it from the subject. */
  idOf(identity: ExternalIdentity): string;
  /** Whose an identity is; null when it is linked to nobody. */
  ownerOf(identity: ExternalIdentity): Promise<string | null>;
  /** Links an identity, as part of a transaction where one is given. Twice is once; false when it is linked to somebody else. */
  link(
    link: { readonly identity: ExternalIdentity; readonly userId: string; readonly at: string },
    db?: Db,
  ): Promise<boolean>;
};

/** Namespace of the ids of identities (a fixed random UUID). */
const IDENTITIES = "2f1c7a36-52b1-4b8c-9f0e-6d7e0a4c9b55";

/** Who is known as whom at other providers. The subjects stand here alone, and go with the person. */
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
