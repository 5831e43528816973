import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fold } from "../../../../src/domain/kernel/decider.ts";
import { DomainError } from "../../../../src/domain/kernel/errors.ts";
import type { OrganizationEvent } from "../../../../src/domain/organizations/events.ts";
import {
  mustBeActive,
  type OrganizationCommand,
  organizationDecider,
} from "../../../../src/domain/organizations/organization.ts";
import { roles } from "../../../../src/domain/organizations/permissions.ts";
import { organizationSettings } from "../../../../src/domain/organizations/settings.ts";
import type { Organization } from "../../../../src/domain/organizations/state.ts";
import { scenario } from "../../../support/scenario.ts";

const uuid = (n: number): string => `019a0000-0000-7000-8000-${String(n).padStart(12, "0")}`;
const organizationId = uuid(1);
const ownerId = uuid(2);
const ann = uuid(3);
const inviteId = uuid(4);
const at = "2026-04-01T00:00:00.000Z";
const expiresAt = "2026-04-08T00:00:00.000Z";
const seats = { limit: 3, reason: "The plan Free allows 3 members (seats)." };

const created: OrganizationEvent = {
  type: "OrganizationCreated",
  data: { organizationId, name: "Acme", ownerId },
};
const create = { type: "create", organizationId, name: "Acme", ownerId } as const;
const invite = { type: "invite", inviteId, role: "editor", at, expiresAt, seats } as const;
const invited: OrganizationEvent = {
  type: "MemberInvited",
  data: { inviteId, role: "editor", expiresAt },
};
const accept = { type: "acceptInvite", inviteId, userId: ann, at, seats } as const;
const accepted: OrganizationEvent = {
  type: "InviteAccepted",
  data: { inviteId, userId: ann, role: "editor" },
};
const closing: OrganizationEvent = {
  type: "OrganizationDeletionScheduled",
  data: { dueAt: expiresAt },
};
const organization = scenario(organizationDecider);

describe("an organisation", () => {
  it("is created with its owner as the first member", () => {
    organization.given([]).when(create).then([created]);
    expect(fold(organizationDecider, [created])).toMatchObject({ members: { [ownerId]: "owner" } });
  });

  it("records nothing if created again", () => {
    organization
      .given([created])
      .when({ ...create, name: "Other" })
      .thenNothing();
  });

  it("records a new name or setting once", () => {
    const renamed: OrganizationEvent = { type: "OrganizationRenamed", data: { name: "Other" } };
    const rename = { type: "change", name: "Other", expectedVersions: null } as const;
    organization.given([created]).when(rename).then([renamed]);
    organization.given([created, renamed]).when(rename).thenNothing();
    const settings = { healing: false };
    const change = { type: "change", settings, expectedVersions: null } as const;
    const changed: OrganizationEvent = {
      type: "OrganizationSettingsChanged",
      data: { settings: organizationSettings.parse({ healing: false }) },
    };
    organization.given([created]).when(change).then([changed]);
    organization.given([created, changed]).when(change).thenNothing();
    organization
      .given([created])
      .when({ ...rename, settings })
      .then([renamed, changed]);
  });

  it("refuses a change at another version than the expected one", () => {
    const change = { type: "change", name: "Other", expectedVersions: [1] } as const;
    const renamed: OrganizationEvent = { type: "OrganizationRenamed", data: { name: "Other" } };
    organization.given([created]).when(change).then([renamed]);
    organization.given([created, renamed]).when(change).thenRefused("organization.stale");
  });

  it("refuses changes while its deletion is scheduled, except restoring it, and is deleted when due", () => {
    const schedule = { type: "scheduleDeletion", dueAt: expiresAt } as const;
    organization.given([created]).when(schedule).then([closing]);
    organization.given([created, closing]).when(schedule).thenNothing();
    organization.given([created, closing]).when(invite).thenRefused("organization.closing");
    organization
      .given([created, closing])
      .when({ type: "cancelDeletion" })
      .then([{ type: "OrganizationDeletionCancelled", data: {} }]);
    organization.given([created, closing]).when({ type: "delete", at }).thenNothing();
    const deleted: OrganizationEvent = { type: "OrganizationDeleted", data: {} };
    const due = { type: "delete", at: expiresAt } as const;
    organization.given([created, closing]).when(due).then([deleted]);
    organization.given([created, closing, deleted]).when(due).thenNothing();
    organization
      .given([created, closing, deleted])
      .when({ type: "cancelDeletion" })
      .thenRefused("organization.unknown");
  });

  it("is unknown after its deletion", () => {
    expect(() => mustBeActive({ status: "deleted" })).toThrow(
      expect.objectContaining({ code: "organization.unknown" }),
    );
  });
});

describe("invites", () => {
  it("make a person a member, once", () => {
    organization.given([created]).when(invite).then([invited]);
    organization.given([created, invited]).when(invite).thenNothing();
    organization.given([created, invited]).when(accept).then([accepted]);
    organization.given([created, invited, accepted]).when(accept).thenNothing();
  });

  it("are refused to a second person", () => {
    const other = { ...accept, userId: uuid(9) };
    organization.given([created, invited, accepted]).when(other).thenRefused("invite.finished");
  });

  it("are refused after they expired or were revoked", () => {
    organization
      .given([created, invited])
      .when({ ...accept, at: expiresAt })
      .thenRefused("invite.expired");
    const revoked: OrganizationEvent = { type: "InviteRevoked", data: { inviteId } };
    organization.given([created, invited]).when({ type: "revokeInvite", inviteId }).then([revoked]);
    organization
      .given([created, invited, revoked])
      .when({ type: "revokeInvite", inviteId })
      .thenNothing();
    organization.given([created, invited, revoked]).when(accept).thenRefused("invite.finished");
    organization
      .given([created])
      .when({ ...accept, inviteId: uuid(8) })
      .thenRefused("invite.unknown");
  });

  it("can be accepted after an expired one was resent", () => {
    const later = "2026-05-01T00:00:00.000Z";
    const resend = { type: "resendInvite", inviteId, expiresAt: later } as const;
    const resent: OrganizationEvent = {
      type: "InviteResent",
      data: { inviteId, expiresAt: later },
    };
    organization.given([created, invited]).when(resend).then([resent]);
    organization.given([created, invited, resent]).when(resend).thenNothing();
    organization
      .given([created, invited, resent])
      .when({ ...accept, at: expiresAt })
      .then([accepted]);
  });

  it("are refused without a free seat, naming the entitlement", () => {
    const full = { ...invite, seats: { ...seats, limit: 1 } };
    const refusal = organization.given([created]).when(full).thenRefused("organization.seatsTaken");
    expect(refusal.message).toMatch(/seats/);
    organization
      .given([created, invited])
      .when({ ...invite, inviteId: uuid(8), seats: { ...seats, limit: 2 } })
      .thenRefused("organization.seatsTaken");
    // An invite that nobody can accept any more takes no seat.
    organization
      .given([created, invited])
      .when({ ...invite, inviteId: uuid(8), at: expiresAt, seats: { ...seats, limit: 2 } })
      .then([{ type: "MemberInvited", data: { ...invited.data, inviteId: uuid(8) } as never }]);
  });
});

describe("members", () => {
  const joined = [created, invited, accepted];

  it("change roles once, and never promote themselves", () => {
    const change = { type: "changeRole", userId: ann, role: "admin", by: ownerId } as const;
    const changed: OrganizationEvent = {
      type: "MemberRoleChanged",
      data: { userId: ann, from: "editor", to: "admin" },
    };
    organization.given(joined).when(change).then([changed]);
    organization
      .given([...joined, changed])
      .when(change)
      .thenNothing();
    organization
      .given(joined)
      .when({ ...change, by: ann })
      .thenRefused("member.ownRole");
    organization
      .given(joined)
      .when({ ...change, userId: uuid(9) })
      .thenRefused("member.unknown");
  });

  it("include an owner who must transfer ownership before leaving or changing role", () => {
    organization
      .given(joined)
      .when({ type: "changeRole", userId: ownerId, role: "admin", by: ownerId })
      .thenRefused("member.lastOwner");
    organization
      .given(joined)
      .when({ type: "removeMember", userId: ownerId, by: ownerId, reason: "left" })
      .thenRefused("member.lastOwner");
    const transfer = { type: "transferOwnership", to: ann, by: ownerId } as const;
    const transferred: OrganizationEvent = {
      type: "OwnershipTransferred",
      data: { from: ownerId, to: ann },
    };
    organization.given(joined).when(transfer).then([transferred]);
    organization
      .given([...joined, transferred])
      .when(transfer)
      .thenNothing();
    organization
      .given(joined)
      .when({ ...transfer, by: ann, to: ann })
      .thenRefused("member.notOwner");
    organization
      .given([...joined, transferred])
      .when({ type: "removeMember", userId: ownerId, by: ownerId, reason: "left" })
      .then([{ type: "MemberRemoved", data: { userId: ownerId, reason: "left" } }]);
  });

  it("cannot manage others after a demotion or removal", () => {
    const bob = uuid(5);
    const secondInvite: OrganizationEvent = {
      type: "MemberInvited",
      data: { ...invited.data, inviteId: uuid(6) } as never,
    };
    const bobJoined: OrganizationEvent = {
      type: "InviteAccepted",
      data: { inviteId: uuid(6), userId: bob, role: "admin" },
    };
    const history = [...joined, secondInvite, bobJoined];
    const demoted: OrganizationEvent = {
      type: "MemberRoleChanged",
      data: { userId: bob, from: "admin", to: "viewer" },
    };
    const removed: OrganizationEvent = {
      type: "MemberRemoved",
      data: { userId: bob, reason: "removed" },
    };
    const change = { type: "changeRole", userId: ann, role: "viewer", by: bob } as const;
    const remove = { type: "removeMember", userId: ann, by: bob, reason: "removed" } as const;
    for (const since of [demoted, removed]) {
      for (const command of [change, remove]) {
        organization
          .given([...history, since])
          .when(command)
          .thenRefused("member.notAllowed");
      }
    }
  });

  it("are removed once", () => {
    organization
      .given(joined)
      .when({ type: "removeMember", userId: uuid(9), by: ownerId, reason: "removed" })
      .thenNothing();
  });

  it("include exactly one owner, and repeats record nothing, under any commands", () => {
    const user = fc.integer({ min: 2, max: 6 }).map(uuid);
    const id = fc.integer({ min: 20, max: 24 }).map(uuid);
    const role = fc.constantFrom(...roles.filter((one) => one !== "owner"));
    const command: fc.Arbitrary<OrganizationCommand> = fc.oneof(
      fc.record({
        type: fc.constant("invite" as const),
        inviteId: id,
        role,
        at: fc.constant(at),
        expiresAt: fc.constant(expiresAt),
        seats: fc.constant(seats),
      }),
      fc.record({
        type: fc.constant("acceptInvite" as const),
        inviteId: id,
        userId: user,
        at: fc.constant(at),
        seats: fc.constant(seats),
      }),
      fc.record({ type: fc.constant("revokeInvite" as const), inviteId: id }),
      fc.record({ type: fc.constant("changeRole" as const), userId: user, role, by: user }),
      fc.record({
        type: fc.constant("removeMember" as const),
        userId: user,
        by: user,
        reason: fc.constantFrom("left" as const, "removed" as const),
      }),
      fc.record({ type: fc.constant("transferOwnership" as const), to: user, by: user }),
    );
    fc.assert(
      fc.property(fc.array(command, { maxLength: 60 }), (commands) => {
        let state: Organization = fold(organizationDecider, [created]);
        for (const one of commands) {
          try {
            state = organizationDecider
              .decide(one, state)
              .reduce(organizationDecider.evolve, state);
            expect(organizationDecider.decide(one, state)).toEqual([]);
          } catch (error) {
            if (!(error instanceof DomainError)) throw error;
          }
          const members = state.status === "active" ? Object.values(state.members) : [];
          expect(members.filter((member) => member === "owner")).toHaveLength(1);
          expect(members.length).toBeLessThanOrEqual(seats.limit);
        }
      }),
    );
  });
});
