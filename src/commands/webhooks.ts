import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { type Notice, readProviderA, readProviderB } from "../domain/billing/notice.ts";
import type { ProviderName } from "../domain/billing/subscription.ts";
import {
  isApplied,
  isSettled,
  type WebhookOutcome,
  webhookDecider,
} from "../domain/billing/webhook.ts";
import { DomainError } from "../domain/kernel/errors.ts";
import type { Clock } from "../platform/clock.ts";
import { derivedId } from "../platform/ids.ts";
import type { Logger } from "../platform/logger.ts";
import type { KeptWebhook, WebhookBodies } from "../platform/state/webhookBodies.ts";
import type { CommandContext, CommandLoop } from "./kernel/commandLoop.ts";
import { type Effects, webhookEffects } from "./webhookEffects.ts";
import { isSignedByProviderA, isSignedByProviderB } from "./webhookSignatures.ts";

/** Of the ids of what a provider's event causes: the same however often it comes. */
const NAMESPACE = "7d1f5b2e-2f5c-5c57-9a1e-0b7c5d0e4a11";

/** What the provider is told: `applied` that it was acted on, by this very call. */
export type Answered = "applied" | "ignored";

export type WebhookCommands = ReturnType<typeof webhookCommands>;

type Deps = Omit<Parameters<typeof webhookEffects>[0], "contextOf" | "idOf"> & {
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

  const process = async (
    notice: Notice,
    knownOrganization: string | null,
    operator: CommandContext | null,
  ): Promise<Answered> => {
    const { provider, eventId } = notice;
    const stream = streamOf(notice);
    const again = operator !== null;
    const context = { ...contextOf(notice, null), ...(operator && { actor: operator.actor }) };
    const { type, occurredAt, subscriptionId, changeId } = notice;
    const { bodySha256 } = notice;
    const event = { provider, eventId, type, occurredAt, bodySha256, subscriptionId, changeId };
    const received = await loop.execute(
      webhookDecider,
      stream,
      { type: "receive", event },
      context,
      {
        eventId: (index) => idOf(notice, `received ${index}`),
      },
    );
    if (again ? isApplied(received.state) : isSettled(received.state)) {
      await bodies.done(notice);
      return "ignored";
    }
    const isNew = received.events.length > 0;
    const said = isNew ? notice : await firstSaid(notice);
    const outcome = await effects.apply(said, knownOrganization).catch(failed);
    const settled = await loop.execute(
      webhookDecider,
      stream,
      { type: "settle", outcome, again },
      context,
    );
    if (!isSettled(settled.state)) {
      await bodies.tryLater(notice);
      if (outcome.kind === "failed") {
        logger.warn({ provider, event: eventId, reason: outcome.reason }, "an event did not apply");
      }
      // It is kept and tried again: the provider need not.
      return outcome.kind === "failed" ? "applied" : "ignored";
    }
    await bodies.done(notice);
    if (outcome.kind !== "applied") return "ignored";
    // Where it was known already whose the subscription is, nothing waits to hear it.
    const isFirst = notice.changeId !== null || knownOrganization !== null;
    if (isFirst) await applyWaiting(notice, outcome.organizationId);
    return settled.events.length > 0 ? "applied" : "ignored";
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

  /** Copies that come at the same time wait for the first; what was learnt since is tried after it. */
  const once = async (
    kept: KeptWebhook,
    knownOrganization: string | null,
    operator: CommandContext | null = null,
    read: Notice | null = null,
  ): Promise<Answered> => {
    const notice = read ?? noticeOf(kept.provider as ProviderName, kept.body);
    if (!notice) throw malformed();
    const key = streamOf(notice);
    const first = underWay.get(key);
    if (first) {
      const answered = first.then(() => "ignored" as const);
      if (knownOrganization === null && operator === null) return answered;
      await answered.catch(() => undefined);
      return once(kept, knownOrganization, operator);
    }
    const mine = process(notice, knownOrganization, operator);
    underWay.set(key, mine);
    try {
      return await mine;
    } finally {
      underWay.delete(key);
    }
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
      const kept = { provider, eventId: notice.eventId, body };
      await bodies.keep(kept, notice.subscriptionId);
      return once(kept, null, null, notice);
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

const streamOf = ({ provider, eventId }: Notice): string => `${provider}_${eventId}`;

const idOf = ({ provider, eventId }: Notice, purpose: string): string =>
  derivedId(NAMESPACE, `${provider} ${eventId} ${purpose}`);

const contextOf = (notice: Notice, organizationId: string | null): CommandContext => ({
  actor: { type: "provider", id: notice.provider },
  organizationId,
  correlationId: idOf(notice, "correlation"),
  causationId: idOf(notice, "received 0"),
  occurredAt: notice.occurredAt,
});

/** Why it failed, in words that may be shown: the error's own may hold anything. */
const failed = (error: unknown): WebhookOutcome => ({
  kind: "failed",
  reason: error instanceof DomainError ? error.code : "It could not be applied; it is tried again.",
});
