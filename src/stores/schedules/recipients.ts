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

/** The recipients of schedules. They need no account; opening the link of a mail requires membership. */
export type ScheduleRecipients = {
  /** From now on these, in this order, each once however it is written. */
  replace(of: {
    readonly scheduleId: string;
    readonly organizationId: string;
    readonly addresses: readonly string[];
  }): Promise<void>;
  /** By schedule, in order; one without any is not in it. */
  of(scheduleIds: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>>;
  /** Takes an address out of one schedule. False when it was not in it. */
  forgetOf(scheduleId: string, address: string): Promise<boolean>;
  forget(scheduleId: string): Promise<void>;
  /** Takes the address of a person out of every schedule of an organisation. */
  forgetPerson(organizationId: string, userId: string): Promise<void>;
};

/** The addresses of schedules, sealed. */
export const scheduleRecipients = (deps: {
  readonly db: Kysely<ScheduleRecipientTables & PersonTables>;
  readonly masterKey: Buffer;
}): ScheduleRecipients => {
  const { db, masterKey } = deps;
  // The same digest as for users, so that an erasure finds these rows.
  const digestOf = (address: string): string => addressDigestOf(masterKey, address);

  return {
    replace: async ({ scheduleId, organizationId, addresses }) => {
      const byDigest = new Map<string, string>();
      for (const address of addresses) {
        const digest = digestOf(address);
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
    },

    of: async (scheduleIds) => {
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
    },

    forgetOf: async (scheduleId, address) => {
      const { numDeletedRows } = await db
        .deleteFrom("schedule_recipients")
        .where("schedule_id", "=", scheduleId)
        .where("address_hmac", "=", digestOf(address))
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },

    forget: async (scheduleId) => {
      await db.deleteFrom("schedule_recipients").where("schedule_id", "=", scheduleId).execute();
    },

    forgetPerson: async (organizationId, userId) => {
      const address = db.selectFrom("persons").select("address_hmac").where("id", "=", userId);
      await db
        .deleteFrom("schedule_recipients")
        .where("organization_id", "=", organizationId)
        .where("address_hmac", "in", address)
        .execute();
    },
  };
};

const sealContext = (scheduleId: string): string => `schedule:${scheduleId}`;
