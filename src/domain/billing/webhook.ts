import { z } from "zod";
import type { Decider } from "../kernel/decider.ts";
import { assertNever, DomainError } from "../kernel/errors.ts";
import { defineCodec, type EventOf } from "../kernel/events.ts";
import { providerNames } from "./subscription.ts";

// ---------------------------------------------------------------- Events

const schemas = {
  /** A verified event of a payment provider. Its body is kept elsewhere, encrypted; this is its SHA-256. */
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
  /** `isWaiting`: it is about a subscription that nobody knows yet, and is looked at again when somebody does. */
  WebhookIgnored: z.object({ reason: z.string(), isWaiting: z.boolean() }),
  WebhookFailed: z.object({ reason: z.string() }),
};

export type WebhookEvent = EventOf<typeof schemas>;

// ---------------------------------------------------------------- State

/** What came of a provider's event. */
export type WebhookOutcome =
  | { readonly kind: "applied"; readonly organizationId: string }
  | { readonly kind: "ignored"; readonly reason: string; readonly isWaiting: boolean }
  | { readonly kind: "failed"; readonly reason: string };

export type Webhook =
  | { readonly status: "none" }
  | { readonly status: "received"; readonly outcome: WebhookOutcome | null };

/** Whether nothing will come of it any more. */
export const isSettled = (webhook: Webhook): boolean => {
  if (webhook.status === "none" || webhook.outcome === null) return false;
  const { outcome } = webhook;
  return outcome.kind === "applied" || (outcome.kind === "ignored" && !outcome.isWaiting);
};

/** Whether it had its effect. */
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
  /** `again`: an operator had it looked at once more, and what was ignored may come to something now. */
  | { readonly type: "settle"; readonly outcome: WebhookOutcome; readonly again?: boolean };

// ---------------------------------------------------------------- decide

const decide = (command: WebhookCommand, state: Webhook): readonly WebhookEvent[] => {
  switch (command.type) {
    case "receive":
      // The same id with another body is the same event: the first one counts.
      return state.status === "none" ? [{ type: "WebhookReceived", data: command.event }] : [];
    case "settle": {
      if (state.status === "none") {
        throw new DomainError("webhook.unknown", "There is no such event of a provider.");
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

/** One event of a payment provider, stream `webhook-{provider}_{eventId}`: that it is there once is the deduplication. */
export const webhookDecider: Decider<Webhook, WebhookCommand, WebhookEvent> = {
  category: "webhook",
  initial: { status: "none" },
  codec: defineCodec(schemas),
  evolve,
  decide,
};
