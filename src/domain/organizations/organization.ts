import type { Decider } from "../kernel/decider.ts";
import { assertNever, DomainError } from "../kernel/errors.ts";
import { mustBeCurrent } from "../kernel/versions.ts";
import { type OrganizationEvent, organizationCodec } from "./events.ts";
import { decideInvite, type InviteCommand } from "./invites.ts";
import { decideMember, type MemberCommand } from "./members.ts";
import type { OrganizationSettings } from "./settings.ts";
import { type ExistingOrganization, evolve, type Organization } from "./state.ts";

// ---------------------------------------------------------------- Commands

export type OrganizationCommand =
  | {
      readonly type: "create";
      readonly organizationId: string;
      readonly name: string;
      readonly ownerId: string;
    }
  /** Absent fields keep their values. `expectedVersions: null` skips the version check. */
  | {
      readonly type: "change";
      readonly name?: string | undefined;
      readonly settings?: Partial<OrganizationSettings> | undefined;
      readonly expectedVersions: readonly number[] | null;
    }
  | { readonly type: "scheduleDeletion"; readonly dueAt: string }
  | { readonly type: "cancelDeletion" }
  /** Deletes the organisation if its grace period has ended at `at`. */
  | { readonly type: "delete"; readonly at: string }
  | InviteCommand
  | MemberCommand;

// ---------------------------------------------------------------- decide

export const decide = (
  command: OrganizationCommand,
  organization: Organization,
): readonly OrganizationEvent[] => {
  if (command.type === "create") {
    const { type: _, ...data } = command;
    return organization.status === "none" ? [{ type: "OrganizationCreated", data }] : [];
  }
  if (organization.status === "deleted" && command.type === "delete") return [];
  if (organization.status === "none" || organization.status === "deleted") {
    throw new DomainError("organization.unknown", "There is no such organisation.");
  }
  switch (command.type) {
    case "change":
      mustBeActive(organization);
      return decideChange(command, organization);
    case "scheduleDeletion":
      if (organization.status === "closing") return [];
      return [{ type: "OrganizationDeletionScheduled", data: { dueAt: command.dueAt } }];
    case "cancelDeletion":
      if (organization.status === "active") return [];
      return [{ type: "OrganizationDeletionCancelled", data: {} }];
    case "delete":
      if (organization.status !== "closing" || organization.dueAt > command.at) return [];
      return [{ type: "OrganizationDeleted", data: {} }];
    case "invite":
    case "resendInvite":
    case "acceptInvite":
    case "revokeInvite":
      if (command.type !== "revokeInvite") mustBeActive(organization);
      return decideInvite(command, organization);
    case "changeRole":
    case "removeMember":
    case "transferOwnership":
      if (command.type !== "removeMember") mustBeActive(organization);
      return decideMember(command, organization);
    default:
      return assertNever(command);
  }
};

const decideChange = (
  { name, settings, expectedVersions }: Extract<OrganizationCommand, { type: "change" }>,
  organization: ExistingOrganization,
): readonly OrganizationEvent[] => {
  mustBeCurrent("organization.stale", "The organisation", organization.version, expectedVersions);
  const events: OrganizationEvent[] = [];
  if (name !== undefined && name !== organization.name) {
    events.push({ type: "OrganizationRenamed", data: { name } });
  }
  const changed = { ...organization.settings, ...settings };
  if (JSON.stringify(changed) !== JSON.stringify(organization.settings)) {
    events.push({ type: "OrganizationSettingsChanged", data: { settings: changed } });
  }
  return events;
};

/** Throws `organization.closing` if deletion is scheduled, `organization.unknown` if the organisation is deleted. */
export const mustBeActive = (organization: Organization): void => {
  if (organization.status === "deleted") {
    throw new DomainError("organization.unknown", "There is no such organisation.");
  }
  if (organization.status !== "closing") return;
  throw new DomainError(
    "organization.closing",
    `The organisation is scheduled for deletion on ${organization.dueAt}. Its owner can restore it until then.`,
  );
};

export const organizationDecider: Decider<Organization, OrganizationCommand, OrganizationEvent> = {
  category: "organization",
  initial: { status: "none" },
  codec: organizationCodec,
  evolve,
  decide,
};
