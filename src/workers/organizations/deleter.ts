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
/** Delay before retrying an organisation whose subscription could not be cancelled, in milliseconds. */
const RETRY_MS = 5_000;

/**
 * Deletes organisations whose grace period has ended. Active in one process at a time. The subscription is cancelled
 * first; a failure delays only this organisation. After the event, API keys, secrets, schedules and addresses are
 * deleted, with retries.
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
  /** Time of the next try by organisation. */
  const retryAt = new Map<string, number>();

  const deleteDue = async (organizationId: string): Promise<void> => {
    const context = contextOf(organizationId);
    try {
      await billing.cancelSubscription(context, organizationId);
      retryAt.delete(organizationId);
    } catch (error) {
      retryAt.set(organizationId, performance.now() + RETRY_MS);
      const fields = { organization_id: organizationId };
      logFailure(
        logger,
        error,
        fields,
        "cannot cancel the subscription of an organisation to delete",
      );
      return;
    }
    const deleted = await commands.deleteWhenDue(context, organizationId);
    if (deleted) logger.info({ organization_id: organizationId }, "an organisation was deleted");
  };

  const work = async (over: AbortSignal): Promise<void> => {
    while (!over.aborted) {
      for (const id of await queries.dueDeletions(clock().toISOString())) {
        if ((retryAt.get(id) ?? 0) <= performance.now()) await deleteDue(id);
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
