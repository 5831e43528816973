import type { PlanCode } from "../../domain/billing/catalog.ts";
import { grownGet } from "../../domain/billing/grownMap.ts";
import {
  type ChangeRequest,
  type EventIds,
  type Held,
  heldBy,
  type PlanCommand,
  planDecider,
} from "../../domain/billing/plan.ts";
import type { Terms } from "../../domain/billing/proration.ts";
import { keyOfEvent, type ProviderName, providerNames } from "../../domain/billing/subscription.ts";
import { DomainError } from "../../domain/kernel/errors.ts";
import type { Clock } from "../../platform/clock.ts";
import { derivedId, newId } from "../../platform/ids.ts";
import type { CommandContext, CommandLoop } from "../kernel/commandLoop.ts";
import { idFor } from "../kernel/context.ts";
import { type Receipt, receiptOf } from "../kernel/receipt.ts";
import type { PaymentSettings } from "./paymentReach.ts";
import { type Collected, paymentCommands } from "./payments.ts";
import { subscriptionCommands } from "./subscriptions.ts";

export type BillingCommands = ReturnType<typeof billingCommands>;

/** A change request as a command left it, and what waits for the read models. */
export type Changed = { readonly change: ChangeRequest; readonly receipt: Receipt };

/** As much as is due to a plan at one tick; what is left is due at the next. */
const DUE_AT_ONCE = 16;

/** What sets the plan of an organisation. `payment` says who takes the money for it, and how. */
export const billingCommands = (deps: {
  loop: CommandLoop;
  clock: Clock;
  payment: PaymentSettings;
}) => {
  const { loop, clock } = deps;
  const payment = deps.payment.provider;
  const payments = paymentCommands({ loop, clock, settings: deps.payment });
  const subscriptions = subscriptionCommands({ loop, clock, settings: deps.payment });
  const now = (): string => clock().toISOString();

  const execute = (
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
      {
        ...(ids ? { eventId: (index: number) => ids[index] ?? newId() } : {}),
      },
    );

  const change = async (
    context: CommandContext,
    organizationId: string,
    command: PlanCommand & { readonly changeId: string },
    ids?: EventIds,
  ): Promise<Changed> => {
    const executed = await execute(context, organizationId, command, ids);
    const changed = grownGet(heldBy(executed.state).changes, command.changeId);
    if (!changed) throw new DomainError("plan.changeUnknown", "There is no such plan change.");
    return { change: changed, receipt: receiptOf(executed) };
  };

  const idsFor = (context: CommandContext, changeId: string, purpose: string): EventIds => [
    idFor(context, `plan change ${changeId} ${purpose} 0`),
    idFor(context, `plan change ${changeId} ${purpose} 1`),
  ];

  return {
    /** Starts the free plan of a new organisation. Repeating it changes nothing. */
    startPlan: async (
      context: CommandContext,
      input: { readonly organizationId: string },
    ): Promise<Receipt> => {
      const changeId = derivedId(input.organizationId, "plan started");
      const command = { type: "start", changeId } as const;
      return receiptOf(await execute(context, input.organizationId, command, [changeId]));
    },

    /** Grants a plan, as an operator may, until an instant or for good. Repeating it changes nothing. */
    grantPlan: async (
      context: CommandContext,
      input: {
        readonly organizationId: string;
        readonly plan: PlanCode;
        readonly until?: string | null;
        readonly reason: string;
      },
    ): Promise<Receipt> => {
      const changeId = idFor(context, "plan granted");
      const { organizationId, plan, until = null, reason } = input;
      const command = { type: "grant", changeId, plan, until, reason } as const;
      return receiptOf(await execute(context, organizationId, command, [changeId]));
    },

    /**
     * Asks for another plan; the request says what it would cost and when it would take place.
     * Throws `plan.changeOpen` while another is under way, `plan.alreadyInForce`.
     */
    requestChange: (
      context: CommandContext,
      organizationId: string,
      to: Terms,
    ): Promise<Changed> => {
      const changeId = idFor(context, "plan change");
      const command = { type: "requestChange", changeId, to, at: now() } as const;
      return change(context, organizationId, command);
    },

    /**
     * Moves a request to its natural next state: applied, scheduled, or waiting to be paid, with the page to
     * pay it on. Throws as `collect` does.
     */
    confirmChange: async (
      context: CommandContext,
      organizationId: string,
      changeId: string,
    ): Promise<Collected> => {
      const { state } = await loop.load(planDecider, organizationId);
      const asked = grownGet(heldBy(state).changes, changeId);
      if (asked?.status === "created" && asked.dueCents > 0) payments.mustBeForSale(asked.to);
      const ids = idsFor(context, changeId, "confirmed");
      const command = { type: "confirmChange", changeId, payment, at: now(), ids } as const;
      const confirmed = await change(context, organizationId, command, ids);
      return payments.collect(context, organizationId, confirmed);
    },

    /** Lets a change wait for the end of what is paid for. Throws `plan.nothingToWaitFor`. */
    scheduleChange: (
      context: CommandContext,
      organizationId: string,
      changeId: string,
    ): Promise<Changed> =>
      change(context, organizationId, { type: "scheduleChange", changeId, at: now() }),

    /** Applies a change. Throws `plan.waitingForPayment`, `plan.notDue`, `plan.changeFinished`. */
    applyChange: (
      context: CommandContext,
      organizationId: string,
      changeId: string,
    ): Promise<Changed> => {
      const ids = idsFor(context, changeId, "applied");
      const command = { type: "applyChange", changeId, payment, at: now(), ids } as const;
      return change(context, organizationId, command, ids);
    },

    cancelChange: (
      context: CommandContext,
      organizationId: string,
      changeId: string,
    ): Promise<Changed> => change(context, organizationId, { type: "cancelChange", changeId }),

    /** Takes back what waits for the period's end. Nothing where nothing waits. */
    withdrawScheduled: async (context: CommandContext, organizationId: string): Promise<Receipt> =>
      receiptOf(await execute(context, organizationId, { type: "withdrawScheduled" })),

    /** Lets what was due until now take place. Nothing when nothing was: it can be said any number of times. */
    passTime: async (context: CommandContext, organizationId: string): Promise<Receipt> => {
      const ids = Array.from({ length: DUE_AT_ONCE }, newId) as unknown as EventIds;
      const command = { type: "passTime", at: now(), ids } as const;
      return receiptOf(await execute(context, organizationId, command, ids));
    },

    cancelSubscription: subscriptions.cancelSubscription,
    followPlan: subscriptions.followPlan,

    /** Ends a request that is stuck, as an operator may. Throws `plan.changeUnknown`, `plan.changeFinished`. */
    settleChange: (
      context: CommandContext,
      organizationId: string,
      changeId: string,
      settled: {
        readonly outcome: "applied" | "failed" | "cancelled";
        readonly reason: string;
      },
    ): Promise<Changed> => {
      const ids = idsFor(context, changeId, "settled");
      const command = { type: "settleChange", changeId, ...settled, at: now(), ids } as const;
      return change(context, organizationId, command, ids);
    },

    /** Notes that somebody saw to what needed attention, and how. Throws `plan.attentionUnknown`. */
    settleAttention: async (
      context: CommandContext,
      organizationId: string,
      providerEventId: string,
      settled: { readonly outcome: string; readonly reason: string },
    ): Promise<Receipt> => {
      const { state } = await loop.load(planDecider, organizationId);
      const { attended } = heldBy(state);
      const isOf = (name: ProviderName) => grownGet(attended, keyOfEvent(name, providerEventId));
      if (!providerNames.some(isOf)) {
        throw new DomainError(
          "plan.attentionUnknown",
          "Nothing of this organisation needed attention because of such an event.",
        );
      }
      const command = { type: "settleAttention", providerEventId, ...settled } as const;
      return receiptOf(await execute(context, organizationId, command));
    },

    /** What an organisation holds, as the log has it now. */
    held: async (organizationId: string): Promise<Held> =>
      heldBy((await loop.load(planDecider, organizationId)).state),
  };
};
