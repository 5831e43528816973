import type { InviteCommands } from "../../commands/invites.ts";
import type { OrganizationCommands } from "../../commands/organizations.ts";
import type { Clock } from "../../platform/clock.ts";
import type { AnySchema, Db } from "../../platform/database/database.ts";
import { derivedId } from "../../platform/ids.ts";
import { whileLeading } from "../../platform/leading.ts";
import type { Logger } from "../../platform/logger.ts";
import { pause } from "../../platform/pause.ts";
import type { OrganizationQueries } from "../../projections/organizationQueries.ts";

const LOOK_MS = 2_000;

/**
 * Deletes organisations whose grace period is over, in one process among any number. The event comes first: from
 * then on nobody can have the organisation back, and what is left of it (keys, addresses of the invited) is cleared up however often it takes.
 */
export const startOrganizationDeleter = (deps: {
  readonly db: Db<AnySchema>;
  readonly holder: string;
  readonly commands: Pick<OrganizationCommands, "deleteWhenDue" | "clearUp">;
  readonly invites: Pick<InviteCommands, "forgetAll">;
  readonly queries: Pick<OrganizationQueries, "dueDeletions" | "unclearedDeletions">;
  readonly clock: Clock;
  readonly logger: Logger;
}): { stop(): Promise<void> } => {
  const { commands, invites, queries, clock, logger } = deps;

  const deleteDue = async (organizationId: string): Promise<void> => {
    const deleted = await commands.deleteWhenDue(contextOf(organizationId), organizationId);
    if (deleted) logger.info({ organization_id: organizationId }, "an organisation was deleted");
  };

  const work = async (over: AbortSignal): Promise<void> => {
    while (!over.aborted) {
      for (const id of await queries.dueDeletions(clock().toISOString())) await deleteDue(id);
      for (const id of await queries.unclearedDeletions()) {
        await commands.clearUp(contextOf(id), id);
        await invites.forgetAll(id);
      }
      await pause(LOOK_MS, over);
    }
  };

  const { db, holder } = deps;
  return whileLeading({ name: "organization-deletion", db, holder, work, logger });
};

const contextOf = (organizationId: string) => {
  const correlationId = derivedId(organizationId, "deletion");
  return {
    actor: { type: "system" as const, id: "organization-deletion" },
    organizationId,
    correlationId,
    causationId: correlationId,
  };
};
