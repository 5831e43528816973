import type { Organization } from "../../domain/organizations/state.ts";
import { derivedId } from "../../platform/ids.ts";
import { writeLetter } from "../../platform/mail/template.ts";
import type { InviteAddress } from "../../stores/organizations/inviteAddresses.ts";
import { type InviteDeps, inviteMailLimit } from "./inviteDeps.ts";

/** Queues the mail of an invite. Does nothing while the deletion of the organisation is scheduled. */
export const sendInvite = async (
  deps: Pick<InviteDeps, "addresses" | "outbox" | "clock" | "webBase">,
  invite: InviteAddress,
  organization: Organization,
): Promise<void> => {
  if (organization.status !== "active") return;
  const token = deps.addresses.tokenOf(invite);
  const letter = writeLetter({
    subject: `You are invited to ${organization.name}`,
    paragraphs: [`You are invited to the organisation ${organization.name} on Runledger.`],
    action: {
      label: "Accept the invite",
      url: `${deps.webBase()}/invites/accept?token=${token}`,
    },
    closing: [
      `The invite is valid for this address only, until ${invite.expiresAt}. If you did not expect it, ignore this mail.`,
    ],
  });
  const id = derivedId(invite.inviteId, invite.expiresAt);
  await deps.outbox.put({
    mail: { id, to: { name: "", address: invite.email }, ...letter },
    kind: "invite",
    userId: null,
    at: deps.clock().toISOString(),
    atMost: inviteMailLimit(deps).atMost(),
  });
};
