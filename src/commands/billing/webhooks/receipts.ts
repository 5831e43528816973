import type { ProviderEvent } from "../../../domain/billing/providerEvents.ts";
import {
  type Webhook,
  type WebhookOutcome,
  webhookDecider,
} from "../../../domain/billing/webhook.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { EventLog } from "../../../platform/eventLog/port.ts";
import { derivedId, newId } from "../../../platform/ids.ts";
import { appendBatch } from "../../kernel/appendBatch.ts";
import type { CommandContext } from "../../kernel/commandLoop.ts";
import { eventsToAppend } from "../../kernel/decideBatch.ts";

/** The namespace of ids derived from a provider's event, so that a repeated delivery gives the same ids. */
const NAMESPACE = "7d1f5b2e-2f5c-5c57-9a1e-0b7c5d0e4a11";

/** The id of the stream of a provider's event, without its category. */
export const streamOf = ({
  provider,
  eventId,
}: Pick<ProviderEvent, "provider" | "eventId">): string => `${provider}_${eventId}`;

/** The id of an event or command that a provider's event causes. */
export const idOf = ({ provider, eventId }: ProviderEvent, purpose: string): string =>
  derivedId(NAMESPACE, `${provider} ${eventId} ${purpose}`);

/** The id of the receipt: the causation id of every effect. */
export const receiptIdOf = (event: ProviderEvent): string => idOf(event, "received 0");

/** The context of commands that a provider's event causes. The provider is the actor. */
export const contextOf = (event: ProviderEvent, organizationId: string | null): CommandContext => {
  const known = contexts.get(event);
  const context: CommandContext = known ?? {
    actor: { type: "provider", id: event.provider },
    organizationId: null,
    correlationId: idOf(event, "correlation"),
    causationId: receiptIdOf(event),
    occurredAt: event.occurredAt,
  };
  if (!known) contexts.set(event, context);
  return organizationId === null ? context : { ...context, organizationId };
};

/** Contexts by event, because deriving ids hashes. */
const contexts = new WeakMap<ProviderEvent, CommandContext>();

export const receiveOf = (event: ProviderEvent) => {
  const { provider, eventId, type, occurredAt, bodySha256, subscriptionId, changeId } = event;
  return {
    type: "receive",
    event: { provider, eventId, type, occurredAt, bodySha256, subscriptionId, changeId },
  } as const;
};

/**
 * Appends the receipt and the outcome of a new event in one batch, expecting no stream, without reading first.
 * Resolves to null without appending if the stream exists. Rejects with the log's error.
 */
export const recordNew = async (
  deps: { readonly log: Pick<EventLog, "append" | "readStream">; readonly clock: Clock },
  event: ProviderEvent,
  outcome: WebhookOutcome,
): Promise<Webhook | null> => {
  const { category, initial, decide, evolve } = webhookDecider;
  const received = decide(receiveOf(event), initial);
  const between = received.reduce(evolve, initial);
  const settled = decide({ type: "settle", outcome }, between);
  const state = settled.reduce(evolve, between);
  const context = contextOf(event, null);
  const order = {
    decider: webhookDecider,
    command: receiveOf(event),
    context,
    idAt: (index: number) => (index === 0 ? context.causationId : newId()),
    reject: () => undefined,
  };
  const events = [...received, ...settled];
  const decided = [{ order, events, state, refusal: null, at: null }];
  const batch = eventsToAppend(decided, deps.clock);
  const stream = `${category}-${streamOf(event)}`;
  const appended = await appendBatch(deps.log, stream, batch, "no_stream");
  if (appended.kind === "appended") return state;
  // The response was lost: the stream may contain the batch of this call.
  if (appended.perhapsWritten) {
    const last = batch.at(-1)?.id;
    for await (const { id } of deps.log.readStream(stream)) if (id === last) return state;
  }
  return null;
};
