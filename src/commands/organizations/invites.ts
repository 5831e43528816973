import { limitOf } from "../../domain/billing/entitlements.ts";
import { planDecider, planInForce } from "../../domain/billing/plan.ts";
import { userDecider } from "../../domain/identity/user.ts";
import { DomainError } from "../../domain/kernel/errors.ts";
import type { InviteCommand } from "../../domain/organizations/invites.ts";
import { type Organization, organizationDecider } from "../../domain/organizations/organization.ts";
import type { Role } from "../../domain/organizations/permissions.ts";
import type { Clock } from "../../platform/clock.ts";
import { derivedId } from "../../platform/ids.ts";
import { writeLetter } from "../../platform/mail/letter.ts";
import type { PersonsState } from "../../stores/identity/persons.ts";
import type { OutboxState } from "../../stores/notifications/outbox.ts";
import type {
  InviteAddress,
  InviteAddressesState,
} from "../../stores/organizations/inviteAddresses.ts";
import type { CommandLoop } from "../kernel/commandLoop.ts";
import { type CommandContext, idFor } from "../kernel/context.ts";
import { type Receipt, receiptOf } from "../kernel/receipt.ts";
import { mailLimit } from "../notifications/mailLimit.ts";

/** How long an invite can be accepted, in milliseconds. */
const GOOD_FOR_MS = 7 * 24 * 3_600_000;

/** After so long an address whose invite is not in the log never will be, in milliseconds. */
const SETTLED_AFTER_MS = 60_000;

/** An invite as whoever holds its token may see it. */
export type SeenInvite = {
  readonly organizationId: string;
  readonly organizationName: string;
  readonly role: Role;
  readonly email: string;
  readonly expiresAt: string;
};

export type InviteCommands = ReturnType<typeof inviteCommands>;

/** Asking people into an organisation. */
export const inviteCommands = (deps: {
  readonly loop: CommandLoop;
  readonly clock: Clock;
  readonly addresses: InviteAddressesState;
  readonly persons: Pick<PersonsState, "addressDigest" | "find" | "findByAddress">;
  readonly outbox: Pick<OutboxState, "put" | "takenSince">;
  /** The address of the web app that links in mail lead to, without a slash at the end. */
  readonly webBase: () => string;
}) => {
  const { loop, clock, addresses, persons, outbox } = deps;
  const { mustBeFew, atMost } = mailLimit({
    ...{ outbox, clock },
    kind: "invite",
    code: "invite.tooManyMails",
    noun: "invites",
  });

  const seatsOf = async (organizationId: string) => {
    const { state } = await loop.load(planDecider, organizationId);
    return limitOf(planInForce(state).plan, "seats");
  };
  const organizationOf = async (id: string): Promise<Organization> =>
    (await loop.load(organizationDecider, id)).state;
  const decide = (context: CommandContext, organizationId: string, command: InviteCommand) =>
    loop.execute(organizationDecider, organizationId, command, context);
  const expiry = (): string => new Date(clock().getTime() + GOOD_FOR_MS).toISOString();

  const send = async (invite: InviteAddress, organization: Organization): Promise<void> => {
    if (organization.status !== "active") return;
    const token = addresses.tokenOf(invite);
    const letter = writeLetter({
      subject: `You are invited to ${organization.name}`,
      paragraphs: [`You are invited to the organisation ${organization.name} on Runledger.`],
      action: {
        label: "Accept the invite",
        url: `${deps.webBase()}/invites/accept?token=${token}`,
      },
      closing: [
        `It is for this address alone, and good until ${invite.expiresAt}. If you did not expect it, do nothing.`,
      ],
    });
    const id = derivedId(invite.inviteId, invite.expiresAt);
    const mail = { id, to: { name: "", address: invite.email }, ...letter };
    await outbox.put({
      mail,
      kind: "invite",
      userId: null,
      at: clock().toISOString(),
      atMost: atMost(),
    });
  };

  /** An invite of this organisation. Throws `invite.unknown`, `invite.foreign`. */
  const ours = async (organizationId: string, inviteId: string): Promise<InviteAddress> => {
    const invite = await addresses.find(inviteId);
    if (!invite) throw new DomainError("invite.unknown", "There is no such invite.");
    if (invite.organizationId === organizationId) return invite;
    throw new DomainError("invite.foreign", "This invite belongs to another organisation.");
  };

  /** The place of an invite for an address: one that is left of an invite that is no more is taken over. */
  const takePlace = async (wanted: InviteAddress, organization: Organization) => {
    const placed = await addresses.put(wanted);
    if (placed.inviteId === wanted.inviteId) return placed;
    const isOpen =
      organization.status === "active" && organization.invites[placed.inviteId]?.status === "open";
    // One that was placed just now may be about to be recorded.
    const age = clock().getTime() - (Date.parse(placed.expiresAt) - GOOD_FOR_MS);
    if (!isOpen && age > SETTLED_AFTER_MS) {
      await addresses.forget(placed.inviteId);
      const again = await addresses.put(wanted);
      if (again.inviteId === wanted.inviteId) return again;
    }
    throw new DomainError(
      "invite.addressInvited",
      "This address is invited already: send that invite again, or revoke it first.",
    );
  };

  return {
    /**
     * Invites whoever has an address, by mail. Throws `organization.seatsTaken` when the plan allows no more
     * members, `invite.addressInvited`, `invite.alreadyMember`, `invite.tooManyMails`, `organization.closing`.
     */
    invite: async (
      context: CommandContext,
      input: {
        readonly organizationId: string;
        readonly email: string;
        readonly role: Exclude<Role, "owner">;
      },
    ) => {
      const { organizationId, email, role } = input;
      const at = clock().toISOString();
      const organization = await organizationOf(organizationId);
      const person = await persons.findByAddress(email);
      const isMember =
        person && organization.status === "active" && organization.members[person.id];
      if (isMember) {
        throw new DomainError("invite.alreadyMember", "This person is a member already.");
      }
      // What comes again may have sent the last one itself.
      if (!context.again) await mustBeFew(email);
      const inviteId = idFor(context, "invite");
      const invite = await takePlace(
        {
          inviteId,
          organizationId,
          email: email.trim(),
          addressDigest: persons.addressDigest(email),
          expiresAt: expiry(),
        },
        organization,
      );
      const { expiresAt } = invite;
      const seats = await seatsOf(organizationId);
      const command = { type: "invite", inviteId, role, at, expiresAt, seats } as const;
      const invited = await decide(context, organizationId, command).catch(async (error) => {
        if (error instanceof DomainError) await addresses.forget(inviteId);
        throw error;
      });
      await send(invite, invited.state);
      return {
        id: inviteId,
        email: invite.email,
        role,
        createdAt: invited.at ?? at,
        expiresAt,
        receipt: receiptOf(invited),
      };
    },

    /**
     * Sends an invite again, good from now; the link of the mail before is no good any more. Throws
     * `invite.tooManyMails`.
     */
    resend: async (context: CommandContext, organizationId: string, inviteId: string) => {
      const invite = await ours(organizationId, inviteId);
      if (!context.again) await mustBeFew(invite.email);
      const expiresAt = expiry();
      const resent = await decide(context, organizationId, {
        type: "resendInvite",
        inviteId,
        expiresAt,
      });
      await addresses.renew(inviteId, expiresAt);
      await send({ ...invite, expiresAt }, resent.state);
      return { email: invite.email, expiresAt, receipt: receiptOf(resent) };
    },

    /** Revokes an invite: its link is no good any more. */
    revoke: async (
      context: CommandContext,
      organizationId: string,
      inviteId: string,
    ): Promise<Receipt> => {
      // What comes again may have revoked it itself.
      if (!context.again) await ours(organizationId, inviteId);
      const revoked = await decide(context, organizationId, { type: "revokeInvite", inviteId });
      await addresses.forget(inviteId);
      return receiptOf(revoked);
    },

    /** What the holder of a token is invited to. Throws `invite.unknown`. */
    look: async (token: string): Promise<SeenInvite> => {
      const invite = await addresses.findByToken(token);
      const organization = invite && (await organizationOf(invite.organizationId));
      const asked =
        organization?.status === "active" && organization.invites[invite?.inviteId ?? ""];
      if (!invite || !asked || asked.status !== "open") {
        throw new DomainError("invite.unknown", "There is no such invite (any more).");
      }
      const { organizationId, email, expiresAt } = invite;
      return {
        organizationId,
        organizationName: organization.name,
        role: asked.role,
        email,
        expiresAt,
      };
    },

    /**
     * Makes the person whose address was invited a member. The token was mailed to that very address: whoever
     * has it and signs in with the address has shown that the address is theirs. Throws `invite.tokenInvalid`,
     * `invite.otherAddress`, `invite.expired`, `invite.finished`, `organization.seatsTaken`.
     */
    accept: async (
      context: CommandContext,
      input: { readonly token: string; readonly userId: string },
    ) => {
      const { token, userId } = input;
      const invite = await addresses.findByToken(token);
      if (!invite) {
        throw new DomainError(
          "invite.tokenInvalid",
          "token: is no good (any more): ask for a new invite.",
        );
      }
      const { organizationId, inviteId, addressDigest } = invite;
      const person = await persons.find(userId);
      if (!person || persons.addressDigest(person.email) !== addressDigest) {
        throw new DomainError(
          "invite.otherAddress",
          "The invite is for another address: sign in with the one that it was sent to.",
        );
      }
      const mine = { ...context, organizationId };
      const at = clock().toISOString();
      const seats = await seatsOf(organizationId);
      const command = { type: "acceptInvite", inviteId, userId, at, seats } as const;
      const accepted = await decide(mine, organizationId, command);
      const joined = accepted.state;
      const verified = await loop.execute(
        userDecider,
        userId,
        { type: "verifyEmail", userId },
        context,
      );
      await addresses.markVerified(userId, addressDigest, at);
      await addresses.forget(inviteId);
      if (joined.status !== "active") throw new Error("An invite was accepted to nowhere");
      return {
        id: organizationId,
        name: joined.name,
        role: joined.members[userId] ?? null,
        receipt: receiptOf(accepted, verified),
      };
    },

    /** The addresses of invites, by id. */
    emailsOf: addresses.emailsOf,
    /** Forgets whom a deleted organisation had invited. */
    forgetAll: addresses.forgetAll,
  };
};
