import { assertNever } from "../kernel/errors.ts";
import type { OrganizationEvent } from "./events.ts";
import type { Role } from "./permissions.ts";
import { type OrganizationSettings, organizationSettings } from "./settings.ts";

export type Invite = { readonly role: Exclude<Role, "owner">; readonly expiresAt: string } & (
  | { readonly status: "open" | "revoked" }
  | { readonly status: "accepted"; readonly by: string }
);

/** State of an organisation that has been created and not deleted. */
export type ExistingOrganization = {
  readonly name: string;
  /** Role by user id. Exactly one member is the owner. */
  readonly members: Readonly<Record<string, Role>>;
  /** Every invite ever sent, by id. Closed invites stay, so that a repeated command finds them. */
  readonly invites: Readonly<Record<string, Invite>>;
  readonly settings: OrganizationSettings;
  /** Number of events in the stream: its revision plus one. */
  readonly version: number;
};

export type Organization =
  | { readonly status: "none" }
  | ({ readonly status: "active" } & ExistingOrganization)
  /** Scheduled for deletion at `dueAt`; can be restored until then. */
  | ({ readonly status: "closing"; readonly dueAt: string } & ExistingOrganization)
  | { readonly status: "deleted" };

export const evolve = (organization: Organization, event: OrganizationEvent): Organization => {
  const next = apply(organization, event);
  if (next.status === "none" || next.status === "deleted") return next;
  return { ...next, version: next.version + 1 };
};

const apply = (organization: Organization, event: OrganizationEvent): Organization => {
  if (event.type === "OrganizationCreated") {
    const { name, ownerId } = event.data;
    return {
      status: "active",
      name,
      members: { [ownerId]: "owner" },
      invites: {},
      settings: organizationSettings.parse({}),
      version: 0,
    };
  }
  if (organization.status === "none" || organization.status === "deleted") return organization;
  switch (event.type) {
    case "OrganizationRenamed":
      return { ...organization, name: event.data.name };
    case "OrganizationSettingsChanged":
      return { ...organization, settings: event.data.settings };
    case "MemberInvited":
    case "InviteResent":
    case "InviteAccepted":
    case "InviteRevoked":
      return applyInvite(organization, event);
    case "MemberRoleChanged": {
      const { userId: id, to } = event.data;
      return { ...organization, members: { ...organization.members, [id]: to } };
    }
    case "MemberRemoved": {
      const { [event.data.userId]: _, ...members } = organization.members;
      return { ...organization, members };
    }
    case "OwnershipTransferred": {
      const { from, to } = event.data;
      return {
        ...organization,
        members: { ...organization.members, [from]: "admin", [to]: "owner" },
      };
    }
    case "OrganizationDeletionScheduled":
      return { ...organization, status: "closing", dueAt: event.data.dueAt };
    case "OrganizationDeletionCancelled": {
      const { name, members, invites, settings, version } = organization;
      return { status: "active", name, members, invites, settings, version };
    }
    case "OrganizationDeleted":
      return { status: "deleted" };
    default:
      return assertNever(event);
  }
};

type InviteEvent = Extract<
  OrganizationEvent,
  { type: "MemberInvited" | "InviteResent" | "InviteAccepted" | "InviteRevoked" }
>;

const applyInvite = <Existing extends ExistingOrganization>(
  organization: Existing,
  event: InviteEvent,
): Existing => {
  switch (event.type) {
    case "MemberInvited": {
      const { inviteId: id, role, expiresAt } = event.data;
      return withInvite(organization, id, { status: "open", role, expiresAt });
    }
    case "InviteResent": {
      const { inviteId: id, expiresAt } = event.data;
      const invite = organization.invites[id];
      return invite ? withInvite(organization, id, { ...invite, expiresAt }) : organization;
    }
    case "InviteAccepted": {
      const { inviteId: id, userId: by, role } = event.data;
      const expiresAt = organization.invites[id]?.expiresAt ?? "";
      const members = { ...organization.members, [by]: role };
      const accepted = { status: "accepted", role, expiresAt, by } as const;
      return { ...withInvite(organization, id, accepted), members };
    }
    case "InviteRevoked": {
      const invite = organization.invites[event.data.inviteId];
      if (!invite) return organization;
      const { role, expiresAt } = invite;
      return withInvite(organization, event.data.inviteId, { status: "revoked", role, expiresAt });
    }
    default:
      return assertNever(event);
  }
};

const withInvite = <Existing extends ExistingOrganization>(
  organization: Existing,
  id: string,
  invite: Invite,
): Existing => ({ ...organization, invites: { ...organization.invites, [id]: invite } });
