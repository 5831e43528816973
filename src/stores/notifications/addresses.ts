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

export type NotificationAddresses = ReturnType<typeof notificationAddresses>;

type AddressDeps = {
  readonly db: Kysely<NotificationAddressTables & PersonTables>;
  readonly masterKey: Buffer;
};

/** Names and addresses of contacts and addressees, encrypted. */
export const notificationAddresses = (deps: AddressDeps) => ({
  digestOf: digestOf.bind(null, deps),
  holderOf: holderOf.bind(null, deps),
  contactsOfPerson: contactsOfPerson.bind(null, deps),
  tokenOf: tokenOf.bind(null, deps),
  isTokenOf: isTokenOf.bind(null, deps),
  putContact: putContact.bind(null, deps),
  contacts: contacts.bind(null, deps),
  forgetContact: forgetContact.bind(null, deps),
  forgetAll: forgetAll.bind(null, deps),
  putNotification: putNotification.bind(null, deps),
  addressees: addressees.bind(null, deps),
  unsubscribeTokenOf: unsubscribeTokenOf.bind(null, deps),
  readUnsubscribeToken: readUnsubscribeToken.bind(null, deps),
});

const digestOf = ({ masterKey }: AddressDeps, email: string): string =>
  addressDigestOf(masterKey, email);

const sealed = ({ masterKey }: AddressDeps, who: Addressee, id: string): string =>
  seal(masterKey, JSON.stringify({ name: who.name, email: who.email.trim() }), sealContext(id));

const opened = ({ masterKey }: AddressDeps, text: string, id: string): Addressee =>
  JSON.parse(open(masterKey, text, sealContext(id))) as Addressee;

/** The token that proves access to the mailbox of a contact. It is not stored. */
const tokenOf = (deps: AddressDeps, contactId: string, email: string): string =>
  hmac(deps.masterKey, "contact.token", `${contactId} ${digestOf(deps, email)}`);

const sign = ({ masterKey }: AddressDeps, text: string): string =>
  hmac(masterKey, "unsubscribe.token", text);

/** Another contact of the organisation with this address and the time since which it has it; null if there is none. */
const holderOf = async (
  deps: AddressDeps,
  contactId: string,
  organizationId: string,
  email: string,
): Promise<{ readonly contactId: string; readonly since: string } | null> => {
  const { db } = deps;
  const other = await db
    .selectFrom("contact_addresses")
    .select(["contact_id", "taken_at"])
    .where("organization_id", "=", organizationId)
    .where("address_hmac", "=", digestOf(deps, email))
    .where("contact_id", "!=", contactId)
    .executeTakeFirst();
  return other ? { contactId: other.contact_id, since: other.taken_at } : null;
};

/** The contacts of an organisation that have the address of a person. */
const contactsOfPerson = async (
  { db }: AddressDeps,
  organizationId: string,
  userId: string,
): Promise<readonly string[]> => {
  const rows = await db
    .selectFrom("contact_addresses")
    .innerJoin("persons", "persons.address_hmac", "contact_addresses.address_hmac")
    .select("contact_id")
    .where("organization_id", "=", organizationId)
    .where("persons.id", "=", userId)
    .execute();
  return rows.map(({ contact_id }) => contact_id);
};

const isTokenOf = (deps: AddressDeps, token: string, contactId: string, email: string): boolean =>
  equalInConstantTime(token, tokenOf(deps, contactId, email));

/** Stores the name and address of a contact. Resolves with false if another contact of the organisation has the address. */
const putContact = async (
  deps: AddressDeps,
  contactId: string,
  organizationId: string,
  who: Addressee,
  at: Date,
): Promise<boolean> => {
  const { db } = deps;
  const row = {
    contact_id: contactId,
    organization_id: organizationId,
    address_hmac: digestOf(deps, who.email),
    sealed: sealed(deps, who, contactId),
    taken_at: at.toISOString(),
  };
  if (await holderOf(deps, contactId, organizationId, who.email)) return false;
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
};

const contacts = async (
  deps: AddressDeps,
  contactIds: readonly string[],
): Promise<ReadonlyMap<string, Addressee>> => {
  const { db } = deps;
  if (contactIds.length === 0) return new Map();
  const rows = await db
    .selectFrom("contact_addresses")
    .select(["contact_id", "sealed"])
    .where("contact_id", "in", contactIds)
    .execute();
  return new Map(rows.map((row) => [row.contact_id, opened(deps, row.sealed, row.contact_id)]));
};

const forgetContact = async ({ db }: AddressDeps, contactId: string): Promise<void> => {
  await db.deleteFrom("contact_addresses").where("contact_id", "=", contactId).execute();
};

/** Deletes all contacts of an organisation and the addressees of its mails. */
const forgetAll = async ({ db }: AddressDeps, organizationId: string): Promise<void> => {
  for (const table of ["contact_addresses", "notification_addresses"] as const) {
    await db.deleteFrom(table).where("organization_id", "=", organizationId).execute();
  }
};

/** Stores the addressee of a mail. */
const putNotification = async (
  deps: AddressDeps,
  id: string,
  organizationId: string,
  who: Addressee,
): Promise<void> => {
  const { db } = deps;
  await db
    .insertInto("notification_addresses")
    .values({
      notification_id: id,
      organization_id: organizationId,
      address_hmac: digestOf(deps, who.email),
      sealed: sealed(deps, who, id),
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
};

const addressees = async (
  deps: AddressDeps,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Addressee>> => {
  const { db } = deps;
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom("notification_addresses")
    .select(["notification_id", "sealed"])
    .where("notification_id", "in", ids)
    .execute();
  return new Map(
    rows.map((row) => [row.notification_id, opened(deps, row.sealed, row.notification_id)]),
  );
};

/** The unsubscribe token of a mail, valid as long as the mail is stored. */
const unsubscribeTokenOf = (deps: AddressDeps, of: Unwanted): string => {
  const { masterKey } = deps;
  const text = seal(masterKey, JSON.stringify(of), "unsubscribe");
  return `${Buffer.from(text).toString("base64url")}.${sign(deps, text)}`;
};

/** Returns null if the token is not valid. */
const readUnsubscribeToken = (deps: AddressDeps, token: string): Unwanted | null => {
  const { masterKey } = deps;
  const [encoded = "", signature = ""] = token.split(".");
  const text = Buffer.from(encoded, "base64url").toString();
  if (!equalInConstantTime(signature, sign(deps, text))) return null;
  return JSON.parse(open(masterKey, text, "unsubscribe")) as Unwanted;
};

/** PostgreSQL's error code of a unique violation. */
const UNIQUE_VIOLATION = "23505";

const sealContext = (id: string): string => `addressee:${id}`;
