import type { ProviderEvent } from "../../../domain/billing/providerEvents.ts";
import type { ProviderName } from "../../../domain/billing/subscription.ts";
import {
  isApplied,
  isSettled,
  type Webhook,
  type WebhookOutcome,
  webhookDecider,
} from "../../../domain/billing/webhook.ts";
import { DomainError } from "../../../domain/kernel/errors.ts";
import type { EventLog } from "../../../platform/eventLog/port.ts";
import type { Logger } from "../../../platform/logger.ts";
import type { KeptWebhook, WebhookBodies } from "../../../stores/billing/webhookBodies.ts";
import type { CommandContext } from "../../kernel/commandLoop.ts";
import type { Lru } from "../../kernel/lru.ts";
import { applyEvent, type EffectDeps } from "./effects.ts";
import { malformedWebhook, parseWebhook } from "./parse.ts";
import { contextOf, receiptIdOf, receiveOf, recordNew, streamOf } from "./receipts.ts";

/** The response to a provider. `applied`: this call changed a plan, or will be retried by the service. */
export type WebhookAnswer = "applied" | "ignored";

export type ProcessingDeps = EffectDeps & {
  readonly log: Pick<EventLog, "append" | "readStream">;
  readonly bodies: WebhookBodies;
  readonly logger: Pick<Logger, "warn">;
};

/** By stream: events in progress, and events with a final outcome. */
export type WebhookState = {
  readonly inProgress: Map<string, Promise<WebhookAnswer>>;
  readonly settled: Lru<string, true>;
};

/** Processes a stored event. Waits for a running attempt, which may have learned less than this one knows. */
export const processKept = async (
  deps: ProcessingDeps,
  state: WebhookState,
  input: {
    readonly kept: KeptWebhook;
    readonly owner?: string | null;
    readonly operator?: CommandContext | null;
  },
): Promise<WebhookAnswer> => {
  const { kept, owner = null, operator = null } = input;
  const event = parseWebhook(kept.provider as ProviderName, kept.body);
  if (!event) throw malformedWebhook();
  const key = streamOf(event);
  const first = state.inProgress.get(key);
  if (!first) {
    return inTurn(state, key, () => processRepeated(deps, state, { event, owner, operator }));
  }
  const answered = first.then(() => "ignored" as const);
  if (owner === null && operator === null) return answered;
  await answered.catch(() => undefined);
  return processKept(deps, state, input);
};

/** Runs `work` as the attempt in progress of an event. */
export const inTurn = async (
  state: WebhookState,
  key: string,
  work: () => Promise<WebhookAnswer>,
): Promise<WebhookAnswer> => {
  const attempt = work();
  state.inProgress.set(key, attempt);
  try {
    return await attempt;
  } finally {
    state.inProgress.delete(key);
  }
};

/** Processes an event with an unknown id: applies it, then appends its receipt and outcome together. */
export const processNew = async (
  deps: ProcessingDeps,
  state: WebhookState,
  event: ProviderEvent,
): Promise<WebhookAnswer> => {
  const outcome = await applyEvent(deps, { event, owner: null }).catch(failed);
  const webhook = await recordNew(deps, event, outcome);
  if (webhook === null) return processRepeated(deps, state, { event });
  return conclude(deps, state, { event, owner: null, webhook, outcome, isRecorded: true });
};

/**
 * Processes an event that may already have a receipt and an outcome. `owner` is its organisation if known otherwise;
 * `operator` retries it.
 */
export const processRepeated = async (
  deps: ProcessingDeps,
  state: WebhookState,
  input: {
    readonly event: ProviderEvent;
    readonly owner?: string | null;
    readonly operator?: CommandContext | null;
  },
): Promise<WebhookAnswer> => {
  const { owner = null, operator = null } = input;
  const { loop, bodies } = deps;
  const event = await firstDelivery(bodies, input.event);
  const stream = streamOf(event);
  const again = operator !== null;
  const context = { ...contextOf(event, null), ...(operator && { actor: operator.actor }) };
  const eventId = () => receiptIdOf(event);
  const receive = receiveOf(event);
  const received = await loop.execute(webhookDecider, stream, receive, context, { eventId });
  if (again ? isApplied(received.state) : isSettled(received.state)) {
    bodies.done(event);
    state.settled.set(stream, true);
    return "ignored";
  }
  const outcome = await applyEvent(deps, { event, owner }).catch(failed);
  const settle = { type: "settle", outcome, again } as const;
  const settled = await loop.execute(webhookDecider, stream, settle, context);
  const isRecorded = settled.events.length > 0;
  return conclude(deps, state, { event, owner, webhook: settled.state, outcome, isRecorded });
};

/** The first delivery of an event: it counts if the bodies of several deliveries differ. */
const firstDelivery = async (
  bodies: WebhookBodies,
  event: ProviderEvent,
): Promise<ProviderEvent> => {
  const kept = await bodies.find(event.provider, event.eventId);
  return (kept && parseWebhook(event.provider, kept.body)) ?? event;
};

/** Schedules a retry, or settles the event and applies the events that waited for it. */
const conclude = async (
  deps: ProcessingDeps,
  state: WebhookState,
  result: {
    readonly event: ProviderEvent;
    readonly owner: string | null;
    readonly webhook: Webhook;
    readonly outcome: WebhookOutcome;
    readonly isRecorded: boolean;
  },
): Promise<WebhookAnswer> => {
  const { event, owner, webhook, outcome, isRecorded } = result;
  const { bodies, logger } = deps;
  if (!isSettled(webhook)) {
    await bodies.tryLater(event);
    if (outcome.kind !== "failed") return "ignored";
    const fields = { provider: event.provider, event: event.eventId, reason: outcome.reason };
    logger.warn(fields, "applying a provider event failed");
    // The service retries it, so the provider must not.
    return "applied";
  }
  bodies.done(event);
  state.settled.set(streamOf(event), true);
  if (outcome.kind !== "applied") return "ignored";
  // Events wait only for the one that names the subscription's owner.
  const namesOwner = event.changeId !== null || owner !== null;
  if (namesOwner) await applyWaiting(deps, state, event, outcome.organizationId);
  return isRecorded ? "applied" : "ignored";
};

/** Applies the events of a subscription that arrived before its owner was known. */
const applyWaiting = async (
  deps: ProcessingDeps,
  state: WebhookState,
  { provider, subscriptionId, eventId }: ProviderEvent,
  owner: string,
): Promise<void> => {
  if (subscriptionId === null) return;
  for (const kept of await deps.bodies.listOpenOf(provider, subscriptionId)) {
    if (kept.eventId !== eventId) await processKept(deps, state, { kept, owner });
  }
};

/** The outcome of an error. Only codes are exposed, because other messages may contain secrets. */
const failed = (error: unknown): WebhookOutcome => ({
  kind: "failed",
  reason:
    error instanceof DomainError
      ? error.code
      : "The event could not be applied. It will be retried.",
});
