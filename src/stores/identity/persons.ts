import type { Kysely } from "kysely";
import { hmac } from "../../platform/crypto.ts";
import type { AnySchema, Db } from "../../platform/database/database.ts";

export type PersonTables = {
  persons: {
    id: string;
    address_hmac: string;
    email: string;
    name: string;
    verified_at: string | null;
    signup_organization_id: string;
    created_at: string;
    signed_up_at: string | null;
  };
  password_hashes: { user_id: string; hash: string; changed_at: string };
};

export type Person = {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly emailVerified: boolean;
  /** The organisation that the signup creates. */
  readonly signupOrganizationId: string;
  readonly signedUp: boolean;
};

export type PersonsState = {
  /**
   * Reserves an address and the ids of its signup. Returns the existing person if the address is taken: unless
   * `signedUp`, the signup resumes with that person's ids.
   */
  reserve(person: {
    readonly id: string;
    readonly email: string;
    readonly name: string;
    readonly signupOrganizationId: string;
    readonly at: string;
  }): Promise<Person>;
  /**
   * Completes a signup with its final name, address and password. `also` runs in the same transaction. False if the
   * signup is already complete.
   */
  completeSignUp(
    person: {
      readonly id: string;
      readonly email: string;
      readonly name: string;
      readonly passwordHash: string | null;
      /** The identity provider has verified the address. */
      readonly verified: boolean;
      readonly at: string;
    },
    also: (trx: Db<AnySchema>) => Promise<void>,
  ): Promise<boolean>;
  /** The person with an address and their password hash; null if unknown or without a password. */
  findCredential(
    email: string,
  ): Promise<{ readonly person: Person; readonly passwordHash: string } | null>;
  find(id: string): Promise<Person | null>;
  /** The person with an address; null if unknown or before the signup is complete. */
  findByAddress(email: string): Promise<Person | null>;
  /** The password hash of a person; null if there is none. */
  passwordHashOf(id: string): Promise<string | null>;
  /** As `addressDigestOf`. */
  addressDigest(email: string): string;
};

/** Canonical form of an address for comparison: trimmed, NFC, lower case. */
export const normalizeAddress = (email: string): string =>
  email.trim().normalize("NFC").toLowerCase();

/** HMAC of the canonical address under the master key. */
export const addressDigestOf = (masterKey: Buffer, email: string): string =>
  hmac(masterKey, "person.address", normalizeAddress(email));

/** The table of persons: the only place that stores names and e-mail addresses of users. */
export const personsState = (deps: Deps): PersonsState => {
  const { db, masterKey } = deps;
  const addressDigest = (email: string) => addressDigestOf(masterKey, email);
  return {
    addressDigest,
    reserve: (person) => reserve(deps, person),
    completeSignUp: (person, also) => completeSignUp(deps, person, also),
    findCredential: async (email) => {
      const row = await db
        .selectFrom("persons")
        .innerJoin("password_hashes", "password_hashes.user_id", "persons.id")
        .selectAll("persons")
        .select("password_hashes.hash")
        .where("address_hmac", "=", addressDigest(email))
        .executeTakeFirst();
      return row ? { person: toPerson(row), passwordHash: row.hash } : null;
    },
    find: (id) => find(deps, "id", id),
    findByAddress: async (email) => {
      const person = await find(deps, "address_hmac", addressDigest(email));
      return person?.signedUp ? person : null;
    },
    passwordHashOf: async (id) => {
      const row = await db
        .selectFrom("password_hashes")
        .select("hash")
        .where("user_id", "=", id)
        .executeTakeFirst();
      return row?.hash ?? null;
    },
  };
};

type Deps = { readonly db: Kysely<PersonTables>; readonly masterKey: Buffer };

const find = async (
  { db }: Deps,
  column: "id" | "address_hmac",
  value: string,
): Promise<Person | null> => {
  const row = await db
    .selectFrom("persons")
    .selectAll()
    .where(column, "=", value)
    .executeTakeFirst();
  return row ? toPerson(row) : null;
};

const reserve = async (
  deps: Deps,
  { id, email, name, signupOrganizationId, at }: Parameters<PersonsState["reserve"]>[0],
): Promise<Person> => {
  const address_hmac = addressDigestOf(deps.masterKey, email);
  const inserted = await deps.db
    .insertInto("persons")
    .values({
      id,
      address_hmac,
      email: email.trim(),
      name,
      verified_at: null,
      signup_organization_id: signupOrganizationId,
      created_at: at,
      signed_up_at: null,
    })
    .onConflict((conflict) => conflict.column("address_hmac").doNothing())
    .returningAll()
    .executeTakeFirst();
  const person = inserted ? toPerson(inserted) : await find(deps, "address_hmac", address_hmac);
  if (!person) throw new Error("The person was deleted during the signup");
  return person;
};

const completeSignUp = (
  { db }: Deps,
  person: Parameters<PersonsState["completeSignUp"]>[0],
  also: (trx: Db<AnySchema>) => Promise<void>,
): Promise<boolean> =>
  db.transaction().execute(async (trx) => {
    const { id, email, name, passwordHash, verified, at } = person;
    const { numUpdatedRows } = await trx
      .updateTable("persons")
      .set({ email: email.trim(), name, signed_up_at: at })
      .$if(verified, (query) => query.set({ verified_at: at }))
      .where("id", "=", id)
      .where("signed_up_at", "is", null)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return false;
    if (passwordHash !== null) {
      await trx
        .insertInto("password_hashes")
        .values({ user_id: id, hash: passwordHash, changed_at: at })
        .execute();
    }
    await also(trx);
    return true;
  });

const toPerson = (row: PersonTables["persons"]): Person => ({
  id: row.id,
  email: row.email,
  name: row.name,
  emailVerified: row.verified_at !== null,
  signupOrganizationId: row.signup_organization_id,
  signedUp: row.signed_up_at !== null,
});
