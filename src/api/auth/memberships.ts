import type { IdentityCommands } from "../../commands/identity/index.ts";
import type { OrganizationCommands } from "../../commands/organizations/index.ts";
import type { Membership, OrganizationQueries } from "../../projections/organizations/queries.ts";
import { freshLookups } from "./freshLookups.ts";

export type Memberships = {
  /** The organisations of a user, oldest first. */
  organizationsOf(userId: string): Promise<readonly Membership[]>;
  /** A user's current membership of an organisation; null if not a member. */
  find(userId: string, organizationId: string): Promise<Membership | null>;
  /** Whether the organisation exists. True while its deletion is scheduled. */
  exists(organizationId: string): Promise<boolean>;
};

/**
 * Looks up memberships in the read model, then in the organisation's stream, so that a lagging read model does not lock
 * out new users. Not cached: a changed role applies from the next call in every process.
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
