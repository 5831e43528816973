import { limitOf } from "../domain/billing/entitlements.ts";
import { planDecider, planInForce } from "../domain/billing/plan.ts";
import { DomainError } from "../domain/kernel/errors.ts";
import { apiKeysDecider } from "../domain/organizations/apiKeys.ts";
import { organizationDecider } from "../domain/organizations/organization.ts";
import type { Role } from "../domain/organizations/permissions.ts";
import type { Clock } from "../platform/clock.ts";
import { newId } from "../platform/ids.ts";
import { type ApiKeysState, newApiKey } from "../platform/state/apiKeyHashes.ts";
import type { ApiKeyChecks } from "./identityChecks.ts";
import type { CommandContext, CommandLoop } from "./kernel/commandLoop.ts";
import { type Receipt, receiptOf } from "./kernel/receipt.ts";

export type OrganizationDeps = {
  readonly loop: CommandLoop;
  readonly clock: Clock;
  readonly apiKeys: ApiKeysState;
  readonly keyChecks: ApiKeyChecks;
};

export type OrganizationCommands = ReturnType<typeof organizationCommands>;

/** Organisations and their API keys. */
export const organizationCommands = (deps: OrganizationDeps) => {
  const { loop, clock, apiKeys, keyChecks } = deps;

  const revoke = async (
    context: CommandContext,
    key: { readonly organizationId: string; readonly keyId: string },
  ): Promise<Receipt> => {
    // The row first: whatever becomes of the event, the key is of no use any more.
    await apiKeys.revoke(key.organizationId, key.keyId, clock().toISOString());
    keyChecks.forgetAll();
    return receiptOf(
      await loop.execute(apiKeysDecider, key.organizationId, { type: "revoke", ...key }, context),
    );
  };

  /** Takes back a key that nobody will get. Whether it was recorded is not certain but after a refusal. */
  const withdraw = async (
    context: CommandContext,
    key: { readonly organizationId: string; readonly keyId: string },
    why: unknown,
  ): Promise<void> => {
    if (why instanceof DomainError) await apiKeys.discard(key.keyId);
    else await revoke(context, key);
  };

  return {
    /** Creates an organisation with its owner. Repeating it changes nothing. */
    createOrganization: async (
      context: CommandContext,
      input: { readonly organizationId: string; readonly name: string; readonly ownerId: string },
    ): Promise<Receipt> =>
      receiptOf(
        await loop.execute(
          organizationDecider,
          input.organizationId,
          { type: "create", ...input },
          context,
        ),
      ),

    /** An organisation's name and a user's role in it, as the log has them now; null when not a member. */
    findMembership: async (
      userId: string,
      organizationId: string,
    ): Promise<{ readonly id: string; readonly name: string; readonly role: Role } | null> => {
      const { state } = await loop.load(organizationDecider, organizationId);
      if (state.status !== "active") return null;
      const role = state.members[userId];
      return role ? { id: organizationId, name: state.name, role } : null;
    },

    /** What an organisation is called now. Throws `organization.unknown`. */
    nameOf: async (organizationId: string): Promise<string> => {
      const { state } = await loop.load(organizationDecider, organizationId);
      if (state.status === "active") return state.name;
      throw new DomainError("organization.unknown", "There is no such organisation.");
    },

    /**
     * Makes an API key; the answer is the only place where it ever stands.
     * Throws `apiKey.nameTaken`, `apiKey.limitReached` when the plan allows no more, and
     * `apiKey.expiryPast`.
     */
    createApiKey: async (
      context: CommandContext,
      input: {
        readonly organizationId: string;
        readonly name: string;
        readonly expiresAt: string | null;
      },
    ) => {
      const { organizationId, name, expiresAt } = input;
      const createdAt = clock().toISOString();
      if (expiresAt !== null && expiresAt <= createdAt) {
        throw new DomainError("apiKey.expiryPast", "expires_at: must be in the future");
      }
      const { state: plan } = await loop.load(planDecider, organizationId);
      const allowance = limitOf(planInForce(plan).plan, "api_keys");
      const keyId = newId();
      const { key, prefix } = newApiKey();
      // The row first: once the key stands in the list it can be revoked, and nobody has it before.
      await apiKeys.store({ keyId, organizationId, name, key, expiresAt });
      const created = await loop
        .execute(
          apiKeysDecider,
          organizationId,
          { type: "create", organizationId, keyId, name, prefix, expiresAt, allowance },
          { ...context, occurredAt: createdAt },
        )
        .catch(async (error: unknown) => {
          await withdraw(context, { organizationId, keyId }, error).catch(() => undefined);
          throw error;
        });
      return { id: keyId, name, prefix, key, createdAt, expiresAt, receipt: receiptOf(created) };
    },

    /**
     * Revokes a key: the next call with it is refused. Revoking it twice is revoking it once.
     * Throws `apiKey.unknown`, and `apiKey.foreign` for another organisation's key.
     */
    revokeApiKey: async (
      context: CommandContext,
      key: { readonly organizationId: string; readonly keyId: string },
    ): Promise<Receipt> => {
      const owner = await apiKeys.ownerOf(key.keyId);
      if (owner !== null && owner !== key.organizationId) {
        throw new DomainError("apiKey.foreign", "This API key belongs to another organisation.");
      }
      return revoke(context, key);
    },
  };
};
