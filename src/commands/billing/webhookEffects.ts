import { periodAt } from "../../domain/billing/calendar.ts";
import { grownGet } from "../../domain/billing/grownMap.ts";
import type { Notice, Saying } from "../../domain/billing/notice.ts";
import {
  type EventIds,
  type Held,
  heldBy,
  type PlanCommand,
  type ProviderFact,
  planDecider,
} from "../../domain/billing/plan.ts";
import { isOpen, periodAfter } from "../../domain/billing/planChanges.ts";
import type { Terms } from "../../domain/billing/proration.ts";
import { endsAt, keyOfEvent, type ProviderName } from "../../domain/billing/subscription.ts";
import type { WebhookOutcome } from "../../domain/billing/webhook.ts";
import type { Clock } from "../../platform/clock.ts";
import type { CommandContext, CommandLoop } from "../kernel/commandLoop.ts";

type Finders = {
  /** Whose a change request, or a subscription, is, as the read models have it. */
  organizationOfChange(changeId: string): Promise<string | null>;
  organizationOfSubscription(
    provider: ProviderName,
    subscriptionId: string,
  ): Promise<string | null>;
  /** Waits, bounded, until the read models have come to the head of the log. */
  caughtUp(): Promise<void>;
};

type Deps = {
  readonly loop: CommandLoop;
  readonly clock: Clock;
  readonly find: Finders;
  /** Which price at the provider is which plan. */
  readonly prices: Readonly<Record<string, Terms>>;
  readonly contextOf: (notice: Notice, organizationId: string) => CommandContext;
  readonly idOf: (notice: Notice, purpose: string) => string;
};

export type Effects = ReturnType<typeof webhookEffects>;

/** As many ids as the events of a plan that one of a provider causes hold in their data, at most. */
const IDS = 2;

const ignored = (reason: string, isWaiting = false): WebhookOutcome => ({
  kind: "ignored",
  reason,
  isWaiting,
});

/** What the events of payment providers do to plans (domain.md, "Webhooks"). */
export const webhookEffects = (deps: Deps) => {
  const { loop, clock, find, prices } = deps;

  const execute = (
    notice: Notice,
    organizationId: string,
    command: PlanCommand,
    eventId: (index: number) => string,
  ) =>
    loop.execute(
      planDecider,
      organizationId,
      command,
      { ...deps.contextOf(notice, organizationId), command: command.type },
      { eventId },
    );

  const drawAttention = async (
    notice: Notice,
    organizationId: string,
    reason: string,
  ): Promise<void> => {
    const { provider, eventId: providerEventId, bodySha256 } = notice;
    const command = {
      type: "raiseAttention",
      provider,
      providerEventId,
      bodySha256,
      reason,
    } as const;
    await execute(notice, organizationId, command, (n) => deps.idOf(notice, `attention ${n}`));
  };

  /** What is not done, and somebody should know. */
  const refused = async (
    notice: Notice,
    organizationId: string,
    reason: string,
  ): Promise<WebhookOutcome> => {
    await drawAttention(notice, organizationId, reason);
    return ignored(reason);
  };

  const ownersOf = async ({ provider, changeId, subscriptionId }: Notice) => ({
    ofChange: changeId === null ? null : await find.organizationOfChange(changeId),
    ofSubscription:
      subscriptionId === null
        ? null
        : await find.organizationOfSubscription(provider, subscriptionId),
  });

  const take = async (
    notice: Notice,
    organizationId: string,
    fact: Pick<ProviderFact, "terms" | "period" | "standing">,
    changeId: string | null,
    adjustment: Extract<PlanCommand, { type: "takeFact" }>["adjustment"] = null,
  ): Promise<WebhookOutcome> =>
    (await takeIn(notice, organizationId, fact, changeId, adjustment)).outcome;

  const takeIn = async (
    notice: Notice,
    organizationId: string,
    fact: Pick<ProviderFact, "terms" | "period" | "standing">,
    changeId: string | null,
    adjustment: Extract<PlanCommand, { type: "takeFact" }>["adjustment"],
  ): Promise<{ readonly outcome: WebhookOutcome; readonly held: Held | null }> => {
    const { provider, eventId, bodySha256, occurredAt, subscriptionId } = notice;
    if (subscriptionId === null) {
      return { outcome: ignored("The event names no subscription and no payment."), held: null };
    }
    const ids = Array.from({ length: IDS }, (_, index) =>
      deps.idOf(notice, `effect ${index}`),
    ) as unknown as EventIds;
    const { events, state } = await execute(
      notice,
      organizationId,
      {
        type: "takeFact",
        fact: { provider, eventId, bodySha256, occurredAt, subscriptionId, ...fact },
        changeId,
        adjustment,
        at: clock().toISOString(),
        ids,
      },
      (index) => ids[index] ?? deps.idOf(notice, `effect ${index}`),
    );
    const held = heldBy(state);
    // Without events: it had been taken in before the process died, or it says nothing new.
    if (events.length > 0 || grownGet(held.facts, keyOfEvent(provider, eventId)))
      return { outcome: { kind: "applied", organizationId }, held };
    return { outcome: ignored("It says nothing that newer events have not said."), held };
  };

  const termsOf = (ids: readonly string[]): Terms | null => {
    for (const id of ids) if (Object.hasOwn(prices, id)) return prices[id] ?? null;
    return null;
  };

  const buy = async (
    notice: Notice,
    says: Extract<Saying, { kind: "bought" }>,
    organizationId: string,
    held: Held,
  ): Promise<WebhookOutcome> => {
    const change = notice.changeId === null ? undefined : grownGet(held.changes, notice.changeId);
    const isKnown = held.subscriptions.has(notice.subscriptionId ?? "");
    const buys = change !== undefined && !says.isRenewal;
    if (buys && !isOpen(change)) {
      const wasPaid = change.status === "applied";
      if (!wasPaid || !isKnown) {
        const what = wasPaid ? "has been applied already" : `is ${change.status}`;
        return refused(notice, organizationId, `It was paid for a plan change that ${what}.`);
      }
    }
    const terms = buys ? change.to : termsOf(says.prices);
    if (terms === null && (says.period === null || !isKnown)) {
      return refused(notice, organizationId, "None of its prices is a plan here.");
    }
    const period = says.period ?? (terms === null ? null : paidFor(notice, terms, held));
    const fact = { terms, period, standing: { kind: "active" } } as const;
    const { outcome, held: after } = await takeIn(
      notice,
      organizationId,
      fact,
      notice.changeId,
      null,
    );
    if (says.isRenewal && after && isPaidInVain(notice, says, after)) {
      const reason = "A renewal was paid of what the organisation has left for Free.";
      await drawAttention(notice, organizationId, reason);
    }
    return outcome;
  };

  const act = async (notice: Notice, organizationId: string): Promise<WebhookOutcome> => {
    const { says, occurredAt: at } = notice;
    switch (says.kind) {
      case "bought": {
        const { state } = await loop.load(planDecider, organizationId);
        return buy(notice, says, organizationId, heldBy(state));
      }
      case "changed": {
        const terms = termsOf(says.prices);
        if (terms === null) {
          return refused(notice, organizationId, "None of its prices is a plan here.");
        }
        const fact = { terms, period: says.period, standing: { kind: "active" } } as const;
        return take(notice, organizationId, fact, notice.changeId);
      }
      case "cancelled": {
        const standing = { kind: "cancelled", endsAt: says.endsAt, at } as const;
        return take(notice, organizationId, { terms: null, period: null, standing }, null);
      }
      case "adjusted": {
        const fact = { terms: null, period: null, standing: { kind: "revoked", at } } as const;
        const { action, status } = says;
        return take(notice, organizationId, fact, null, { action, status });
      }
      case "notAdjusted": {
        const reason = `A ${says.action} was rejected after the plan had been revoked for it.`;
        await drawAttention(notice, organizationId, reason);
        return { kind: "applied", organizationId };
      }
      case "nothing":
        return ignored(says.reason);
    }
  };

  return {
    /** Does what an event says, once however often it is said. `knownOrganization`: found out meanwhile. */
    apply: async (notice: Notice, knownOrganization: string | null): Promise<WebhookOutcome> => {
      if (notice.says.kind === "nothing") return ignored(notice.says.reason);
      let { ofChange, ofSubscription } = await ownersOf(notice);
      ofSubscription ??= knownOrganization;
      // Whose a new subscription is may have been said a moment ago, by an event that named another's change.
      const isBehind = (notice.changeId !== null && ofChange === null) || ofSubscription === null;
      if (isBehind) {
        await find.caughtUp();
        const again = await ownersOf(notice);
        ofChange = again.ofChange;
        ofSubscription = again.ofSubscription ?? knownOrganization;
      }
      if (ofChange !== null && ofSubscription !== null && ofChange !== ofSubscription) {
        const reason = "It names a plan change of another organisation than its subscription's.";
        return refused(notice, ofSubscription, reason);
      }
      const organizationId = ofChange ?? ofSubscription;
      if (organizationId !== null) return act(notice, organizationId);
      if (notice.changeId !== null) return ignored("There is no plan change of its request id.");
      return ignored("Nobody here is known to have its subscription.", true);
    },
  };
};

/** Whether a payment is for a time in which the subscription gives no plan, and the money has not gone back. */
const isPaidInVain = (
  { subscriptionId }: Notice,
  { period }: Extract<Saying, { kind: "bought" }>,
  { own, subscriptions }: Held,
): boolean => {
  const subscription = subscriptions.get(subscriptionId ?? "");
  if (!subscription || subscription.standing.kind === "revoked") return false;
  const ends = endsAt(subscription);
  return own.terms.plan === "free" && (ends === null || (period !== null && period.end > ends));
};

/** What a payment pays for where the event does not say: provider B's payments are for the rest of the month at times. */
const paidFor = ({ provider, occurredAt }: Notice, terms: Terms, held: Held) => {
  if (provider === "provider-b") return periodAfter(held, terms, occurredAt);
  return terms.interval === null ? null : periodAt(occurredAt, terms.interval, occurredAt);
};
