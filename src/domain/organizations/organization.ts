import { z } from "zod";
import type { Decider } from "../kernel/decider.ts";
import { assertNever, DomainError } from "../kernel/errors.ts";
import { defineCodec, type EventOf } from "../kernel/events.ts";
import { decideInvite, type InviteCommand } from "./invites.ts";
import { decideMember, type MemberCommand } from "./members.ts";
import { type Role, roles } from "./permissions.ts";
import { type OrganizationSettings, organizationSettings } from "./settings.ts";

// ---------------------------------------------------------------- Events

const instant = z.iso.datetime({ precision: 3 });
const userId = z.uuid();
const inviteId = z.uuid();
/** Every role but the owner's, which is handed over and never given. */
const givenRole = z.enum(roles).exclude(["owner"]);

const schemas = {
  /** The owner is its first member. */
  OrganizationCreated: z.object({
    organizationId: z.uuid(),
    name: z.string(),
    ownerId: userId,
  }),
  OrganizationRenamed: z.object({ name: z.string() }),
  OrganizationSettingsChanged: z.object({ settings: organizationSettings }),
  /** Whose address it is stands in no event: the state table of invites has it, under the invite's id. */
  MemberInvited: z.object({ inviteId, role: givenRole, expiresAt: instant }),
  InviteResent: z.object({ inviteId, expiresAt: instant }),
  InviteAccepted: z.object({ inviteId, userId, role: givenRole }),
  InviteRevoked: z.object({ inviteId }),
  MemberRoleChanged: z.object({ userId, from: givenRole, to: givenRole }),
  MemberRemoved: z.object({ userId, reason: z.enum(["left", "removed", "erased"]) }),
  /** The one who hands over stays, as an admin. */
  OwnershipTransferred: z.object({ from: userId, to: userId }),
  OrganizationDeletionScheduled: z.object({ dueAt: instant }),
  OrganizationDeletionCancelled: z.object({}),
  OrganizationDeleted: z.object({}),
};

export type OrganizationEvent = EventOf<typeof schemas>;

// ---------------------------------------------------------------- State

export type Invite = { readonly role: Exclude<Role, "owner">; readonly expiresAt: string } & (
  | { readonly status: "open" | "revoked" }
  | { readonly status: "accepted"; readonly by: string }
);

/** What every organisation that exists has. */
export type Standing = {
  readonly name: string;
  /** Role by user id. There is always exactly one owner. */
  readonly members: Readonly<Record<string, Role>>;
  /** Every invite that was ever sent, by id: a repeat must find a finished one too. */
  readonly invites: Readonly<Record<string, Invite>>;
  readonly settings: OrganizationSettings;
  /** How many events it has: the revision of its stream, plus one. */
  readonly version: number;
};

export type Organization =
  | { readonly status: "none" }
  | ({ readonly status: "active" } & Standing)
  /** To be deleted, and to be had back until then. */
  | ({ readonly status: "closing"; readonly dueAt: string } & Standing)
  | { readonly status: "deleted" };

// ---------------------------------------------------------------- evolve

export const evolve = (organization: Organization, event: OrganizationEvent): Organization => {
  const next = applied(organization, event);
  if (next.status === "none" || next.status === "deleted") return next;
  return { ...next, version: next.version + 1 };
};

const applied = (organization: Organization, event: OrganizationEvent): Organization => {
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

const withInvite = <Existing extends Standing>(
  organization: Existing,
  id: string,
  invite: Invite,
): Existing => ({ ...organization, invites: { ...organization.invites, [id]: invite } });

// ---------------------------------------------------------------- Commands

export type OrganizationCommand =
  | {
      readonly type: "create";
      readonly organizationId: string;
      readonly name: string;
      readonly ownerId: string;
    }
  /** What is absent stays as it is. Based on one of the versions, where some are named. */
  | {
      readonly type: "change";
      readonly name?: string | undefined;
      readonly settings?: Partial<OrganizationSettings> | undefined;
      readonly expectedVersions: readonly number[] | null;
    }
  | { readonly type: "scheduleDeletion"; readonly dueAt: string }
  | { readonly type: "cancelDeletion" }
  /** The grace period is over at `at`. */
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
  organization: Standing,
): readonly OrganizationEvent[] => {
  if (expectedVersions !== null && !expectedVersions.includes(organization.version)) {
    throw new DomainError(
      "organization.stale",
      `The organisation is at version ${organization.version} by now. Read it again, and base the change on that.`,
    );
  }
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

/** Throws `organization.closing` while the organisation waits to be deleted, `organization.unknown` once it is. */
export const mustBeActive = (organization: Organization): void => {
  if (organization.status === "deleted") {
    throw new DomainError("organization.unknown", "There is no such organisation.");
  }
  if (organization.status !== "closing") return;
  throw new DomainError(
    "organization.closing",
    `The organisation is to be deleted on ${organization.dueAt}: its owner can restore it until then.`,
  );
};

export const organizationDecider: Decider<Organization, OrganizationCommand, OrganizationEvent> = {
  category: "organization",
  initial: { status: "none" },
  codec: defineCodec(schemas),
  evolve,
  decide,
};
