import { DomainError } from "../../domain/kernel/errors.ts";
import type { Clock } from "../../platform/clock.ts";
import type { PersonsState } from "../../stores/identity/persons.ts";
import type { OutboxState } from "../../stores/notifications/outbox.ts";
import type {
  InviteAddress,
  InviteAddressesState,
} from "../../stores/organizations/inviteAddresses.ts";
import type { CommandLoop } from "../kernel/commandLoop.ts";
import { mailLimit } from "../notifications/mailLimit.ts";

export type InviteDeps = {
  readonly loop: CommandLoop;
  readonly clock: Clock;
  readonly addresses: InviteAddressesState;
  readonly persons: Pick<PersonsState, "addressDigest" | "find" | "findByAddress">;
  readonly outbox: Pick<OutboxState, "put" | "takenSince">;
  /** URL of the web app without a trailing slash, for links in mail. */
  readonly webBase: () => string;
};

/** Lifetime of an invite, in milliseconds. */
const LIFETIME_MS = 7 * 24 * 3_600_000;

export const expiryFrom = (now: Date): string =>
  new Date(now.getTime() + LIFETIME_MS).toISOString();

/** When an invite with this expiry was sent, in milliseconds since the epoch. */
export const sentAt = (expiresAt: string): number => Date.parse(expiresAt) - LIFETIME_MS;

export const inviteMailLimit = ({ outbox, clock }: Pick<InviteDeps, "outbox" | "clock">) =>
  mailLimit({ outbox, clock, kind: "invite", code: "invite.tooManyMails", noun: "invites" });

/** An invite of this organisation. Throws DomainError `invite.unknown`, `invite.foreign`. */
export const inviteOf = async (
  { addresses }: Pick<InviteDeps, "addresses">,
  organizationId: string,
  inviteId: string,
): Promise<InviteAddress> => {
  const invite = await addresses.find(inviteId);
  if (!invite) throw new DomainError("invite.unknown", "There is no such invite.");
  if (invite.organizationId === organizationId) return invite;
  throw new DomainError("invite.foreign", "This invite belongs to another organisation.");
};
