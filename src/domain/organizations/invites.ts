import { assertNever, DomainError } from "../kernel/errors.ts";
import type { Invite, OrganizationEvent, Standing } from "./organization.ts";
import type { Role } from "./permissions.ts";

/** How many members the plan allows, and why not more (entitlement `seats`). */
export type SeatAllowance = { readonly limit: number; readonly reason: string | null };

export type InviteCommand =
  | {
      readonly type: "invite";
      readonly inviteId: string;
      readonly role: Exclude<Role, "owner">;
      readonly at: string;
      readonly expiresAt: string;
      readonly seats: SeatAllowance;
    }
  | { readonly type: "resendInvite"; readonly inviteId: string; readonly expiresAt: string }
  /** By the person whose verified address was invited: the caller has made sure of that. */
  | {
      readonly type: "acceptInvite";
      readonly inviteId: string;
      readonly userId: string;
      readonly at: string;
      readonly seats: SeatAllowance;
    }
  | { readonly type: "revokeInvite"; readonly inviteId: string };

/** Decides what becomes of an invite. A member or an open invite takes a seat. */
export const decideInvite = (
  command: InviteCommand,
  organization: Standing,
): readonly OrganizationEvent[] => {
  const { inviteId } = command;
  const invite = organization.invites[inviteId];
  if (command.type === "invite") {
    if (invite) return [];
    const { role, expiresAt, at, seats } = command;
    mustHaveSeat(seatsTaken(organization, at), seats);
    return [{ type: "MemberInvited", data: { inviteId, role, expiresAt } }];
  }
  if (!invite) throw new DomainError("invite.unknown", "There is no such invite.");
  switch (command.type) {
    case "resendInvite":
      mustBeOpen(invite);
      if (invite.expiresAt === command.expiresAt) return [];
      return [{ type: "InviteResent", data: { inviteId, expiresAt: command.expiresAt } }];
    case "acceptInvite": {
      const { userId, at, seats } = command;
      if (invite.status === "accepted" && invite.by === userId) return [];
      mustBeOpen(invite);
      if (invite.expiresAt <= at) {
        throw new DomainError("invite.expired", "The invite has expired: ask for a new one.");
      }
      if (organization.members[userId]) {
        throw new DomainError(
          "invite.alreadyMember",
          "You are a member of this organisation already.",
        );
      }
      mustHaveSeat(Object.keys(organization.members).length, seats);
      return [{ type: "InviteAccepted", data: { inviteId, userId, role: invite.role } }];
    }
    case "revokeInvite":
      if (invite.status === "revoked") return [];
      mustBeOpen(invite);
      return [{ type: "InviteRevoked", data: { inviteId } }];
    default:
      return assertNever(command);
  }
};

/** Members, and invites that can still be accepted. */
export const seatsTaken = (organization: Standing, at: string): number =>
  Object.keys(organization.members).length +
  Object.values(organization.invites).filter(
    ({ status, expiresAt }) => status === "open" && expiresAt > at,
  ).length;

const mustHaveSeat = (taken: number, seats: SeatAllowance): void => {
  if (taken < seats.limit) return;
  throw new DomainError(
    "organization.seatsTaken",
    `${seats.reason ?? "No more members are allowed."} Remove a member or revoke an invite first.`,
  );
};

const mustBeOpen = (invite: Invite): void => {
  if (invite.status === "open") return;
  throw new DomainError(
    "invite.finished",
    invite.status === "accepted"
      ? "The invite has been accepted already."
      : "The invite was revoked: ask for a new one.",
  );
};
