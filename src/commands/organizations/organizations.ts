import { limitOf } from "../../domain/billing/entitlements.ts";
import { planDecider, planInForce } from "../../domain/billing/plan.ts";
import { DomainError } from "../../domain/kernel/errors.ts";
import { apiKeysDecider } from "../../domain/organizations/apiKeys.ts";
import {
  type Organization,
  type OrganizationCommand,
  organizationDecider,
  type Standing,
} from "../../domain/organizations/organization.ts";
import type { Role } from "../../domain/organizations/permissions.ts";
import type { OrganizationSettings } from "../../domain/organizations/settings.ts";
import type { Clock } from "../../platform/clock.ts";
import { newId } from "../../platform/ids.ts";
import { pause } from "../../platform/pause.ts";
import { type ApiKeysState, newApiKey } from "../../stores/organizations/apiKeyHashes.ts";
import { type ApiKeyChecks, KEY_TRUST_MS } from "../identity/checks.ts";
import type { CommandContext, CommandLoop } from "../kernel/commandLoop.ts";
import { type Receipt, receiptOf } from "../kernel/receipt.ts";

export type OrganizationDeps = {
  readonly loop: CommandLoop;
  readonly clock: Clock;
  readonly apiKeys: ApiKeysState;
  readonly keyChecks: ApiKeyChecks;
};

/** An organisation that was written to, as the log has it now. */
export type WrittenOrganization = {
  readonly id: string;
  readonly state: Extract<Organization, Standing>;
  /** When; null when it was so already and nothing was written. */
  readonly at: string | null;
  readonly receipt: Receipt;
};

type NewOrganization = {
  readonly organizationId: string;
  readonly name: string;
  readonly ownerId: string;
};

/** How long a deleted organisation can be had back, in milliseconds. */
const GRACE_MS = 30 * 24 * 3_600_000;

export type OrganizationCommands = ReturnType<typeof organizationCommands>;

/** Organisations, their members and their API keys. */
export const organizationCommands = (deps: OrganizationDeps) => {
  const { loop, clock, apiKeys, keyChecks } = deps;

  const write = async (
    context: CommandContext,
    id: string,
    command: Exclude<OrganizationCommand, { type: "delete" }>,
  ): Promise<WrittenOrganization> => {
    const written = await loop.execute(organizationDecider, id, command, context);
    const state = written.state as WrittenOrganization["state"];
    return { id, state, at: written.at, receipt: receiptOf(written) };
  };

  const revoke = async (
    context: CommandContext,
    key: { readonly organizationId: string; readonly keyId: string },
  ): Promise<Receipt> => {
    // The row first: whatever becomes of the event, the key is of no use any more.
    await apiKeys.revoke(key.organizationId, key.keyId, clock().toISOString());
    keyChecks.forgetAll();
    const forgottenEverywhere = pause(KEY_TRUST_MS);
    const revoked = await loop.execute(
      apiKeysDecider,
      key.organizationId,
      { type: "revoke", ...key },
      context,
    );
    await forgottenEverywhere;
    return receiptOf(revoked);
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
    createOrganization: async (context: CommandContext, input: NewOrganization): Promise<Receipt> =>
      (await write(context, input.organizationId, { type: "create", ...input })).receipt,

    /** As `createOrganization`, for who wants to see it. */
    foundOrganization: (
      context: CommandContext,
      input: NewOrganization,
    ): Promise<WrittenOrganization> =>
      write(context, input.organizationId, { type: "create", ...input }),

    /** An organisation's name and a user's role in it, as the log has them now; null when not a member. */
    findMembership: async (
      userId: string,
      organizationId: string,
    ): Promise<{ readonly id: string; readonly name: string; readonly role: Role } | null> => {
      const { state } = await loop.load(organizationDecider, organizationId);
      if (state.status === "none" || state.status === "deleted") return null;
      const role = state.members[userId];
      return role ? { id: organizationId, name: state.name, role } : null;
    },

    /** What an organisation is called now. Throws `organization.unknown`. */
    nameOf: async (organizationId: string): Promise<string> => {
      const { state } = await loop.load(organizationDecider, organizationId);
      if (state.status === "active" || state.status === "closing") return state.name;
      throw new DomainError("organization.unknown", "There is no such organisation.");
    },

    /** Whether there is such an organisation, also one that waits to be deleted. */
    exists: async (organizationId: string): Promise<boolean> => {
      const { state } = await loop.load(organizationDecider, organizationId);
      return state.status === "active" || state.status === "closing";
    },

    /**
     * Changes name and settings; what is absent stays. Throws `organization.unknown`, `organization.stale`,
     * `organization.closing`.
     */
    changeOrganization: (
      context: CommandContext,
      organizationId: string,
      changes: {
        readonly name?: string | undefined;
        readonly settings?: Partial<OrganizationSettings> | undefined;
      },
      expectedVersions: readonly number[] | null,
    ): Promise<WrittenOrganization> =>
      write(context, organizationId, { type: "change", ...changes, expectedVersions }),

    /**
     * Gives a member another role. `by` is who asks. Throws `member.unknown`, `member.ownRole`,
     * `member.notAllowed`, `member.lastOwner`.
     */
    changeRole: (
      context: CommandContext,
      organizationId: string,
      change: {
        readonly userId: string;
        readonly role: Exclude<Role, "owner">;
        readonly by: string;
      },
    ): Promise<WrittenOrganization> =>
      write(context, organizationId, { type: "changeRole", ...change }),

    /**
     * Removes a member, or lets who asks leave. Removing twice is removing once. Throws `member.lastOwner`:
     * the owner hands over first; and `member.notAllowed`.
     */
    removeMember: (
      context: CommandContext,
      organizationId: string,
      { userId, by }: { readonly userId: string; readonly by: string },
    ): Promise<WrittenOrganization> =>
      write(context, organizationId, {
        type: "removeMember",
        userId,
        by,
        reason: userId === by ? "left" : "removed",
      }),

    /** Makes another member the owner; who was it stays, as an admin. Throws `member.notOwner`, `organization.heirUnknown`. */
    transferOwnership: (
      context: CommandContext,
      organizationId: string,
      transfer: { readonly to: string; readonly by: string },
    ): Promise<WrittenOrganization> =>
      write(context, organizationId, { type: "transferOwnership", ...transfer }),

    /** Has an organisation deleted in 30 days. Asking again does not put it off. */
    scheduleDeletion: (
      context: CommandContext,
      organizationId: string,
    ): Promise<WrittenOrganization> => {
      const dueAt = new Date(clock().getTime() + GRACE_MS).toISOString();
      return write(context, organizationId, { type: "scheduleDeletion", dueAt });
    },

    /** Takes the deletion back. Throws `organization.unknown` once it is deleted. */
    restore: (context: CommandContext, organizationId: string): Promise<WrittenOrganization> =>
      write(context, organizationId, { type: "cancelDeletion" }),

    /** Deletes an organisation whose grace period is over. True when it is deleted, now or before. */
    deleteWhenDue: async (context: CommandContext, organizationId: string): Promise<boolean> => {
      const at = clock().toISOString();
      const { state } = await loop.execute(
        organizationDecider,
        organizationId,
        { type: "delete", at },
        context,
      );
      return state.status === "deleted";
    },

    /** Ends every API key of an organisation that was deleted. Ending them twice is ending them once. */
    clearUp: async (context: CommandContext, organizationId: string): Promise<void> => {
      await loop.execute(
        apiKeysDecider,
        organizationId,
        { type: "revokeAll", organizationId },
        context,
      );
      await apiKeys.forgetAll(organizationId);
      keyChecks.forgetAll();
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
          {
            type: "create",
            at: createdAt,
            organizationId,
            keyId,
            name,
            prefix,
            expiresAt,
            allowance,
          },
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
