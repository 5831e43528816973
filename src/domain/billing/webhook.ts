import { z } from "zod";
import type { Decider } from "../kernel/decider.ts";
import { assertNever, DomainError } from "../kernel/errors.ts";
import { defineCodec, type EventOf } from "../kernel/events.ts";
import { providerNames } from "./subscription.ts";

// ---------------------------------------------------------------- Events

const schemas = {
  /** A provider's event with a valid signature. The body is stored encrypted, outside the log. */
  WebhookReceived: z.object({
    provider: z.enum(providerNames),
    eventId: z.string(),
    type: z.string(),
    occurredAt: z.iso.datetime({ precision: 3 }),
    bodySha256: z.string(),
    subscriptionId: z.string().nullable(),
    changeId: z.uuid().nullable(),
  }),
  WebhookApplied: z.object({ organizationId: z.uuid() }),
  /** `isWaiting`: the owner of its subscription is unknown. The event is applied once the owner is known. */
  WebhookIgnored: z.object({ reason: z.string(), isWaiting: z.boolean() }),
  WebhookFailed: z.object({ reason: z.string() }),
};

export type WebhookEvent = EventOf<typeof schemas>;

// ---------------------------------------------------------------- State

export type WebhookOutcome =
  | { readonly kind: "applied"; readonly organizationId: string }
  | { readonly kind: "ignored"; readonly reason: string; readonly isWaiting: boolean }
  | { readonly kind: "failed"; readonly reason: string };

export type Webhook =
  | { readonly status: "none" }
  | { readonly status: "received"; readonly outcome: WebhookOutcome | null };

/** Whether the outcome is final. */
export const isSettled = (webhook: Webhook): boolean => {
  if (webhook.status === "none" || webhook.outcome === null) return false;
  const { outcome } = webhook;
  return outcome.kind === "applied" || (outcome.kind === "ignored" && !outcome.isWaiting);
};

export const isApplied = (webhook: Webhook): boolean =>
  webhook.status === "received" && webhook.outcome?.kind === "applied";

// ---------------------------------------------------------------- evolve

const evolve = (_: Webhook, event: WebhookEvent): Webhook => {
  const settled = (outcome: WebhookOutcome): Webhook => ({ status: "received", outcome });
  switch (event.type) {
    case "WebhookReceived":
      return { status: "received", outcome: null };
    case "WebhookApplied":
      return settled({ kind: "applied", ...event.data });
    case "WebhookIgnored":
      return settled({ kind: "ignored", ...event.data });
    case "WebhookFailed":
      return settled({ kind: "failed", ...event.data });
    default:
      return assertNever(event);
  }
};

// ---------------------------------------------------------------- Commands

export type WebhookCommand =
  | ({ readonly type: "receive" } & {
      readonly event: Extract<WebhookEvent, { type: "WebhookReceived" }>["data"];
    })
  /** `again`: an operator retries the event, so an ignored one may be applied. */
  | { readonly type: "settle"; readonly outcome: WebhookOutcome; readonly again?: boolean };

// ---------------------------------------------------------------- decide

const decide = (command: WebhookCommand, state: Webhook): readonly WebhookEvent[] => {
  switch (command.type) {
    case "receive":
      // The first body counts if the same id is delivered with different bodies.
      return state.status === "none" ? [{ type: "WebhookReceived", data: command.event }] : [];
    case "settle": {
      if (state.status === "none") {
        throw new DomainError("webhook.unknown", "There is no such provider event.");
      }
      const { outcome, again = false } = command;
      const isOver = again ? state.outcome?.kind === "applied" : isSettled(state);
      if (isOver || JSON.stringify(state.outcome) === JSON.stringify(outcome)) return [];
      return [outcomeEvent(outcome)];
    }
    default:
      return assertNever(command);
  }
};

const outcomeEvent = (outcome: WebhookOutcome): WebhookEvent => {
  switch (outcome.kind) {
    case "applied":
      return { type: "WebhookApplied", data: { organizationId: outcome.organizationId } };
    case "ignored": {
      const { reason, isWaiting } = outcome;
      return { type: "WebhookIgnored", data: { reason, isWaiting } };
    }
    case "failed":
      return { type: "WebhookFailed", data: { reason: outcome.reason } };
    default:
      return assertNever(outcome);
  }
};

/** One event of a payment provider, stream `webhook-{provider}_{eventId}`. The stream's existence deduplicates deliveries. */
export const webhookDecider: Decider<Webhook, WebhookCommand, WebhookEvent> = {
  category: "webhook",
  initial: { status: "none" },
  codec: defineCodec(schemas),
  evolve,
  decide,
};
