import type { Notice } from "../../domain/billing/notice.ts";
import { type Webhook, type WebhookOutcome, webhookDecider } from "../../domain/billing/webhook.ts";
import type { Clock } from "../../platform/clock.ts";
import type { EventLog } from "../../platform/eventLog/port.ts";
import { derivedId, newId } from "../../platform/ids.ts";
import { appendBatch } from "../kernel/appendBatch.ts";
import type { CommandContext } from "../kernel/commandLoop.ts";
import { eventsToAppend } from "../kernel/decideInTurn.ts";

/** Of the ids of what a provider's event causes: the same however often it comes. */
const NAMESPACE = "7d1f5b2e-2f5c-5c57-9a1e-0b7c5d0e4a11";

/** The id of the stream of a provider's event, without its category. */
export const streamOf = ({ provider, eventId }: Pick<Notice, "provider" | "eventId">): string =>
  `${provider}_${eventId}`;

/** The id of something that a provider's event causes. */
export const idOf = ({ provider, eventId }: Notice, purpose: string): string =>
  derivedId(NAMESPACE, `${provider} ${eventId} ${purpose}`);

/** The id of the receipt itself: the cause of all that it does. */
export const receiptIdOf = (notice: Notice): string => idOf(notice, "received 0");

/** The provider as the one who caused it. */
export const contextOf = (notice: Notice, organizationId: string | null): CommandContext => {
  const known = contexts.get(notice);
  const context: CommandContext = known ?? {
    actor: { type: "provider", id: notice.provider },
    organizationId: null,
    correlationId: idOf(notice, "correlation"),
    causationId: receiptIdOf(notice),
    occurredAt: notice.occurredAt,
  };
  if (!known) contexts.set(notice, context);
  return organizationId === null ? context : { ...context, organizationId };
};

/** Ids are made by hashing: once for all that comes of an event. */
const contexts = new WeakMap<Notice, CommandContext>();

/** That it came, as it is recorded. */
export const receiveOf = (notice: Notice) => {
  const { provider, eventId, type, occurredAt, bodySha256, subscriptionId, changeId } = notice;
  return {
    type: "receive",
    event: { provider, eventId, type, occurredAt, bodySha256, subscriptionId, changeId },
  } as const;
};

/**
 * Records that an event came for the first time and what has come of it, in one append and without a look at
 * the log before: there is no such stream, or the log says so. Answers null where it does; then nothing of this
 * call is there. Rejects as an append, or a read, does.
 */
export const recordNew = async (
  deps: { readonly log: Pick<EventLog, "append" | "readStream">; readonly clock: Clock },
  notice: Notice,
  outcome: WebhookOutcome,
): Promise<Webhook | null> => {
  const { category, initial, decide, evolve } = webhookDecider;
  const received = decide(receiveOf(notice), initial);
  const between = received.reduce(evolve, initial);
  const settled = decide({ type: "settle", outcome }, between);
  const state = settled.reduce(evolve, between);
  const context = contextOf(notice, null);
  const order = {
    decider: webhookDecider,
    command: receiveOf(notice),
    context,
    idAt: (index: number) => (index === 0 ? context.causationId : newId()),
    reject: () => undefined,
  };
  const events = [...received, ...settled];
  const decided = [{ order, events, state, refusal: null, at: null }];
  const batch = eventsToAppend(decided, deps.clock);
  const stream = `${category}-${streamOf(notice)}`;
  const appended = await appendBatch(deps.log, stream, batch, "no_stream");
  if (appended.kind === "appended") return state;
  // An answer was lost: what stands there may be what this call wrote.
  if (appended.perhapsWritten) {
    const last = batch.at(-1)?.id;
    for await (const { id } of deps.log.readStream(stream)) if (id === last) return state;
  }
  return null;
};
