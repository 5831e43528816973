import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { type Notice, readProviderA, readProviderB } from "../../domain/billing/notice.ts";
import type { ProviderName } from "../../domain/billing/subscription.ts";
import {
  isApplied,
  isSettled,
  type Webhook,
  type WebhookOutcome,
  webhookDecider,
} from "../../domain/billing/webhook.ts";
import { DomainError } from "../../domain/kernel/errors.ts";
import type { Clock } from "../../platform/clock.ts";
import type { EventLog } from "../../platform/eventLog/port.ts";
import type { Logger } from "../../platform/logger.ts";
import type { KeptWebhook, WebhookBodies } from "../../stores/billing/webhookBodies.ts";
import type { CommandContext, CommandLoop } from "../kernel/commandLoop.ts";
import { createLru } from "../kernel/lru.ts";
import { type Effects, webhookEffects } from "./webhookEffects.ts";
import { contextOf, idOf, receiptIdOf, receiveOf, recordNew, streamOf } from "./webhookReceipts.ts";
import { isSignedByProviderA, isSignedByProviderB } from "./webhookSignatures.ts";

/** What the provider is told: `applied` that it was acted on, by this very call. */
export type Answered = "applied" | "ignored";

/** So many settled events are remembered: a provider's copies come soon after. */
const SETTLED = 10_000;

export type WebhookCommands = ReturnType<typeof webhookCommands>;

type Deps = Omit<Parameters<typeof webhookEffects>[0], "contextOf" | "idOf"> & {
  readonly log: Pick<EventLog, "append" | "readStream">;
  readonly loop: CommandLoop;
  readonly clock: Clock;
  readonly bodies: WebhookBodies;
  /** null: the receiver is inert. */
  readonly secrets: Readonly<Record<ProviderName, string | null>>;
  readonly logger: Pick<Logger, "warn">;
};

/** What payment providers tell the service: recorded once each, applied once, tried again where that failed. */
export const webhookCommands = (deps: Deps) => {
  const { loop, clock, bodies, secrets, logger } = deps;
  const effects: Effects = webhookEffects({ ...deps, contextOf, idOf });
  const underWay = new Map<string, Promise<Answered>>();
  /** Of which nothing more will come: their copies are answered from memory. */
  const settledLately = createLru<string, true>(SETTLED);

  /** An event whose id has never come: what it does, then that it came and what it did, in one append. */
  const processNew = async (notice: Notice): Promise<Answered> => {
    const outcome = await effects.apply(notice, null).catch(failed);
    const state = await recordNew(deps, notice, outcome);
    if (state === null) return process(notice, null, null);
    return conclude(notice, null, { state, outcome, isNews: true });
  };

  /** An event that may have come before, in whatever state that left it. */
  const process = async (
    notice: Notice,
    knownOrganization: string | null,
    operator: CommandContext | null,
  ): Promise<Answered> => {
    const stream = streamOf(notice);
    const again = operator !== null;
    const said = await firstSaid(notice);
    const context = { ...contextOf(said, null), ...(operator && { actor: operator.actor }) };
    const eventId = () => receiptIdOf(said);
    const received = await loop.execute(webhookDecider, stream, receiveOf(said), context, {
      eventId,
    });
    if (again ? isApplied(received.state) : isSettled(received.state)) {
      bodies.done(said);
      settledLately.set(stream, true);
      return "ignored";
    }
    const outcome = await effects.apply(said, knownOrganization).catch(failed);
    const settle = { type: "settle", outcome, again } as const;
    const settled = await loop.execute(webhookDecider, stream, settle, context);
    const isNews = settled.events.length > 0;
    return conclude(said, knownOrganization, { state: settled.state, outcome, isNews });
  };

  /** What is left to do once it is on record what came of an event. */
  const conclude = async (
    notice: Notice,
    knownOrganization: string | null,
    come: {
      readonly state: Webhook;
      readonly outcome: WebhookOutcome;
      readonly isNews: boolean;
    },
  ): Promise<Answered> => {
    const { provider, eventId: event } = notice;
    const { state, outcome, isNews } = come;
    if (!isSettled(state)) {
      await bodies.tryLater(notice);
      if (outcome.kind === "failed") {
        logger.warn({ provider, event, reason: outcome.reason }, "an event did not apply");
      }
      // It is kept and tried again: the provider need not.
      return outcome.kind === "failed" ? "applied" : "ignored";
    }
    bodies.done(notice);
    settledLately.set(streamOf(notice), true);
    if (outcome.kind !== "applied") return "ignored";
    // Where it was known already whose the subscription is, nothing waits to hear it.
    const isFirst = notice.changeId !== null || knownOrganization !== null;
    if (isFirst) await applyWaiting(notice, outcome.organizationId);
    return isNews ? "applied" : "ignored";
  };

  /** What was kept of an event that has come before: of several bodies under one id the first counts. */
  const firstSaid = async (notice: Notice): Promise<Notice> => {
    const kept = await bodies.find(notice.provider, notice.eventId);
    return (kept && noticeOf(notice.provider, kept.body)) ?? notice;
  };

  /** What came before anybody knew whose the subscription was. */
  const applyWaiting = async (notice: Notice, organizationId: string): Promise<void> => {
    const { provider, subscriptionId } = notice;
    if (subscriptionId === null) return;
    for (const waiting of await bodies.listOpenOf(provider, subscriptionId)) {
      if (waiting.eventId === notice.eventId) continue;
      await once(waiting, organizationId);
    }
  };

  /** Does something about an event while what else comes of it waits. */
  const under = async (key: string, work: () => Promise<Answered>): Promise<Answered> => {
    const mine = work();
    underWay.set(key, mine);
    try {
      return await mine;
    } finally {
      underWay.delete(key);
    }
  };

  /** Looks once more at what is kept; what is under way meanwhile comes first, for it may be what was learnt since. */
  const once = async (
    kept: KeptWebhook,
    knownOrganization: string | null,
    operator: CommandContext | null = null,
  ): Promise<Answered> => {
    const notice = noticeOf(kept.provider as ProviderName, kept.body);
    if (!notice) throw malformed();
    const key = streamOf(notice);
    const first = underWay.get(key);
    if (!first) return under(key, () => process(notice, knownOrganization, operator));
    const answered = first.then(() => "ignored" as const);
    if (knownOrganization === null && operator === null) return answered;
    await answered.catch(() => undefined);
    return once(kept, knownOrganization, operator);
  };

  return {
    /** Whether a provider's events are taken: its secret is set. */
    isActive: (provider: ProviderName): boolean => secrets[provider] !== null,

    /**
     * Takes an event as it came. Throws `webhook.badSignature` (400), `webhook.malformed` (400); rejects with
     * what the log or the database rejects with when it could not even be kept.
     */
    receive: async (
      provider: ProviderName,
      body: Buffer,
      signature: string | undefined,
    ): Promise<Answered> => {
      const secret = secrets[provider];
      if (secret === null) return "ignored";
      const isSigned = provider === "provider-a" ? isSignedByProviderA : isSignedByProviderB;
      if (!isSigned(body, signature, secret, clock().getTime())) {
        throw new DomainError(
          "webhook.badSignature",
          "The signature is missing, stale, or not of this body.",
        );
      }
      const notice = noticeOf(provider, body);
      if (!notice) throw malformed();
      const key = streamOf(notice);
      if (settledLately.get(key)) return "ignored";
      // Copies that come at the same time wait for the first.
      const first = underWay.get(key);
      if (first) return first.then(() => "ignored" as const);
      return under(key, async () => {
        const kept = { provider, eventId: notice.eventId, body };
        const isNew = await bodies.keep(kept, notice.subscriptionId);
        return isNew ? processNew(notice) : process(notice, null, null);
      });
    },

    /**
     * Has an event looked at once more, as an operator asks: also one that was ignored, whose price, say, was not
     * set up. Answers what has come of it. Throws `webhook.unknown` (404).
     */
    retry: async (
      operator: CommandContext,
      provider: ProviderName,
      eventId: string,
    ): Promise<WebhookOutcome> => {
      const kept = await bodies.find(provider, eventId);
      if (!kept) {
        throw new DomainError("webhook.unknown", "There is no such event of a provider.");
      }
      await once(kept, null, operator);
      const { state } = await loop.load(webhookDecider, `${provider}_${eventId}`);
      const outcome = state.status === "none" ? null : state.outcome;
      return outcome ?? { kind: "failed", reason: "It is under way." };
    },

    /** Tries what failed, or waits, once more. Answers how many there were. */
    retryDue: async (limit: number): Promise<number> => {
      const due = await bodies.takeDue(limit);
      for (const kept of due) await once(kept, null);
      return due.length;
    },
  };
};

const noticeOf = (provider: ProviderName, body: Buffer): Notice | null => {
  if (!isUtf8(body)) return null;
  try {
    const json: unknown = JSON.parse(body.toString("utf8"));
    const read = provider === "provider-a" ? readProviderA(json) : readProviderB(json);
    return read && { ...read, bodySha256: createHash("sha256").update(body).digest("hex") };
  } catch {
    return null;
  }
};

const malformed = (): DomainError =>
  new DomainError("webhook.malformed", "The body is no event with an id, a type and a time.");

/** Why it failed, in words that may be shown: the error's own may hold anything. */
const failed = (error: unknown): WebhookOutcome => ({
  kind: "failed",
  reason: error instanceof DomainError ? error.code : "It could not be applied; it is tried again.",
});
