import { z } from "zod";
import { defineCodec, type EventOf } from "../kernel/events.ts";
import { roles } from "./permissions.ts";
import { organizationSettings } from "./settings.ts";

const instant = z.iso.datetime({ precision: 3 });
const userId = z.uuid();
const inviteId = z.uuid();
/** Every role that can be assigned. Ownership is transferred instead. */
const assignableRole = z.enum(roles).exclude(["owner"]);

const schemas = {
  /** The owner is the first member. */
  OrganizationCreated: z.object({
    organizationId: z.uuid(),
    name: z.string(),
    ownerId: userId,
  }),
  OrganizationRenamed: z.object({ name: z.string() }),
  OrganizationSettingsChanged: z.object({ settings: organizationSettings }),
  /** Contains no e-mail address: the `invite_addresses` table stores it under the invite's id. */
  MemberInvited: z.object({ inviteId, role: assignableRole, expiresAt: instant }),
  InviteResent: z.object({ inviteId, expiresAt: instant }),
  InviteAccepted: z.object({ inviteId, userId, role: assignableRole }),
  InviteRevoked: z.object({ inviteId }),
  MemberRoleChanged: z.object({ userId, from: assignableRole, to: assignableRole }),
  MemberRemoved: z.object({ userId, reason: z.enum(["left", "removed", "erased"]) }),
  /** The previous owner becomes an admin. */
  OwnershipTransferred: z.object({ from: userId, to: userId }),
  OrganizationDeletionScheduled: z.object({ dueAt: instant }),
  OrganizationDeletionCancelled: z.object({}),
  OrganizationDeleted: z.object({}),
};

export const organizationCodec = defineCodec(schemas);

export type OrganizationEvent = EventOf<typeof schemas>;
