import type { IdentityCommands } from "../../commands/identity.ts";
import { remembering } from "../../commands/identityChecks.ts";
import type { OrganizationCommands } from "../../commands/organizations.ts";
import type { Membership, OrganizationQueries } from "../../projections/organizations.ts";

export type Memberships = {
  /** The organisations that a user belongs to, oldest first. */
  organizationsOf(userId: string): Promise<readonly Membership[]>;
  /** A user's membership of an organisation, as of at most a second ago; null when not a member. */
  find(userId: string, organizationId: string): Promise<Membership | null>;
};

/**
 * Who belongs to which organisation: from the read model, and where that does not know it (yet), from the
 * organisation's own stream. Who has just signed up is not locked out by a read model that lags.
 */
export const createMemberships = (deps: {
  readonly queries: Pick<OrganizationQueries, "organizationsOf" | "findMembership">;
  readonly organizations: Pick<OrganizationCommands, "findMembership">;
  readonly identity: Pick<IdentityCommands, "findPerson">;
}): Memberships => {
  const { queries, organizations, identity } = deps;
  const recent = remembering<Membership>();
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
      recent.get(
        `${userId} ${organizationId}`,
        async () =>
          (await queries.findMembership(userId, organizationId)) ??
          (await organizations.findMembership(userId, organizationId)),
      ),
  };
};
