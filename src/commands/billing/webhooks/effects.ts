import type { ProviderEvent } from "../../../domain/billing/providerEvents.ts";
import type { ProviderName } from "../../../domain/billing/subscription.ts";
import type { WebhookOutcome } from "../../../domain/billing/webhook.ts";
import { assertNever } from "../../../domain/kernel/errors.ts";
import { loadPlan } from "../planCommands.ts";
import { applyPurchase } from "./purchases.ts";
import {
  type FactDeps,
  ignored,
  raiseAttention,
  refuse,
  takeFact,
  termsOf,
  UNKNOWN_PRICES,
} from "./takeFact.ts";

/** Finds the organisation of a change or subscription in the read models. */
type OwnerFinder = {
  organizationOfChange(changeId: string): Promise<string | null>;
  organizationOfSubscription(
    provider: ProviderName,
    subscriptionId: string,
  ): Promise<string | null>;
  /** Waits for a bounded time until the read models reach the head of the log. */
  caughtUp(): Promise<void>;
};

export type EffectDeps = FactDeps & { readonly find: OwnerFinder };

/**
 * Applies an event to the plan of its organisation (domain.md, "Webhooks"). Idempotent. `owner` is the organisation
 * of its subscription if it is known otherwise.
 */
export const applyEvent = async (
  deps: EffectDeps,
  { event, owner }: { readonly event: ProviderEvent; readonly owner: string | null },
): Promise<WebhookOutcome> => {
  if (event.content.kind === "nothing") return ignored(event.content.reason);
  let { ofChange, ofSubscription } = await ownersOf(deps.find, event);
  ofSubscription ??= owner;
  // The read models may not yet contain an event that named the owner a moment ago.
  const mayBeStale = (event.changeId !== null && ofChange === null) || ofSubscription === null;
  if (mayBeStale) {
    await deps.find.caughtUp();
    const fresh = await ownersOf(deps.find, event);
    ofChange = fresh.ofChange;
    ofSubscription = fresh.ofSubscription ?? owner;
  }
  if (ofChange !== null && ofSubscription !== null && ofChange !== ofSubscription) {
    const reason = "The plan change and the subscription belong to different organisations.";
    return refuse(deps, { event, organizationId: ofSubscription }, reason);
  }
  const organizationId = ofChange ?? ofSubscription;
  if (organizationId !== null) return applyTo(deps, { event, organizationId });
  if (event.changeId !== null) return ignored("There is no plan change with its request id.");
  return ignored("The owner of its subscription is unknown.", true);
};

const ownersOf = async (
  find: OwnerFinder,
  { provider, changeId, subscriptionId }: ProviderEvent,
) => ({
  ofChange: changeId === null ? null : await find.organizationOfChange(changeId),
  ofSubscription:
    subscriptionId === null
      ? null
      : await find.organizationOfSubscription(provider, subscriptionId),
});

const applyTo = async (
  deps: EffectDeps,
  target: { readonly event: ProviderEvent; readonly organizationId: string },
): Promise<WebhookOutcome> => {
  const { event, organizationId } = target;
  const { content, occurredAt: at, changeId } = event;
  switch (content.kind) {
    case "bought":
      return applyPurchase(deps, target, content, await loadPlan(deps, organizationId));
    case "changed": {
      const terms = termsOf(deps.prices, content.prices);
      if (terms === null) return refuse(deps, target, UNKNOWN_PRICES);
      const fact = { terms, period: content.period, standing: { kind: "active" } } as const;
      return (await takeFact(deps, target, { fact, changeId })).outcome;
    }
    case "cancelled": {
      const standing = { kind: "cancelled", endsAt: content.endsAt, at } as const;
      const fact = { terms: null, period: null, standing };
      return (await takeFact(deps, target, { fact, changeId: null })).outcome;
    }
    case "adjusted": {
      const { action, status } = content;
      const fact = { terms: null, period: null, standing: { kind: "revoked", at } } as const;
      const adjustment = { action, status };
      return (await takeFact(deps, target, { fact, changeId: null, adjustment })).outcome;
    }
    case "notAdjusted": {
      const reason = `A ${content.action} was rejected after the plan had been revoked for it.`;
      await raiseAttention(deps, target, reason);
      return { kind: "applied", organizationId };
    }
    case "nothing":
      return ignored(content.reason);
    default:
      return assertNever(content);
  }
};
