import type { CommandContext } from "../kernel/commandLoop.ts";
import { createApiKey, revokeApiKey } from "./apiKeys.ts";
import type { OrganizationDeps } from "./deps.ts";
import { changeRole, removeMember, transferOwnership } from "./members.ts";
import {
  changeOrganization,
  createOrganization,
  deleteWhenDue,
  execute,
  exists,
  findMembership,
  nameOf,
  revokeAllApiKeys,
  scheduleDeletion,
} from "./organization.ts";

export type { OrganizationDeps, WrittenOrganization } from "./deps.ts";

export type OrganizationCommands = ReturnType<typeof organizationCommands>;

/** Commands of organisations, their members and their API keys. */
export const organizationCommands = (deps: OrganizationDeps) => ({
  createOrganization: createOrganization.bind(null, deps),
  changeOrganization: changeOrganization.bind(null, deps),
  scheduleDeletion: scheduleDeletion.bind(null, deps),
  /** Cancels a scheduled deletion. Throws DomainError `organization.unknown` once the organisation is deleted. */
  restore: (context: CommandContext, organizationId: string) =>
    execute(deps, context, organizationId, { type: "cancelDeletion" }),
  deleteWhenDue: deleteWhenDue.bind(null, deps),
  revokeAllApiKeys: revokeAllApiKeys.bind(null, deps),
  findMembership: findMembership.bind(null, deps),
  nameOf: nameOf.bind(null, deps),
  exists: exists.bind(null, deps),
  changeRole: changeRole.bind(null, deps),
  removeMember: removeMember.bind(null, deps),
  transferOwnership: transferOwnership.bind(null, deps),
  createApiKey: createApiKey.bind(null, deps),
  revokeApiKey: revokeApiKey.bind(null, deps),
});
