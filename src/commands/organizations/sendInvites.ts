import { limitOf } from "../../domain/billing/entitlements.ts";
import { planDecider } from "../../domain/billing/plan.ts";
import { planInForce } from "../../domain/billing/planState.ts";
import { DomainError } from "../../domain/kernel/errors.ts";
import type { SeatAllowance } from "../../domain/organizations/invites.ts";
import { organizationDecider } from "../../domain/organizations/organization.ts";
import type { Role } from "../../domain/organizations/permissions.ts";
import type { Organization } from "../../domain/organizations/state.ts";
import type { InviteAddress } from "../../stores/organizations/inviteAddresses.ts";
import { type CommandContext, idFor } from "../kernel/context.ts";
import { receiptOf } from "../kernel/receipt.ts";
import { expiryFrom, type InviteDeps, inviteMailLimit, inviteOf, sentAt } from "./inviteDeps.ts";
import { sendInvite } from "./inviteMail.ts";

/** Age from which an address without a recorded invite is stale, in milliseconds. */
const STALE_AFTER_MS = 60_000;

/** Entitlement `seats` of an organisation's plan. */
export const seatsOf = async (
  { loop }: Pick<InviteDeps, "loop">,
  organizationId: string,
): Promise<SeatAllowance> => {
  const { state } = await loop.load(planDecider, organizationId);
  return limitOf(planInForce(state).plan, "seats");
};

/**
 * Invites an address by mail. Throws DomainError `organization.seatsTaken` if the plan allows no more members,
 * `invite.addressInvited`, `invite.alreadyMember`, `invite.tooManyMails`, `organization.closing`.
 */
export const invite = async (
  deps: InviteDeps,
  context: CommandContext,
  input: {
    readonly organizationId: string;
    readonly email: string;
    readonly role: Exclude<Role, "owner">;
  },
) => {
  const { loop, clock, addresses, persons } = deps;
  const { organizationId, email, role } = input;
  const now = clock();
  const at = now.toISOString();
  const { state: organization } = await loop.load(organizationDecider, organizationId);
  const person = await persons.findByAddress(email);
  if (person && organization.status === "active" && organization.members[person.id]) {
    throw new DomainError("invite.alreadyMember", "This person is already a member.");
  }
  // A repeated request may itself have sent the last mail.
  if (!context.again) await inviteMailLimit(deps).mustBeFew(email);
  const inviteId = idFor(context, "invite");
  const addressDigest = persons.addressDigest(email);
  const expiresAt = expiryFrom(now);
  const wanted = { inviteId, organizationId, email: email.trim(), addressDigest, expiresAt };
  const reserved = await reserveAddress(deps, wanted, organization);
  const seats = await seatsOf(deps, organizationId);
  const command = {
    type: "invite",
    inviteId,
    role,
    at,
    expiresAt: reserved.expiresAt,
    seats,
  } as const;
  const invited = await loop
    .execute(organizationDecider, organizationId, command, context)
    .catch(async (error) => {
      if (error instanceof DomainError) await addresses.forget(inviteId);
      throw error;
    });
  await sendInvite(deps, reserved, invited.state);
  return {
    id: inviteId,
    email: reserved.email,
    role,
    createdAt: invited.at ?? at,
    expiresAt: reserved.expiresAt,
    receipt: receiptOf(invited),
  };
};

/** Reserves the address for an invite, replacing a reservation whose invite is not open. */
const reserveAddress = async (
  { clock, addresses }: InviteDeps,
  wanted: InviteAddress,
  organization: Organization,
): Promise<InviteAddress> => {
  const reserved = await addresses.put(wanted);
  if (reserved.inviteId === wanted.inviteId) return reserved;
  const isOpen =
    organization.status === "active" && organization.invites[reserved.inviteId]?.status === "open";
  // The event of a recent reservation may not be recorded yet.
  const age = clock().getTime() - sentAt(reserved.expiresAt);
  if (!isOpen && age > STALE_AFTER_MS) {
    await addresses.forget(reserved.inviteId);
    const replaced = await addresses.put(wanted);
    if (replaced.inviteId === wanted.inviteId) return replaced;
  }
  throw new DomainError(
    "invite.addressInvited",
    "This address has already been invited. Resend that invite, or revoke it first.",
  );
};

/**
 * Sends an invite again with a new expiry. Earlier links stop working. Throws DomainError `invite.unknown`,
 * `invite.foreign`, `invite.finished`, `invite.tooManyMails`.
 */
export const resendInvite = async (
  deps: InviteDeps,
  context: CommandContext,
  organizationId: string,
  inviteId: string,
) => {
  const known = await inviteOf(deps, organizationId, inviteId);
  if (!context.again) await inviteMailLimit(deps).mustBeFew(known.email);
  const expiresAt = expiryFrom(deps.clock());
  const command = { type: "resendInvite", inviteId, expiresAt } as const;
  const resent = await deps.loop.execute(organizationDecider, organizationId, command, context);
  await deps.addresses.renew(inviteId, expiresAt);
  await sendInvite(deps, { ...known, expiresAt }, resent.state);
  return { email: known.email, expiresAt, receipt: receiptOf(resent) };
};
