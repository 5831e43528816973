import { z } from "zod";
import type { Decider } from "../kernel/decider.ts";
import { assertNever } from "../kernel/errors.ts";
import { defineCodec, type EventOf } from "../kernel/events.ts";
import { type PlanCode, planCodes } from "./catalog.ts";

// ---------------------------------------------------------------- Events

/** `changeId` is the event's own id in the log: a receipt that names it can be followed to the event that set the plan. */
const changeId = z.uuid();

const schemas = {
  PlanStarted: z.object({ changeId, plan: z.literal("free") }),
  /** An operator gave a plan. */
  PlanGranted: z.object({ changeId, plan: z.enum(planCodes), reason: z.string() }),
};

export type PlanEvent = EventOf<typeof schemas>;

// ---------------------------------------------------------------- State

export type OrganizationPlan =
  | { readonly status: "none" }
  | {
      readonly status: "active";
      readonly plan: PlanCode;
      /** The id of the event that set it. */
      readonly setBy: string;
    };

// ---------------------------------------------------------------- evolve

export const evolve = (_: OrganizationPlan, event: PlanEvent): OrganizationPlan => {
  switch (event.type) {
    case "PlanStarted":
    case "PlanGranted":
      return { status: "active", plan: event.data.plan, setBy: event.data.changeId };
    default:
      return assertNever(event);
  }
};

// ---------------------------------------------------------------- Commands

export type PlanCommand =
  | { readonly type: "start"; readonly changeId: string }
  | {
      readonly type: "grant";
      readonly changeId: string;
      readonly plan: PlanCode;
      readonly reason: string;
    };

// ---------------------------------------------------------------- decide

export const decide = (command: PlanCommand, state: OrganizationPlan): readonly PlanEvent[] => {
  switch (command.type) {
    case "start":
      if (state.status !== "none") return [];
      return [{ type: "PlanStarted", data: { changeId: command.changeId, plan: "free" } }];
    case "grant": {
      const { changeId: id, plan, reason } = command;
      if (state.status === "active" && state.plan === plan) return [];
      return [{ type: "PlanGranted", data: { changeId: id, plan, reason } }];
    }
    default:
      return assertNever(command);
  }
};

/** The plan in force: an organisation whose plan has not started yet has the free one. */
export const planInForce = (
  state: OrganizationPlan,
): { readonly plan: PlanCode; readonly setBy: string | null } =>
  state.status === "active" ? state : { plan: "free", setBy: null };

export const planDecider: Decider<OrganizationPlan, PlanCommand, PlanEvent> = {
  category: "plan",
  initial: { status: "none" },
  codec: defineCodec(schemas),
  evolve,
  decide,
};
