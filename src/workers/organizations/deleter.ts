import type { BillingCommands } from "../../commands/billing/index.ts";
import type { NotificationCommands } from "../../commands/notifications/notifications.ts";
import type { OrganizationCommands } from "../../commands/organizations/index.ts";
import type { InviteCommands } from "../../commands/organizations/invites.ts";
import type { ScheduleCommands } from "../../commands/schedules/schedules.ts";
import { logFailure } from "../../platform/availability.ts";
import type { Clock } from "../../platform/clock.ts";
import type { AnySchema, Db } from "../../platform/database/database.ts";
import { derivedId } from "../../platform/ids.ts";
import { runWhileLeader } from "../../platform/leases.ts";
import type { Logger } from "../../platform/logger.ts";
import { sleep } from "../../platform/sleep.ts";
import type { OrganizationQueries } from "../../projections/organizations/queries.ts";
import type { EnvironmentSecrets } from "../../stores/catalogue/environmentSecrets.ts";

const LOOK_MS = 2_000;
/** How long an organisation waits whose subscription could not be ended, in milliseconds. */
const RETRY_MS = 5_000;

/**
 * Deletes organisations whose grace period is over, in one process among any number. What is paid for is ended at the
 * provider before: nobody pays for what is not there, and one that cannot be asked holds up this organisation alone.
 * Then comes the event: from then on nobody can have the organisation back, and what is left of it (keys,
 * secrets, schedules, addresses of the invited and of whom it told) is cleared up however often it takes.
 */
export const startOrganizationDeleter = (deps: {
  readonly db: Db<AnySchema>;
  readonly holder: string;
  readonly commands: Pick<OrganizationCommands, "deleteWhenDue" | "revokeAllApiKeys">;
  readonly invites: Pick<InviteCommands, "deleteAddresses">;
  readonly schedules: Pick<ScheduleCommands, "deleteAll">;
  readonly notifications: Pick<NotificationCommands, "forgetAll">;
  readonly secrets: Pick<EnvironmentSecrets, "removeOrganization">;
  readonly billing: Pick<BillingCommands, "cancelSubscription">;
  readonly queries: Pick<OrganizationQueries, "dueDeletions" | "unclearedDeletions">;
  readonly clock: Clock;
  readonly logger: Logger;
}): { stop(): Promise<void> } => {
  const { commands, invites, schedules, notifications, secrets, billing, queries, clock, logger } =
    deps;
  /** Until when an organisation is let be. */
  const waiting = new Map<string, number>();

  const deleteDue = async (organizationId: string): Promise<void> => {
    const context = contextOf(organizationId);
    try {
      await billing.cancelSubscription(context, organizationId);
      waiting.delete(organizationId);
    } catch (error) {
      waiting.set(organizationId, performance.now() + RETRY_MS);
      const fields = { organization_id: organizationId };
      logFailure(logger, error, fields, "an organisation waits: its subscription does not end");
      return;
    }
    const deleted = await commands.deleteWhenDue(context, organizationId);
    if (deleted) logger.info({ organization_id: organizationId }, "an organisation was deleted");
  };

  const work = async (over: AbortSignal): Promise<void> => {
    while (!over.aborted) {
      for (const id of await queries.dueDeletions(clock().toISOString())) {
        if ((waiting.get(id) ?? 0) <= performance.now()) await deleteDue(id);
      }
      for (const id of await queries.unclearedDeletions()) {
        await commands.revokeAllApiKeys(contextOf(id), id);
        await invites.deleteAddresses(id);
        await schedules.deleteAll(contextOf(id), id);
        await notifications.forgetAll(id);
        await secrets.removeOrganization(id);
      }
      await sleep(LOOK_MS, over);
    }
  };

  const { db, holder } = deps;
  return runWhileLeader({ name: "organization-deletion", db, holder, work, logger });
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
