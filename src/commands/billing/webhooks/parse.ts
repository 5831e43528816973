import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import {
  type ProviderEvent,
  readProviderA,
  readProviderB,
} from "../../../domain/billing/providerEvents.ts";
import type { ProviderName } from "../../../domain/billing/subscription.ts";
import { DomainError } from "../../../domain/kernel/errors.ts";

/** Parses a provider's request body. Returns null if it is not JSON with an id, a type and a time. */
export const parseWebhook = (provider: ProviderName, body: Buffer): ProviderEvent | null => {
  if (!isUtf8(body)) return null;
  try {
    const json: unknown = JSON.parse(body.toString("utf8"));
    const read = provider === "provider-a" ? readProviderA(json) : readProviderB(json);
    return read && { ...read, bodySha256: createHash("sha256").update(body).digest("hex") };
  } catch {
    return null;
  }
};

export const malformedWebhook = (): DomainError =>
  new DomainError("webhook.malformed", "The body is not an event with an id, a type and a time.");
