import { userDecider } from "../../domain/identity/user.ts";
import { DomainError } from "../../domain/kernel/errors.ts";
import { organizationDecider } from "../../domain/organizations/organization.ts";
import type { Role } from "../../domain/organizations/permissions.ts";
import type { CommandContext } from "../kernel/context.ts";
import { receiptOf } from "../kernel/receipt.ts";
import type { InviteDeps } from "./inviteDeps.ts";
import { seatsOf } from "./sendInvites.ts";

/** An invite as shown to the holder of its token. */
export type InvitePreview = {
  readonly organizationId: string;
  readonly organizationName: string;
  readonly role: Role;
  readonly email: string;
  readonly expiresAt: string;
};

/** The open invite of a token. Throws DomainError `invite.unknown`. */
export const previewInvite = async (
  { loop, addresses }: Pick<InviteDeps, "loop" | "addresses">,
  token: string,
): Promise<InvitePreview> => {
  const found = await addresses.findByToken(token);
  const organization = found && (await loop.load(organizationDecider, found.organizationId)).state;
  const invite = organization?.status === "active" && organization.invites[found?.inviteId ?? ""];
  if (!found || !invite || invite.status !== "open") {
    throw new DomainError("invite.unknown", "There is no such invite, or it is no longer open.");
  }
  const { organizationId, email, expiresAt } = found;
  const organizationName = organization.name;
  return { organizationId, organizationName, role: invite.role, email, expiresAt };
};

/**
 * Makes the invited person a member. Also verifies the address: the token was mailed to it. Throws DomainError
 * `invite.tokenInvalid`, `invite.otherAddress`, `invite.expired`, `invite.finished`, `organization.seatsTaken`.
 */
export const acceptInvite = async (
  deps: InviteDeps,
  context: CommandContext,
  { token, userId }: { readonly token: string; readonly userId: string },
) => {
  const { loop, addresses, persons } = deps;
  const invite = await addresses.findByToken(token);
  if (!invite) {
    throw new DomainError(
      "invite.tokenInvalid",
      "token: is unknown, was replaced by a newer one, or was used before. Ask for a new invite.",
    );
  }
  const { organizationId, inviteId, addressDigest } = invite;
  const person = await persons.find(userId);
  if (!person || persons.addressDigest(person.email) !== addressDigest) {
    throw new DomainError(
      "invite.otherAddress",
      "The invite was sent to another e-mail address. Sign in with that address.",
    );
  }
  const at = deps.clock().toISOString();
  const seats = await seatsOf(deps, organizationId);
  const accepted = await loop.execute(
    organizationDecider,
    organizationId,
    { type: "acceptInvite", inviteId, userId, at, seats },
    { ...context, organizationId },
  );
  const verify = { type: "verifyEmail", userId } as const;
  const verified = await loop.execute(userDecider, userId, verify, context);
  await addresses.markVerified(userId, addressDigest, at);
  await addresses.forget(inviteId);
  const organization = accepted.state;
  if (organization.status !== "active") throw new Error("The organisation is not active");
  return {
    id: organizationId,
    name: organization.name,
    role: organization.members[userId] ?? null,
    receipt: receiptOf(accepted, verified),
  };
};
