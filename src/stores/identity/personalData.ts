import type { Kysely } from "kysely";
import type { NotificationAddressTables } from "../notifications/addresses.ts";
import type { InviteTables } from "../organizations/inviteAddresses.ts";
import type { ScheduleRecipientTables } from "../schedules/recipients.ts";
import type { AccountTables } from "./accounts.ts";
import type { ByoKeyTables } from "./byoKeys.ts";
import type { RefusalTables } from "./signInRefusals.ts";

type Tables = AccountTables &
  ByoKeyTables &
  InviteTables &
  NotificationAddressTables &
  RefusalTables &
  ScheduleRecipientTables;

/** Data of a person in the state tables. The events of the person's stream are not included. */
export type PersonalData = {
  readonly email: string;
  readonly name: string;
  readonly created_at: string;
  readonly verified_at: string | null;
  readonly password_changed_at: string | null;
  /** Every stored session, open or ended. */
  readonly sessions: readonly {
    readonly id: string;
    readonly method: string;
    readonly device: string;
    readonly address: string;
    readonly opened_at: string;
    readonly last_used_at: string | null;
    readonly expires_at: string;
    readonly revoked_at: string | null;
  }[];
  /** The person's identities at identity providers. */
  readonly identities: readonly {
    readonly provider: string;
    readonly issuer: string;
    readonly subject: string;
    readonly linked_at: string;
  }[];
  readonly mails: readonly {
    readonly kind: string;
    readonly status: string;
    readonly created_at: string;
  }[];
};

export type PersonalDataState = {
  /** All data of a person; null if there is none. */
  read(userId: string): Promise<PersonalData | null>;
  /** Deletes all data of a person in one transaction. Events contain only ids. */
  erase(userId: string): Promise<void>;
};

/** End time of erased mails: the next sweep of the mail sender deletes them. */
const LONG_AGO = "1970-01-01T00:00:00.000Z";

/** Export and erasure of a person's data. */
export const personalDataState = (db: Kysely<Tables>): PersonalDataState => ({
  read: (userId) => read(db, userId),
  erase: (userId) => erase(db, userId),
});

const read = async (db: Kysely<Tables>, userId: string): Promise<PersonalData | null> => {
  const person = await db
    .selectFrom("persons")
    .leftJoin("password_hashes", "password_hashes.user_id", "persons.id")
    .select([
      "persons.email",
      "persons.name",
      "persons.created_at",
      "persons.verified_at",
      "password_hashes.changed_at as password_changed_at",
    ])
    .where("persons.id", "=", userId)
    .executeTakeFirst();
  if (!person) return null;
  const [sessions, identities, mails] = await Promise.all([
    db
      .selectFrom("refresh_families")
      .select([
        "session_id as id",
        "method",
        "device",
        "address",
        "opened_at",
        "last_used_at",
        "expires_at",
        "revoked_at",
      ])
      .where("user_id", "=", userId)
      .orderBy("opened_at")
      .execute(),
    db
      .selectFrom("external_identities")
      .select(["provider", "issuer", "subject", "linked_at"])
      .where("user_id", "=", userId)
      .orderBy("linked_at")
      .execute(),
    db
      .selectFrom("outbox")
      .select(["kind", "status", "created_at"])
      .where("user_id", "=", userId)
      .orderBy("created_at")
      .execute(),
  ]);
  return { ...person, sessions, identities, mails };
};

const erase = (db: Kysely<Tables>, userId: string): Promise<void> =>
  db.transaction().execute(async (trx) => {
    const person = trx.selectFrom("persons").select("address_hmac").where("id", "=", userId);
    await trx
      .updateTable("outbox")
      .set({
        user_id: null,
        address_hmac: null,
        status: "given_up",
        mail_sealed: null,
        ended_at: LONG_AGO,
      })
      .where((eb) => eb.or([eb("user_id", "=", userId), eb("address_hmac", "in", person)]))
      .execute();
    await trx.deleteFrom("invite_addresses").where("address_hmac", "in", person).execute();
    await trx.deleteFrom("schedule_recipients").where("address_hmac", "in", person).execute();
    await trx.deleteFrom("contact_addresses").where("address_hmac", "in", person).execute();
    await trx.deleteFrom("notification_addresses").where("address_hmac", "in", person).execute();
    await trx.deleteFrom("identity_tokens").where("user_id", "=", userId).execute();
    await trx.deleteFrom("refresh_families").where("user_id", "=", userId).execute();
    await trx.deleteFrom("sign_in_refusals").where("principal", "=", userId).execute();
    await trx.deleteFrom("byo_keys").where("user_id", "=", userId).execute();
    // Cascades to password_hashes and external_identities.
    await trx.deleteFrom("persons").where("id", "=", userId).execute();
  });
