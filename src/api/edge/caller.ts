import type { CommandContext } from "../../commands/kernel/commandLoop.ts";
import type { Actor } from "../../domain/kernel/events.ts";
import { mayDo } from "../../domain/organizations/permissions.ts";
import { ApiError } from "../apiError.ts";
import type { Operation, Principal } from "../operation.ts";

/** Throws ApiError 403 with the reason if the caller may not call the operation. */
export const checkPermission = (operation: Operation, principal: Principal | null): void => {
  if (operation.permission === null) return;
  if (!principal?.standing)
    throw new ApiError(403, "This operation requires a member of an organisation.");
  const verdict = mayDo(principal.standing, operation.permission);
  if (!verdict.allowed) throw new ApiError(403, verdict.reason);
};

/** The command context of a caller. Without a principal, the actor is the system. */
export const contextOf = (principal: Principal | null, correlationId: string): CommandContext => ({
  actor: actorOf(principal),
  organizationId: principal?.organizationId ?? null,
  correlationId,
  causationId: correlationId,
});

const actorOf = (principal: Principal | null): Actor => {
  if (principal === null) return { type: "system", id: "anonymous" };
  return principal.kind === "api_key"
    ? { type: "api_key", id: principal.keyId, name: principal.keyName }
    : { type: "user", id: principal.userId };
};
