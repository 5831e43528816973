import { limitOf } from "../../domain/billing/entitlements.ts";
import { planDecider } from "../../domain/billing/plan.ts";
import { planInForce } from "../../domain/billing/planState.ts";
import { DomainError } from "../../domain/kernel/errors.ts";
import { apiKeysDecider } from "../../domain/organizations/apiKeys.ts";
import { newId } from "../../platform/ids.ts";
import { sleep } from "../../platform/sleep.ts";
import { newApiKey } from "../../stores/organizations/apiKeyHashes.ts";
import { KEY_TRUST_MS } from "../identity/checks.ts";
import type { CommandContext } from "../kernel/commandLoop.ts";
import { type Receipt, receiptOf } from "../kernel/receipt.ts";
import type { OrganizationDeps } from "./deps.ts";

type KeyRef = { readonly organizationId: string; readonly keyId: string };

/**
 * Creates an API key. The result is the only place that contains the key itself. Throws DomainError
 * `apiKey.nameTaken`, `apiKey.limitReached` if the plan allows no more keys, `apiKey.expiryPast`.
 */
export const createApiKey = async (
  deps: OrganizationDeps,
  context: CommandContext,
  input: {
    readonly organizationId: string;
    readonly name: string;
    readonly expiresAt: string | null;
  },
) => {
  const { loop, clock, apiKeys } = deps;
  const { organizationId, name, expiresAt } = input;
  const createdAt = clock().toISOString();
  if (expiresAt !== null && expiresAt <= createdAt) {
    throw new DomainError("apiKey.expiryPast", "expires_at: must be in the future");
  }
  const { state: plan } = await loop.load(planDecider, organizationId);
  const allowance = limitOf(planInForce(plan).plan, "api_keys");
  const keyId = newId();
  const { key, prefix } = newApiKey();
  // The row before the event: every key in the list can be revoked, and nobody has received this one yet.
  await apiKeys.store({ keyId, organizationId, name, key, expiresAt });
  const data = { organizationId, keyId, name, prefix, expiresAt };
  const created = await loop
    .execute(
      apiKeysDecider,
      organizationId,
      { type: "create", at: createdAt, allowance, ...data },
      { ...context, occurredAt: createdAt },
    )
    .catch(async (error: unknown) => {
      await withdraw(deps, context, { organizationId, keyId }, error).catch(() => undefined);
      throw error;
    });
  return { id: keyId, name, prefix, key, createdAt, expiresAt, receipt: receiptOf(created) };
};

/**
 * Revokes a key, effective from the next call in every process. Idempotent. Throws DomainError `apiKey.unknown`,
 * and `apiKey.foreign` if the key belongs to another organisation.
 */
export const revokeApiKey = async (
  deps: OrganizationDeps,
  context: CommandContext,
  key: KeyRef,
): Promise<Receipt> => {
  const owner = await deps.apiKeys.ownerOf(key.keyId);
  if (owner !== null && owner !== key.organizationId) {
    throw new DomainError("apiKey.foreign", "This API key belongs to another organisation.");
  }
  return revoke(deps, context, key);
};

const revoke = async (
  { loop, clock, apiKeys, keyChecks }: OrganizationDeps,
  context: CommandContext,
  key: KeyRef,
): Promise<Receipt> => {
  // The row before the event: the key stops working even if the append fails.
  await apiKeys.revoke(key.organizationId, key.keyId, clock().toISOString());
  keyChecks.forgetAll();
  const cachesExpired = sleep(KEY_TRUST_MS);
  const command = { type: "revoke", ...key } as const;
  const revoked = await loop.execute(apiKeysDecider, key.organizationId, command, context);
  await cachesExpired;
  return receiptOf(revoked);
};

/** Withdraws a key that was not handed out. Only a DomainError proves that the event was not recorded. */
const withdraw = async (
  deps: OrganizationDeps,
  context: CommandContext,
  key: KeyRef,
  cause: unknown,
): Promise<void> => {
  if (cause instanceof DomainError) await deps.apiKeys.discard(key.keyId);
  else await revoke(deps, context, key);
};
