import { assertNever, DomainError } from "../kernel/errors.ts";
import type { OrganizationEvent } from "./events.ts";
import { mayDo, type Permission, type Role } from "./permissions.ts";
import type { ExistingOrganization } from "./state.ts";

/**
 * `by` is the requesting member. Its role is checked again against the stream, because the edge checked a role that
 * may have changed since: if two admins remove each other, only the first command succeeds.
 */
export type MemberCommand =
  | {
      readonly type: "changeRole";
      readonly userId: string;
      readonly role: Exclude<Role, "owner">;
      readonly by: string;
    }
  | {
      readonly type: "removeMember";
      readonly userId: string;
      readonly by: string;
      readonly reason: "left" | "removed" | "erased";
    }
  | { readonly type: "transferOwnership"; readonly to: string; readonly by: string };

/** Decides changes of membership and roles. An organisation always has exactly one owner. */
export const decideMember = (
  command: MemberCommand,
  organization: ExistingOrganization,
): readonly OrganizationEvent[] => {
  const { members } = organization;
  switch (command.type) {
    case "changeRole": {
      const { userId, role, by } = command;
      const current = members[userId];
      if (!current) throw unknownMember();
      if (current === role) return [];
      if (current === "owner") throw ownerStays();
      // Members cannot raise their own role; an admin may lower theirs.
      if (userId === by && role !== "viewer" && current !== "admin") {
        throw new DomainError(
          "member.ownRole",
          "Ask an admin or the owner to change your own role.",
        );
      }
      mustBeAllowed(members[by], "organization:manage");
      return [{ type: "MemberRoleChanged", data: { userId, from: current, to: role } }];
    }
    case "removeMember": {
      const { userId, by, reason } = command;
      const current = members[userId];
      if (!current) return [];
      if (current === "owner") throw ownerStays();
      if (userId !== by) mustBeAllowed(members[by], "organization:manage");
      return [{ type: "MemberRemoved", data: { userId, reason } }];
    }
    case "transferOwnership": {
      const { to, by } = command;
      if (members[to] === "owner") return [];
      if (members[by] !== "owner") {
        throw new DomainError("member.notOwner", "Only the owner can transfer the ownership.");
      }
      if (!members[to]) {
        throw new DomainError(
          "organization.heirUnknown",
          "user_id: is not a member of the organisation. Invite this person first.",
        );
      }
      return [{ type: "OwnershipTransferred", data: { from: by, to } }];
    }
    default:
      return assertNever(command);
  }
};

const mustBeAllowed = (role: Role | undefined, permission: Permission): void => {
  const verdict = role
    ? mayDo(role, permission)
    : { allowed: false, reason: "You are no longer a member of this organisation." };
  if (!verdict.allowed) throw new DomainError("member.notAllowed", verdict.reason);
};

const unknownMember = (): DomainError =>
  new DomainError("member.unknown", "This user is not a member of the organisation.");

const ownerStays = (): DomainError =>
  new DomainError(
    "member.lastOwner",
    "The owner cannot leave or change role. Transfer the ownership to another member first.",
  );
