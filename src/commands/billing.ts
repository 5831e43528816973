import type { PlanCode } from "../domain/billing/catalog.ts";
import { planDecider } from "../domain/billing/plan.ts";
import { derivedId, newId } from "../platform/ids.ts";
import type { CommandContext, CommandLoop } from "./kernel/commandLoop.ts";
import { type Receipt, receiptOf } from "./kernel/receipt.ts";

export type BillingCommands = ReturnType<typeof billingCommands>;

/** What sets the plan of an organisation. */
export const billingCommands = (deps: { loop: CommandLoop }) => {
  const { loop } = deps;
  return {
    /** Starts the free plan of a new organisation. Repeating it changes nothing. */
    startPlan: async (
      context: CommandContext,
      input: { readonly organizationId: string },
    ): Promise<Receipt> => {
      const changeId = derivedId(input.organizationId, "plan started");
      return receiptOf(
        await loop.execute(
          planDecider,
          input.organizationId,
          { type: "start", changeId },
          context,
          { eventId: () => changeId },
        ),
      );
    },

    /** Grants a plan, as an operator may. Repeating it changes nothing. */
    grantPlan: async (
      context: CommandContext,
      input: { readonly organizationId: string; readonly plan: PlanCode; readonly reason: string },
    ): Promise<Receipt> => {
      const changeId = newId();
      const { plan, reason } = input;
      return receiptOf(
        await loop.execute(
          planDecider,
          input.organizationId,
          { type: "grant", changeId, plan, reason },
          context,
          { eventId: () => changeId },
        ),
      );
    },
  };
};
