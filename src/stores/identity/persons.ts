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
  /** The organisation that the signup made, or will make when it resumes. */
  readonly signupOrganizationId: string;
  readonly signedUp: boolean;
};

export type PersonsState = {
  /**
   * Takes the ids of a signup, before anything is recorded. An address that is known gives the person
   * who has it, with the ids of the first time: whoever is not `signedUp` may resume.
   */
  reserve(person: {
    readonly id: string;
    readonly email: string;
    readonly name: string;
    readonly signupOrganizationId: string;
    readonly at: string;
  }): Promise<Person>;
  /**
   * Ends a signup: name, address and password, if there is one, as of now; `also` is done in the same step.
   * False when another call has ended it before.
   */
  completeSignUp(
    person: {
      readonly id: string;
      readonly email: string;
      readonly name: string;
      readonly passwordHash: string | null;
      /** Somebody vouches that the address is the person's. */
      readonly verified: boolean;
      readonly at: string;
    },
    also: (trx: Db<AnySchema>) => Promise<void>,
  ): Promise<boolean>;
  /** Who signs in with an address, and the hash of the password; null when nobody does. */
  findCredential(
    email: string,
  ): Promise<{ readonly person: Person; readonly passwordHash: string } | null>;
  find(id: string): Promise<Person | null>;
  /** Who has an address, as soon as the signup is complete; null when nobody does. */
  findByAddress(email: string): Promise<Person | null>;
  /** The hash of a person's password; null when there is none. */
  passwordHashOf(id: string): Promise<string | null>;
  /** A stable digest of an address, under the master key: says who tried without saying the address. */
  addressDigest(email: string): string;
};

/** One writing of an address for comparing: trimmed, NFC, small letters. */
export const normalizeAddress = (email: string): string =>
  email.trim().normalize("NFC").toLowerCase();

/** A stable digest of an address, under the master key: two that are one address have the same. */
export const addressDigestOf = (masterKey: Buffer, email: string): string =>
  hmac(masterKey, "person.address", normalizeAddress(email));

/** The persons: the only place where an e-mail address or a name is kept. */
export const personsState = (deps: {
  readonly db: Kysely<PersonTables>;
  readonly masterKey: Buffer;
}): PersonsState => {
  const { db, masterKey } = deps;
  const addressDigest = (email: string) => addressDigestOf(masterKey, email);

  const find = async (column: "id" | "address_hmac", value: string) => {
    const row = await db
      .selectFrom("persons")
      .selectAll()
      .where(column, "=", value)
      .executeTakeFirst();
    return row ? toPerson(row) : null;
  };

  return {
    addressDigest,
    reserve: async ({ id, email, name, signupOrganizationId, at }) => {
      const address_hmac = addressDigest(email);
      const inserted = await db
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
      const person = inserted ? toPerson(inserted) : await find("address_hmac", address_hmac);
      if (!person) throw new Error("A person vanished during signup");
      return person;
    },
    completeSignUp: ({ id, email, name, passwordHash, verified, at }, also) =>
      db.transaction().execute(async (trx) => {
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
      }),
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
    find: (id) => find("id", id),
    findByAddress: async (email) => {
      const person = await find("address_hmac", addressDigest(email));
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

const toPerson = (row: PersonTables["persons"]): Person => ({
  id: row.id,
  email: row.email,
  name: row.name,
  emailVerified: row.verified_at !== null,
  signupOrganizationId: row.signup_organization_id,
  signedUp: row.signed_up_at !== null,
});
