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
  /** From `PersonsState.addressDigest`. */
  readonly addressDigest: string;
  readonly expiresAt: string;
};

export type InviteAddressesState = {
  /** Stores an invite's address. Returns the existing invite if the organisation has one for the address. */
  put(invite: InviteAddress): Promise<InviteAddress>;
  find(inviteId: string): Promise<InviteAddress | null>;
  /** The invite of the last mailed token, expired or not; null if there is none. */
  findByToken(token: string): Promise<InviteAddress | null>;
  /** The token to mail, derived from invite and expiry. Only its hash is stored. */
  tokenOf(invite: Pick<InviteAddress, "inviteId" | "expiresAt">): string;
  /** Sets a new expiry. Tokens of earlier expiries become invalid. */
  renew(inviteId: string, expiresAt: string): Promise<void>;
  emailsOf(inviteIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** The invites of an address in all organisations, expired or not. */
  ofAddress(
    addressDigest: string,
  ): Promise<readonly Pick<InviteAddress, "inviteId" | "organizationId">[]>;
  forget(inviteId: string): Promise<void>;
  forgetAll(organizationId: string): Promise<void>;
  /** Marks a person's address as verified. */
  markVerified(userId: string, addressDigest: string, at: string): Promise<void>;
};

/** The invited addresses, encrypted, and the hashes of invite tokens. */
export const inviteAddressesState = (deps: Deps): InviteAddressesState => {
  const { db } = deps;
  return {
    tokenOf: (invite) => tokenOf(deps, invite),
    put: (invite) => put(deps, invite),
    find: (inviteId) => findBy(deps, "invite_id", inviteId),
    findByToken: (token) => findBy(deps, "token_hash", hashOf(token)),
    renew: async (inviteId, expiresAt) => {
      const token_hash = hashOf(tokenOf(deps, { inviteId, expiresAt }));
      await db
        .updateTable("invite_addresses")
        .set({ token_hash, expires_at: expiresAt })
        .where("invite_id", "=", inviteId)
        .execute();
    },
    emailsOf: (inviteIds) => emailsOf(deps, inviteIds),
    ofAddress: (addressDigest) =>
      db
        .selectFrom("invite_addresses")
        .select(["invite_id as inviteId", "organization_id as organizationId"])
        .where("address_hmac", "=", addressDigest)
        .execute(),
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

type Deps = { readonly db: Kysely<InviteTables & PersonTables>; readonly masterKey: Buffer };

const tokenOf = (
  { masterKey }: Deps,
  { inviteId, expiresAt }: Pick<InviteAddress, "inviteId" | "expiresAt">,
): string => hmac(masterKey, "invite.token", `${inviteId} ${expiresAt}`);

const toInvite = ({ masterKey }: Deps, row: InviteTables["invite_addresses"]): InviteAddress => ({
  inviteId: row.invite_id,
  organizationId: row.organization_id,
  email: open(masterKey, row.address_sealed, sealContext(row.invite_id)),
  addressDigest: row.address_hmac,
  expiresAt: row.expires_at,
});

const findBy = async (
  deps: Deps,
  column: "invite_id" | "token_hash",
  value: string | Buffer,
): Promise<InviteAddress | null> => {
  const row = await deps.db
    .selectFrom("invite_addresses")
    .selectAll()
    .where(column, "=", value)
    .executeTakeFirst();
  return row ? toInvite(deps, row) : null;
};

const put = async (deps: Deps, invite: InviteAddress): Promise<InviteAddress> => {
  const { inviteId, organizationId, email, addressDigest, expiresAt } = invite;
  await deps.db
    .insertInto("invite_addresses")
    .values({
      invite_id: inviteId,
      organization_id: organizationId,
      address_hmac: addressDigest,
      address_sealed: seal(deps.masterKey, email.trim(), sealContext(inviteId)),
      token_hash: hashOf(tokenOf(deps, invite)),
      expires_at: expiresAt,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const row = await deps.db
    .selectFrom("invite_addresses")
    .selectAll()
    .where("organization_id", "=", organizationId)
    .where("address_hmac", "=", addressDigest)
    .executeTakeFirstOrThrow();
  return toInvite(deps, row);
};

const emailsOf = async (
  deps: Deps,
  inviteIds: readonly string[],
): Promise<ReadonlyMap<string, string>> => {
  if (inviteIds.length === 0) return new Map();
  const rows = await deps.db
    .selectFrom("invite_addresses")
    .selectAll()
    .where("invite_id", "in", inviteIds)
    .execute();
  return new Map(rows.map((row) => [row.invite_id, toInvite(deps, row).email]));
};

const sealContext = (inviteId: string): string => `invite:${inviteId}`;

const hashOf = (token: string): Buffer => createHash("sha256").update(token, "utf8").digest();
