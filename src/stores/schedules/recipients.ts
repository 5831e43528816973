import type { Kysely } from "kysely";
import { open, seal } from "../../platform/crypto.ts";
import { addressDigestOf, type PersonTables } from "../identity/persons.ts";

export type ScheduleRecipientTables = {
  schedule_recipients: {
    schedule_id: string;
    organization_id: string;
    position: number;
    address_hmac: string;
    address_sealed: string;
  };
};

export type ScheduleRecipients = ReturnType<typeof scheduleRecipients>;

type RecipientDeps = {
  readonly db: Kysely<ScheduleRecipientTables & PersonTables>;
  readonly masterKey: Buffer;
};

/** The recipients of schedules, encrypted. They need no account; opening the link of a mail requires membership. */
export const scheduleRecipients = (deps: RecipientDeps) => ({
  replace: replace.bind(null, deps),
  of: recipientsOf.bind(null, deps),
  forgetOf: forgetOf.bind(null, deps),
  forget: forget.bind(null, deps),
  forgetPerson: forgetPerson.bind(null, deps),
});

// The same digest as for users, so that an erasure finds these rows.
const digestOf = ({ masterKey }: RecipientDeps, address: string): string =>
  addressDigestOf(masterKey, address);

/** Replaces the recipients of a schedule, in this order. Addresses that differ only in spelling count once. */
const replace = async (
  deps: RecipientDeps,
  {
    scheduleId,
    organizationId,
    addresses,
  }: {
    readonly scheduleId: string;
    readonly organizationId: string;
    readonly addresses: readonly string[];
  },
): Promise<void> => {
  const { masterKey, db } = deps;
  const byDigest = new Map<string, string>();
  for (const address of addresses) {
    const digest = digestOf(deps, address);
    if (!byDigest.has(digest)) byDigest.set(digest, address.trim());
  }
  const rows = [...byDigest].map(([digest, address], position) => ({
    schedule_id: scheduleId,
    organization_id: organizationId,
    position,
    address_hmac: digest,
    address_sealed: seal(masterKey, address, sealContext(scheduleId)),
  }));
  await db.transaction().execute(async (trx) => {
    await trx.deleteFrom("schedule_recipients").where("schedule_id", "=", scheduleId).execute();
    if (rows.length > 0) await trx.insertInto("schedule_recipients").values(rows).execute();
  });
};

/** The recipients by schedule, in order. A schedule without recipients has no entry. */
const recipientsOf = async (
  { db, masterKey }: RecipientDeps,
  scheduleIds: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> => {
  const found = new Map<string, string[]>();
  if (scheduleIds.length === 0) return found;
  const rows = await db
    .selectFrom("schedule_recipients")
    .select(["schedule_id", "address_sealed"])
    .where("schedule_id", "in", scheduleIds)
    .orderBy("schedule_id")
    .orderBy("position")
    .execute();
  for (const { schedule_id, address_sealed } of rows) {
    const addresses = found.get(schedule_id) ?? [];
    addresses.push(open(masterKey, address_sealed, sealContext(schedule_id)));
    found.set(schedule_id, addresses);
  }
  return found;
};

/** Removes an address from one schedule. Resolves with false if it was not a recipient. */
const forgetOf = async (
  deps: RecipientDeps,
  scheduleId: string,
  address: string,
): Promise<boolean> => {
  const { db } = deps;
  const { numDeletedRows } = await db
    .deleteFrom("schedule_recipients")
    .where("schedule_id", "=", scheduleId)
    .where("address_hmac", "=", digestOf(deps, address))
    .executeTakeFirst();
  return numDeletedRows > 0n;
};

const forget = async ({ db }: RecipientDeps, scheduleId: string): Promise<void> => {
  await db.deleteFrom("schedule_recipients").where("schedule_id", "=", scheduleId).execute();
};

/** Removes the address of a person from every schedule of an organisation. */
const forgetPerson = async (
  { db }: RecipientDeps,
  organizationId: string,
  userId: string,
): Promise<void> => {
  const address = db.selectFrom("persons").select("address_hmac").where("id", "=", userId);
  await db
    .deleteFrom("schedule_recipients")
    .where("organization_id", "=", organizationId)
    .where("address_hmac", "in", address)
    .execute();
};

const sealContext = (scheduleId: string): string => `schedule:${scheduleId}`;
