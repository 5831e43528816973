import type { Role } from "../../domain/organizations/permissions.ts";
import type { CommandContext } from "../kernel/commandLoop.ts";
import type { OrganizationDeps, WrittenOrganization } from "./deps.ts";
import { execute } from "./organization.ts";

type Loop = Pick<OrganizationDeps, "loop">;

/**
 * Changes the role of a member. `by` is the requesting member. Throws DomainError `member.unknown`, `member.ownRole`,
 * `member.notAllowed`, `member.lastOwner`.
 */
export const changeRole = (
  deps: Loop,
  context: CommandContext,
  organizationId: string,
  change: { readonly userId: string; readonly role: Exclude<Role, "owner">; readonly by: string },
): Promise<WrittenOrganization> =>
  execute(deps, context, organizationId, { type: "changeRole", ...change });

/**
 * Removes a member; with `userId` equal to `by`, the member leaves. Idempotent. Throws DomainError
 * `member.lastOwner` for the owner, `member.notAllowed`.
 */
export const removeMember = (
  deps: Loop,
  context: CommandContext,
  organizationId: string,
  { userId, by }: { readonly userId: string; readonly by: string },
): Promise<WrittenOrganization> =>
  execute(deps, context, organizationId, {
    type: "removeMember",
    userId,
    by,
    reason: userId === by ? "left" : "removed",
  });

/**
 * Makes another member the owner; the previous owner becomes an admin. Throws DomainError `member.notOwner`,
 * `organization.heirUnknown`.
 */
export const transferOwnership = (
  deps: Loop,
  context: CommandContext,
  organizationId: string,
  transfer: { readonly to: string; readonly by: string },
): Promise<WrittenOrganization> =>
  execute(deps, context, organizationId, { type: "transferOwnership", ...transfer });
