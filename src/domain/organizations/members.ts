import { assertNever, DomainError } from "../kernel/errors.ts";
import type { OrganizationEvent, Standing } from "./organization.ts";
import { mayDo, type Permission, type Role } from "./permissions.ts";

/**
 * `by` is the member who asks. The permission of the call was looked up a moment before: what the stream says
 * of the asker counts, so that of two admins who remove each other one is first.
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

/** Decides who belongs to an organisation and as what. There is always exactly one owner. */
export const decideMember = (
  command: MemberCommand,
  organization: Standing,
): readonly OrganizationEvent[] => {
  const { members } = organization;
  switch (command.type) {
    case "changeRole": {
      const { userId, role, by } = command;
      const current = members[userId];
      if (!current) throw unknownMember();
      if (current === role) return [];
      if (current === "owner") throw ownerStays();
      // An admin may step down; nobody gives himself more.
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
        throw new DomainError("member.notOwner", "Only the owner can hand the organisation over.");
      }
      if (!members[to]) {
        throw new DomainError(
          "organization.heirUnknown",
          "user_id: is no member yet: invite them.",
        );
      }
      return [{ type: "OwnershipTransferred", data: { from: by, to } }];
    }
    default:
      return assertNever(command);
  }
};

const mustBeAllowed = (role: Role | undefined, permission: Permission): void => {
  const verdict = role ? mayDo(role, permission) : { allowed: false, reason: "You have left." };
  if (!verdict.allowed) throw new DomainError("member.notAllowed", verdict.reason);
};

const unknownMember = (): DomainError =>
  new DomainError("member.unknown", "There is no such member of this organisation.");

const ownerStays = (): DomainError =>
  new DomainError(
    "member.lastOwner",
    "An organisation has an owner: hand it over to another member first.",
  );
