import { userDecider } from "../../domain/identity/user.ts";
import { DomainError } from "../../domain/kernel/errors.ts";
import type { ListedSession } from "../../stores/identity/refreshTokens.ts";
import type { CommandContext } from "../kernel/commandLoop.ts";
import { type Receipt, receiptOf } from "../kernel/receipt.ts";
import type { IdentityDeps } from "./deps.ts";

/** Commands and queries of a person's own sessions. */
export const sessionCommands = (
  deps: Pick<IdentityDeps, "loop" | "clock" | "refreshTokens" | "sessions">,
) => {
  const { loop, clock, refreshTokens, sessions } = deps;
  return {
    /** The open sessions of a user, most recently used first. */
    listSessions: (userId: string): Promise<readonly ListedSession[]> =>
      refreshTokens.list(userId, clock()),

    /** Ends a session. Idempotent. Throws DomainError `session.unknown`, `session.foreign` for another user's. */
    revokeSession: async (
      context: CommandContext,
      { userId, sessionId }: { readonly userId: string; readonly sessionId: string },
    ): Promise<Receipt> => {
      const owner = await refreshTokens.ownerOf(sessionId);
      if (owner === null) throw new DomainError("session.unknown", "There is no such session.");
      if (owner !== userId) {
        throw new DomainError("session.foreign", "This session belongs to another user.");
      }
      // The row before the event: the session ends even if the append fails.
      await refreshTokens.revoke(sessionId, clock().toISOString());
      sessions.forgetAll();
      const command = { type: "revokeSession", userId, sessionId, reason: "revoked" } as const;
      return receiptOf(await loop.execute(userDecider, userId, command, context));
    },

    /** Ends every session of a user except the current one. */
    revokeOtherSessions: async (
      context: CommandContext,
      { userId, sessionId }: { readonly userId: string; readonly sessionId: string },
    ): Promise<Receipt> => {
      await refreshTokens.revokeOthers(userId, sessionId, clock().toISOString());
      sessions.forgetAll();
      const command = { type: "revokeOthers", userId, keep: sessionId } as const;
      return receiptOf(await loop.execute(userDecider, userId, command, context));
    },
  };
};
