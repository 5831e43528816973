import type { Terms } from "../../domain/billing/proration.ts";
import type { CommandContext } from "../kernel/commandLoop.ts";
import {
  applyChange,
  cancelChange,
  confirmChange,
  requestChange,
  scheduleChange,
  settleChange,
} from "./changes.ts";
import { followPlan } from "./followPlan.ts";
import { type BillingDeps, loadPlan } from "./planCommands.ts";
import { grantPlan, passTime, settleAttention, startPlan, withdrawScheduled } from "./plans.ts";
import { cancelSubscription } from "./subscriptions.ts";

export type BillingCommands = ReturnType<typeof billingCommands>;

/** Commands on the plans of organisations. `payment` names the provider that collects payments. */
export const billingCommands = (deps: BillingDeps) => ({
  startPlan: (context: CommandContext, input: Parameters<typeof startPlan>[2]) =>
    startPlan(deps, context, input),
  grantPlan: (context: CommandContext, input: Parameters<typeof grantPlan>[2]) =>
    grantPlan(deps, context, input),
  requestChange: (context: CommandContext, organizationId: string, to: Terms) =>
    requestChange(deps, context, { organizationId, to }),
  confirmChange: (context: CommandContext, organizationId: string, changeId: string) =>
    confirmChange(deps, context, { organizationId, changeId }),
  scheduleChange: (context: CommandContext, organizationId: string, changeId: string) =>
    scheduleChange(deps, context, { organizationId, changeId }),
  applyChange: (context: CommandContext, organizationId: string, changeId: string) =>
    applyChange(deps, context, { organizationId, changeId }),
  cancelChange: (context: CommandContext, organizationId: string, changeId: string) =>
    cancelChange(deps, context, { organizationId, changeId }),
  withdrawScheduled: (context: CommandContext, organizationId: string) =>
    withdrawScheduled(deps, context, organizationId),
  passTime: (context: CommandContext, organizationId: string) =>
    passTime(deps, context, organizationId),
  cancelSubscription: (context: CommandContext, organizationId: string) =>
    cancelSubscription(deps, context, organizationId),
  followPlan: (
    context: CommandContext,
    organizationId: string,
    changeId: string | null,
    event: { readonly setBy: string | null; readonly isDue: boolean },
  ) => followPlan(deps, context, { organizationId, changeId, ...event }),
  settleChange: (
    context: CommandContext,
    organizationId: string,
    changeId: string,
    settled: Omit<Parameters<typeof settleChange>[2], "organizationId" | "changeId">,
  ) => settleChange(deps, context, { organizationId, changeId, ...settled }),
  settleAttention: (
    context: CommandContext,
    organizationId: string,
    providerEventId: string,
    settled: { readonly outcome: string; readonly reason: string },
  ) => settleAttention(deps, context, { organizationId, providerEventId, ...settled }),
  currentPlan: (organizationId: string) => loadPlan(deps, organizationId),
});
