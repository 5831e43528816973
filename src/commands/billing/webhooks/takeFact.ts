import { getValue } from "../../../domain/billing/persistentMap.ts";
import { type PlanCommand, planDecider } from "../../../domain/billing/plan.ts";
import type { EventIds, ProviderFact } from "../../../domain/billing/planEvents.ts";
import { type CurrentPlan, currentPlan } from "../../../domain/billing/planState.ts";
import type { Terms } from "../../../domain/billing/proration.ts";
import type { ProviderEvent } from "../../../domain/billing/providerEvents.ts";
import { keyOfEvent } from "../../../domain/billing/subscription.ts";
import type { WebhookOutcome } from "../../../domain/billing/webhook.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { CommandLoop } from "../../kernel/commandLoop.ts";
import { contextOf, idOf } from "./receipts.ts";

export type FactDeps = {
  readonly loop: CommandLoop;
  readonly clock: Clock;
  /** The terms that each price id stands for. */
  readonly prices: Readonly<Record<string, Terms>>;
};

/** A provider's event and the organisation whose plan it concerns. */
export type Target = { readonly event: ProviderEvent; readonly organizationId: string };

type TakeFact = Extract<PlanCommand, { type: "takeFact" }>;

/** The maximum number of ids that the plan events of one fact contain. */
const MAX_IDS = 2;

export const UNKNOWN_PRICES = "None of its prices belongs to a plan.";

/** `isWaiting`: the event is retried once the owner of its subscription is known. */
export const ignored = (reason: string, isWaiting = false): WebhookOutcome => ({
  kind: "ignored",
  reason,
  isWaiting,
});

/** The terms of the first known price id, null if none is known. */
export const termsOf = (prices: FactDeps["prices"], ids: readonly string[]): Terms | null => {
  for (const id of ids) if (Object.hasOwn(prices, id)) return prices[id] ?? null;
  return null;
};

/** Merges the event's fact into the plan. `current` is null if the event names no subscription. */
export const takeFact = async (
  deps: FactDeps,
  target: Target,
  input: {
    readonly fact: Pick<ProviderFact, "terms" | "period" | "standing">;
    readonly changeId: string | null;
    readonly adjustment?: TakeFact["adjustment"];
  },
): Promise<{ readonly outcome: WebhookOutcome; readonly current: CurrentPlan | null }> => {
  const { event, organizationId } = target;
  const { provider, eventId, bodySha256, occurredAt, subscriptionId } = event;
  if (subscriptionId === null) {
    return { outcome: ignored("The event names no subscription and no payment."), current: null };
  }
  const ids = Array.from({ length: MAX_IDS }, (_, index) =>
    idOf(event, `effect ${index}`),
  ) as unknown as EventIds;
  const command: TakeFact = {
    type: "takeFact",
    fact: { provider, eventId, bodySha256, occurredAt, subscriptionId, ...input.fact },
    changeId: input.changeId,
    adjustment: input.adjustment ?? null,
    at: deps.clock().toISOString(),
    ids,
  };
  const executed = await execute(deps, target, command, (index) => idOf(event, `effect ${index}`));
  const current = currentPlan(executed.state);
  // No new events: an earlier attempt recorded the fact before a crash, or the fact changes nothing.
  const isTaken =
    executed.events.length > 0 || getValue(current.facts, keyOfEvent(provider, eventId));
  return isTaken
    ? { outcome: { kind: "applied", organizationId }, current }
    : { outcome: ignored("Newer events supersede it."), current };
};

/** Raises attention and ignores the event. */
export const refuse = async (
  deps: FactDeps,
  target: Target,
  reason: string,
): Promise<WebhookOutcome> => {
  await raiseAttention(deps, target, reason);
  return ignored(reason);
};

export const raiseAttention = async (
  deps: FactDeps,
  target: Target,
  reason: string,
): Promise<void> => {
  const { provider, eventId: providerEventId, bodySha256 } = target.event;
  const raised = { provider, providerEventId, bodySha256, reason };
  await execute(deps, target, { type: "raiseAttention", ...raised }, (index) =>
    idOf(target.event, `attention ${index}`),
  );
};

const execute = (
  { loop }: FactDeps,
  { event, organizationId }: Target,
  command: PlanCommand,
  eventId: (index: number) => string,
) => {
  const context = { ...contextOf(event, organizationId), command: command.type };
  return loop.execute(planDecider, organizationId, command, context, { eventId });
};
