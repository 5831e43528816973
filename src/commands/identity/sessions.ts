import { userDecider } from "../../domain/identity/user.ts";
import { DomainError } from "../../domain/kernel/errors.ts";
import type { ListedSession } from "../../stores/identity/refreshTokens.ts";
import type { CommandContext } from "../kernel/commandLoop.ts";
import { type Receipt, receiptOf } from "../kernel/receipt.ts";
import type { IdentityDeps } from "./deps.ts";

/** A person's own sessions: where they are signed in, and ending that. */
export const sessionCommands = (
  deps: Pick<IdentityDeps, "loop" | "clock" | "refreshTokens" | "sessions">,
) => {
  const { loop, clock, refreshTokens, sessions } = deps;
  return {
    /** The open sessions of a user, the one used last first. */
    listSessions: (userId: string): Promise<readonly ListedSession[]> =>
      refreshTokens.list(userId, clock()),

    /**
     * Ends one of a user's sessions; ending it twice is ending it once. Throws `session.unknown`, and
     * `session.foreign` for somebody else's.
     */
    revokeSession: async (
      context: CommandContext,
      { userId, sessionId }: { readonly userId: string; readonly sessionId: string },
    ): Promise<Receipt> => {
      const owner = await refreshTokens.ownerOf(sessionId);
      if (owner === null) throw new DomainError("session.unknown", "There is no such session.");
      if (owner !== userId) {
        throw new DomainError("session.foreign", "This session is somebody else's.");
      }
      // The row first: whatever becomes of the event, the session is over.
      await refreshTokens.revoke(sessionId, clock().toISOString());
      sessions.forgetAll();
      const command = { type: "revokeSession", userId, sessionId, reason: "revoked" } as const;
      return receiptOf(await loop.execute(userDecider, userId, command, context));
    },

    /** Ends every session of a user but the one that asks. */
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
