import type { ProviderName } from "../../../domain/billing/subscription.ts";
import { type WebhookOutcome, webhookDecider } from "../../../domain/billing/webhook.ts";
import { DomainError } from "../../../domain/kernel/errors.ts";
import type { CommandContext } from "../../kernel/commandLoop.ts";
import { createLru } from "../../kernel/lru.ts";
import { malformedWebhook, parseWebhook } from "./parse.ts";
import {
  inTurn,
  type ProcessingDeps,
  processKept,
  processNew,
  processRepeated,
  type WebhookAnswer,
  type WebhookState,
} from "./processing.ts";
import { streamOf } from "./receipts.ts";
import { isSignedByProviderA, isSignedByProviderB } from "./signatures.ts";

export type { WebhookAnswer } from "./processing.ts";

/** The number of settled events remembered, to answer a provider's duplicates from memory. */
const MAX_SETTLED = 10_000;

export type WebhookCommands = ReturnType<typeof webhookCommands>;

type Deps = ProcessingDeps & {
  /** The signing secrets. Null: events of the provider are ignored. */
  readonly secrets: Readonly<Record<ProviderName, string | null>>;
};

/** Receives events of payment providers: records and applies each once, and retries failures. */
export const webhookCommands = (deps: Deps) => {
  const state: WebhookState = { inProgress: new Map(), settled: createLru(MAX_SETTLED) };
  return {
    /** Whether a provider's events are accepted. */
    isActive: (provider: ProviderName): boolean => deps.secrets[provider] !== null,

    /**
     * Accepts a delivery. Throws DomainError `webhook.badSignature`, `webhook.malformed`. Rejects with the error of
     * the log or the database if the event could not be stored.
     */
    receive: (provider: ProviderName, body: Buffer, signature: string | undefined) =>
      receive(deps, state, { provider, body, signature }),

    /**
     * An operator retries an event, also an ignored one. Resolves to its outcome.
     * Throws DomainError `webhook.unknown`.
     */
    retry: (operator: CommandContext, provider: ProviderName, eventId: string) =>
      retry(deps, state, { operator, provider, eventId }),

    /** Retries due events, at most `limit`. Resolves to their number. */
    retryDue: async (limit: number): Promise<number> => {
      const due = await deps.bodies.takeDue(limit);
      for (const kept of due) await processKept(deps, state, { kept });
      return due.length;
    },
  };
};

const receive = async (
  deps: Deps,
  state: WebhookState,
  delivery: {
    readonly provider: ProviderName;
    readonly body: Buffer;
    readonly signature: string | undefined;
  },
): Promise<WebhookAnswer> => {
  const { provider, body, signature } = delivery;
  const secret = deps.secrets[provider];
  if (secret === null) return "ignored";
  const isSigned = provider === "provider-a" ? isSignedByProviderA : isSignedByProviderB;
  if (!isSigned(body, signature, secret, deps.clock().getTime())) {
    throw new DomainError(
      "webhook.badSignature",
      "The signature is missing, expired, or does not match the body.",
    );
  }
  const event = parseWebhook(provider, body);
  if (!event) throw malformedWebhook();
  const key = streamOf(event);
  if (state.settled.get(key)) return "ignored";
  // A concurrent duplicate waits for the first delivery.
  const first = state.inProgress.get(key);
  if (first) return first.then(() => "ignored" as const);
  return inTurn(state, key, async () => {
    const kept = { provider, eventId: event.eventId, body };
    const isNew = await deps.bodies.keep(kept, event.subscriptionId);
    return isNew ? processNew(deps, state, event) : processRepeated(deps, state, { event });
  });
};

const retry = async (
  deps: Deps,
  state: WebhookState,
  input: {
    readonly operator: CommandContext;
    readonly provider: ProviderName;
    readonly eventId: string;
  },
): Promise<WebhookOutcome> => {
  const { operator, provider, eventId } = input;
  const kept = await deps.bodies.find(provider, eventId);
  if (!kept) throw new DomainError("webhook.unknown", "There is no such provider event.");
  await processKept(deps, state, { kept, operator });
  const loaded = await deps.loop.load(webhookDecider, streamOf({ provider, eventId }));
  const outcome = loaded.state.status === "none" ? null : loaded.state.outcome;
  return outcome ?? { kind: "failed", reason: "The event is being processed." };
};
