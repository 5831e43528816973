import { assertNever, DomainError } from "../kernel/errors.ts";
import type { OrganizationEvent } from "./events.ts";
import type { Role } from "./permissions.ts";
import type { ExistingOrganization, Invite } from "./state.ts";

/** Entitlement `seats`: the member limit, and the reason shown when it is reached. */
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
  /** The caller has verified that the invited address belongs to `userId`. */
  | {
      readonly type: "acceptInvite";
      readonly inviteId: string;
      readonly userId: string;
      readonly at: string;
      readonly seats: SeatAllowance;
    }
  | { readonly type: "revokeInvite"; readonly inviteId: string };

/** Decides invite commands. Members and open invites each occupy a seat. */
export const decideInvite = (
  command: InviteCommand,
  organization: ExistingOrganization,
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
        throw new DomainError("invite.expired", "The invite has expired. Ask for a new one.");
      }
      if (organization.members[userId]) {
        throw new DomainError(
          "invite.alreadyMember",
          "You are already a member of this organisation.",
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

/** Counts members and invites that can still be accepted at `at`. */
export const seatsTaken = (organization: ExistingOrganization, at: string): number =>
  Object.keys(organization.members).length +
  Object.values(organization.invites).filter(
    ({ status, expiresAt }) => status === "open" && expiresAt > at,
  ).length;

const mustHaveSeat = (taken: number, seats: SeatAllowance): void => {
  if (taken < seats.limit) return;
  throw new DomainError(
    "organization.seatsTaken",
    `${seats.reason ?? "The plan allows no more members."} Remove a member or revoke an invite first.`,
  );
};

const mustBeOpen = (invite: Invite): void => {
  if (invite.status === "open") return;
  throw new DomainError(
    "invite.finished",
    invite.status === "accepted"
      ? "The invite has already been accepted."
      : "The invite was revoked. Ask for a new one.",
  );
};
