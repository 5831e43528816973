import { createHash } from "node:crypto";
import type { Kysely } from "kysely";
import { hmac, open, seal } from "../../platform/crypto.ts";
import type { PersonTables } from "../identity/persons.ts";

export type InviteTables = {
  invite_addresses: {
    invite_id: string;
    organization_id: string;
    address_hmac: string;
    address_sealed: string;
    token_hash: Buffer;
    expires_at: string;
  };
};

export type InviteAddress = {
  readonly inviteId: string;
  readonly organizationId: string;
  readonly email: string;
  /** As `PersonsState.addressDigest` makes it. */
  readonly addressDigest: string;
  readonly expiresAt: string;
};

export type InviteAddressesState = {
  /** Keeps whom an invite is for, unless the organisation has an invite for the address: gives that one then. */
  put(invite: InviteAddress): Promise<InviteAddress>;
  find(inviteId: string): Promise<InviteAddress | null>;
  /** The invite of a token as it was last mailed, expired or not; null when there is none (any more). */
  findByToken(token: string): Promise<InviteAddress | null>;
  /** The token to mail: the same whenever it is asked for, another one for each expiry. It is kept nowhere. */
  tokenOf(invite: Pick<InviteAddress, "inviteId" | "expiresAt">): string;
  /** From now on only the token for this expiry is good. */
  renew(inviteId: string, expiresAt: string): Promise<void>;
  emailsOf(inviteIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** The invites of an address, wherever it was invited to, expired or not. */
  ofAddress(
    addressDigest: string,
  ): Promise<readonly Pick<InviteAddress, "inviteId" | "organizationId">[]>;
  forget(inviteId: string): Promise<void>;
  forgetAll(organizationId: string): Promise<void>;
  /** The address that a person has is theirs. */
  markVerified(userId: string, addressDigest: string, at: string): Promise<void>;
};

/** Whom invites are for, sealed, and the hashes of their tokens. */
export const inviteAddressesState = (deps: {
  readonly db: Kysely<InviteTables & PersonTables>;
  readonly masterKey: Buffer;
}): InviteAddressesState => {
  const { db, masterKey } = deps;
  const tokenOf: InviteAddressesState["tokenOf"] = ({ inviteId, expiresAt }) =>
    hmac(masterKey, "invite.token", `${inviteId} ${expiresAt}`);
  const toInvite = (row: InviteTables["invite_addresses"]): InviteAddress => ({
    inviteId: row.invite_id,
    organizationId: row.organization_id,
    email: open(masterKey, row.address_sealed, sealContext(row.invite_id)),
    addressDigest: row.address_hmac,
    expiresAt: row.expires_at,
  });

  return {
    tokenOf,
    put: async (invite) => {
      const { inviteId, organizationId, email, addressDigest, expiresAt } = invite;
      await db
        .insertInto("invite_addresses")
        .values({
          invite_id: inviteId,
          organization_id: organizationId,
          address_hmac: addressDigest,
          address_sealed: seal(masterKey, email.trim(), sealContext(inviteId)),
          token_hash: hashOf(tokenOf(invite)),
          expires_at: expiresAt,
        })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      const row = await db
        .selectFrom("invite_addresses")
        .selectAll()
        .where("organization_id", "=", organizationId)
        .where("address_hmac", "=", addressDigest)
        .executeTakeFirstOrThrow();
      return toInvite(row);
    },
    find: async (inviteId) => {
      const row = await db
        .selectFrom("invite_addresses")
        .selectAll()
        .where("invite_id", "=", inviteId)
        .executeTakeFirst();
      return row ? toInvite(row) : null;
    },
    findByToken: async (token) => {
      const row = await db
        .selectFrom("invite_addresses")
        .selectAll()
        .where("token_hash", "=", hashOf(token))
        .executeTakeFirst();
      return row ? toInvite(row) : null;
    },
    renew: async (inviteId, expiresAt) => {
      await db
        .updateTable("invite_addresses")
        .set({ token_hash: hashOf(tokenOf({ inviteId, expiresAt })), expires_at: expiresAt })
        .where("invite_id", "=", inviteId)
        .execute();
    },
    emailsOf: async (inviteIds) => {
      if (inviteIds.length === 0) return new Map();
      const rows = await db
        .selectFrom("invite_addresses")
        .selectAll()
        .where("invite_id", "in", inviteIds)
        .execute();
      return new Map(rows.map(toInvite).map(({ inviteId, email }) => [inviteId, email]));
    },
    ofAddress: async (addressDigest) => {
      const rows = await db
        .selectFrom("invite_addresses")
        .select(["invite_id as inviteId", "organization_id as organizationId"])
        .where("address_hmac", "=", addressDigest)
        .execute();
      return rows;
    },
    forget: async (inviteId) => {
      await db.deleteFrom("invite_addresses").where("invite_id", "=", inviteId).execute();
    },
    forgetAll: async (organizationId) => {
      await db
        .deleteFrom("invite_addresses")
        .where("organization_id", "=", organizationId)
        .execute();
    },
    markVerified: async (userId, addressDigest, at) => {
      await db
        .updateTable("persons")
        .set({ verified_at: at })
        .where("id", "=", userId)
        .where("address_hmac", "=", addressDigest)
        .where("verified_at", "is", null)
        .execute();
    },
  };
};

const sealContext = (inviteId: string): string => `invite:${inviteId}`;

const hashOf = (token: string): Buffer => createHash("sha256").update(token, "utf8").digest();
