import type { Kysely } from "kysely";
import { equalInConstantTime, hmac, open, seal } from "../../platform/crypto.ts";
import { addressDigestOf, type PersonTables } from "../identity/persons.ts";

export type NotificationAddressTables = {
  contact_addresses: {
    contact_id: string;
    organization_id: string;
    address_hmac: string;
    sealed: string;
    taken_at: string;
  };
  notification_addresses: {
    notification_id: string;
    organization_id: string;
    address_hmac: string;
    sealed: string;
  };
};

/** A contact of an organisation. */
export type Addressee = { readonly name: string; readonly email: string };

/** The scope of an unsubscription. */
export type Unwanted =
  | { readonly kind: "contact"; readonly organizationId: string; readonly contactId: string }
  | {
      readonly kind: "schedule";
      readonly organizationId: string;
      readonly scheduleId: string;
      readonly email: string;
    };

export type NotificationAddresses = {
  /** Keeps a contact's name and address. False when another contact of the organisation has the address. */
  putContact(contactId: string, organizationId: string, who: Addressee, at: Date): Promise<boolean>;
  contacts(contactIds: readonly string[]): Promise<ReadonlyMap<string, Addressee>>;
  forgetContact(contactId: string): Promise<void>;
  /** Another contact of the organisation that has an address, and since when; null: none. */
  holderOf(
    contactId: string,
    organizationId: string,
    email: string,
  ): Promise<{ readonly contactId: string; readonly since: string } | null>;
  /** The contacts of an organisation that have the address of a person. */
  contactsOfPerson(organizationId: string, userId: string): Promise<readonly string[]>;
  /** Deletes all contacts of an organisation and the addressees of its mails. */
  forgetAll(organizationId: string): Promise<void>;
  /** Stores the addressee of a mail. */
  putNotification(id: string, organizationId: string, who: Addressee): Promise<void>;
  addressees(notificationIds: readonly string[]): Promise<ReadonlyMap<string, Addressee>>;
  /** The token that proves access to the mailbox of a contact. It is not stored. */
  tokenOf(contactId: string, email: string): string;
  isTokenOf(token: string, contactId: string, email: string): boolean;
  /** The unsubscribe token of a mail, valid as long as the mail is stored. */
  unsubscribeTokenOf(of: Unwanted): string;
  /** null when the token is none of ours. */
  readUnsubscribeToken(token: string): Unwanted | null;
  digestOf(email: string): string;
};

/** Names and addresses of contacts and addressees, encrypted. */
export const notificationAddresses = (deps: {
  readonly db: Kysely<NotificationAddressTables & PersonTables>;
  readonly masterKey: Buffer;
}): NotificationAddresses => {
  const { db, masterKey } = deps;
  const digestOf = (email: string): string => addressDigestOf(masterKey, email);
  const sealed = (who: Addressee, id: string): string =>
    seal(masterKey, JSON.stringify({ name: who.name, email: who.email.trim() }), sealContext(id));
  const opened = (text: string, id: string): Addressee =>
    JSON.parse(open(masterKey, text, sealContext(id))) as Addressee;
  const tokenOf = (contactId: string, email: string): string =>
    hmac(masterKey, "contact.token", `${contactId} ${digestOf(email)}`);
  const sign = (text: string): string => hmac(masterKey, "unsubscribe.token", text);

  const holderOf: NotificationAddresses["holderOf"] = async (contactId, organizationId, email) => {
    const other = await db
      .selectFrom("contact_addresses")
      .select(["contact_id", "taken_at"])
      .where("organization_id", "=", organizationId)
      .where("address_hmac", "=", digestOf(email))
      .where("contact_id", "!=", contactId)
      .executeTakeFirst();
    return other ? { contactId: other.contact_id, since: other.taken_at } : null;
  };

  return {
    digestOf,
    holderOf,
    contactsOfPerson: async (organizationId, userId) => {
      const rows = await db
        .selectFrom("contact_addresses")
        .innerJoin("persons", "persons.address_hmac", "contact_addresses.address_hmac")
        .select("contact_id")
        .where("organization_id", "=", organizationId)
        .where("persons.id", "=", userId)
        .execute();
      return rows.map(({ contact_id }) => contact_id);
    },
    tokenOf,
    isTokenOf: (token, contactId, email) => equalInConstantTime(token, tokenOf(contactId, email)),
    putContact: async (contactId, organizationId, who, at) => {
      const row = {
        contact_id: contactId,
        organization_id: organizationId,
        address_hmac: digestOf(who.email),
        sealed: sealed(who, contactId),
        taken_at: at.toISOString(),
      };
      if (await holderOf(contactId, organizationId, who.email)) return false;
      const { address_hmac, sealed: text } = row;
      const written = await db
        .insertInto("contact_addresses")
        .values(row)
        .onConflict((conflict) =>
          conflict.column("contact_id").doUpdateSet({ address_hmac, sealed: text }),
        )
        .executeTakeFirst()
        .catch((error: unknown) => {
          if ((error as { code?: unknown }).code === UNIQUE_VIOLATION) return null;
          throw error;
        });
      return written !== null;
    },
    contacts: async (contactIds) => {
      if (contactIds.length === 0) return new Map();
      const rows = await db
        .selectFrom("contact_addresses")
        .select(["contact_id", "sealed"])
        .where("contact_id", "in", contactIds)
        .execute();
      return new Map(rows.map((row) => [row.contact_id, opened(row.sealed, row.contact_id)]));
    },
    forgetContact: async (contactId) => {
      await db.deleteFrom("contact_addresses").where("contact_id", "=", contactId).execute();
    },
    forgetAll: async (organizationId) => {
      for (const table of ["contact_addresses", "notification_addresses"] as const) {
        await db.deleteFrom(table).where("organization_id", "=", organizationId).execute();
      }
    },
    putNotification: async (id, organizationId, who) => {
      await db
        .insertInto("notification_addresses")
        .values({
          notification_id: id,
          organization_id: organizationId,
          address_hmac: digestOf(who.email),
          sealed: sealed(who, id),
        })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    },
    addressees: async (ids) => {
      if (ids.length === 0) return new Map();
      const rows = await db
        .selectFrom("notification_addresses")
        .select(["notification_id", "sealed"])
        .where("notification_id", "in", ids)
        .execute();
      return new Map(
        rows.map((row) => [row.notification_id, opened(row.sealed, row.notification_id)]),
      );
    },
    unsubscribeTokenOf: (of) => {
      const text = seal(masterKey, JSON.stringify(of), "unsubscribe");
      return `${Buffer.from(text).toString("base64url")}.${sign(text)}`;
    },
    readUnsubscribeToken: (token) => {
      const [encoded = "", signature = ""] = token.split(".");
      const text = Buffer.from(encoded, "base64url").toString();
      if (!equalInConstantTime(signature, sign(text))) return null;
      return JSON.parse(open(masterKey, text, "unsubscribe")) as Unwanted;
    },
  };
};

/** PostgreSQL's code for it. */
const UNIQUE_VIOLATION = "23505";

const sealContext = (id: string): string => `addressee:${id}`;
