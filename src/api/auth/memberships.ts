import type { IdentityCommands } from "../../commands/identity/index.ts";
import type { OrganizationCommands } from "../../commands/organizations/index.ts";
import type { Membership, OrganizationQueries } from "../../projections/organizations/queries.ts";
import { freshLookups } from "./freshLookups.ts";

export type Memberships = {
  /** The organisations that a user belongs to, oldest first. */
  organizationsOf(userId: string): Promise<readonly Membership[]>;
  /** A user's membership of an organisation as it is now; null when not a member. */
  find(userId: string, organizationId: string): Promise<Membership | null>;
  /** Whether there is such an organisation, also one that waits to be deleted. */
  exists(organizationId: string): Promise<boolean>;
};

/**
 * Who belongs to which organisation: from the read model, and where that does not know it (yet), from the
 * organisation's own stream. Who has just signed up is not locked out by a read model that lags. Nothing is
 * remembered from one request to the next, so that a role that was changed holds from the next call, in every process.
 */
export const createMemberships = (deps: {
  readonly queries: Pick<OrganizationQueries, "organizationsOf" | "findMembership">;
  readonly organizations: Pick<OrganizationCommands, "findMembership" | "exists">;
  readonly identity: Pick<IdentityCommands, "findPerson">;
}): Memberships => {
  const { queries, organizations, identity } = deps;
  const lookUp = freshLookups<Membership | null>();
  return {
    organizationsOf: async (userId) => {
      const [listed, person] = await Promise.all([
        queries.organizationsOf(userId),
        identity.findPerson(userId),
      ]);
      const first = person?.signupOrganizationId;
      if (first === undefined || listed.some(({ id }) => id === first)) return listed;
      const missing = await organizations.findMembership(userId, first);
      return missing ? [missing, ...listed] : listed;
    },
    find: (userId, organizationId) =>
      lookUp(
        `${userId} ${organizationId}`,
        async () =>
          (await queries.findMembership(userId, organizationId)) ??
          (await organizations.findMembership(userId, organizationId)),
      ),
    exists: organizations.exists,
  };
};
