import { organizationDecider } from "../../domain/organizations/organization.ts";
import type { CommandContext } from "../kernel/context.ts";
import { type Receipt, receiptOf } from "../kernel/receipt.ts";
import { acceptInvite, previewInvite } from "./acceptInvite.ts";
import { type InviteDeps, inviteOf } from "./inviteDeps.ts";
import { invite, resendInvite } from "./sendInvites.ts";

export type InviteCommands = ReturnType<typeof inviteCommands>;

/** Commands of invites to organisations. */
export const inviteCommands = (deps: InviteDeps) => ({
  invite: invite.bind(null, deps),
  resend: resendInvite.bind(null, deps),
  revoke: revokeInvite.bind(null, deps),
  preview: previewInvite.bind(null, deps),
  accept: acceptInvite.bind(null, deps),
  /** The addresses of invites, by invite id. */
  emailsOf: deps.addresses.emailsOf,
  /** Deletes the invited addresses of a deleted organisation. */
  deleteAddresses: deps.addresses.forgetAll,
});

/** Revokes an invite; its link stops working. Throws DomainError `invite.unknown`, `invite.foreign`, `invite.finished`. */
const revokeInvite = async (
  deps: InviteDeps,
  context: CommandContext,
  organizationId: string,
  inviteId: string,
): Promise<Receipt> => {
  // A repeated request may itself have revoked the invite and deleted its address.
  if (!context.again) await inviteOf(deps, organizationId, inviteId);
  const command = { type: "revokeInvite", inviteId } as const;
  const revoked = await deps.loop.execute(organizationDecider, organizationId, command, context);
  await deps.addresses.forget(inviteId);
  return receiptOf(revoked);
};
