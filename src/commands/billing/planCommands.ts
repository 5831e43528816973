import { type PlanCommand, planDecider } from "../../domain/billing/plan.ts";
import type { EventIds } from "../../domain/billing/planEvents.ts";
import {
  type ChangeRequest,
  type CurrentPlan,
  currentPlan,
} from "../../domain/billing/planState.ts";
import type { Clock } from "../../platform/clock.ts";
import { newId } from "../../platform/ids.ts";
import type { CommandContext, CommandLoop } from "../kernel/commandLoop.ts";
import type { Receipt } from "../kernel/receipt.ts";
import type { PaymentSettings } from "./paymentProviders.ts";

export type BillingDeps = {
  readonly loop: CommandLoop;
  readonly clock: Clock;
  readonly payment: PaymentSettings;
};

/** A change request after a command, with the receipt of the command. */
export type Changed = { readonly change: ChangeRequest; readonly receipt: Receipt };

/** Executes a command on an organisation's plan. `ids` are the log ids of the events, in order. */
export const executePlan = (
  { loop }: Pick<BillingDeps, "loop">,
  context: CommandContext,
  organizationId: string,
  command: PlanCommand,
  ids?: EventIds,
) =>
  loop.execute(
    planDecider,
    organizationId,
    command,
    { ...context, command: command.type },
    ids ? { eventId: (index: number) => ids[index] ?? newId() } : {},
  );

/** The plan of an organisation, read from the log. */
export const loadPlan = async (
  { loop }: Pick<BillingDeps, "loop">,
  organizationId: string,
): Promise<CurrentPlan> => currentPlan((await loop.load(planDecider, organizationId)).state);

export const nowOf = ({ clock }: Pick<BillingDeps, "clock">): string => clock().toISOString();
