import { z } from "zod";
import type { Decider } from "../kernel/decider.ts";
import { assertNever } from "../kernel/errors.ts";
import { defineCodec, type EventOf } from "../kernel/events.ts";
import type { Role } from "./permissions.ts";

// ---------------------------------------------------------------- Events

const schemas = {
  /** The owner is its first member. */
  OrganizationCreated: z.object({
    organizationId: z.uuid(),
    name: z.string(),
    ownerId: z.uuid(),
  }),
};

export type OrganizationEvent = EventOf<typeof schemas>;

// ---------------------------------------------------------------- State

export type Organization =
  | { readonly status: "none" }
  | {
      readonly status: "active";
      readonly name: string;
      /** Role by user id. */
      readonly members: Readonly<Record<string, Role>>;
    };

// ---------------------------------------------------------------- evolve

export const evolve = (_organization: Organization, event: OrganizationEvent): Organization => {
  switch (event.type) {
    case "OrganizationCreated":
      return {
        status: "active",
        name: event.data.name,
        members: { [event.data.ownerId]: "owner" },
      };
    default:
      return assertNever(event.type);
  }
};

// ---------------------------------------------------------------- Commands

export type OrganizationCommand = {
  readonly type: "create";
  readonly organizationId: string;
  readonly name: string;
  readonly ownerId: string;
};

// ---------------------------------------------------------------- decide

export const decide = (
  command: OrganizationCommand,
  organization: Organization,
): readonly OrganizationEvent[] => {
  switch (command.type) {
    case "create": {
      const { type: _, ...data } = command;
      return organization.status === "none" ? [{ type: "OrganizationCreated", data }] : [];
    }
    default:
      return assertNever(command.type);
  }
};

export const organizationDecider: Decider<Organization, OrganizationCommand, OrganizationEvent> = {
  category: "organization",
  initial: { status: "none" },
  codec: defineCodec(schemas),
  evolve,
  decide,
};
