import type { BillingCommands } from "../../commands/billing/index.ts";
import { logFailure } from "../../platform/availability.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/database.ts";
import { newId } from "../../platform/ids.ts";
import { runWhileLeader } from "../../platform/leases.ts";
import type { Logger } from "../../platform/logger.ts";
import { sleep } from "../../platform/sleep.ts";
import type { BillingQueries } from "../../projections/billing/queries.ts";

const ACTOR = "timekeeper";
const TICK_MS = 1_000;
const MAX_PER_TICK = 100;

/**
 * Records what time alone causes in plans: due changes and cancellations, renewals, expired requests, ended grants.
 * Runs in the leading process. Duplicates are harmless because the plan's stream decides what is due.
 */
export const startTimekeeper = (deps: {
  readonly db: Database["db"];
  readonly billing: Pick<BillingCommands, "passTime">;
  readonly queries: Pick<BillingQueries, "listDue">;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly holder: string;
}): { stop(): Promise<void> } => {
  const { billing, queries, clock, logger } = deps;

  const recordDue = async (stopped: AbortSignal): Promise<void> => {
    for (const organizationId of await queries.listDue(clock().toISOString(), MAX_PER_TICK)) {
      if (stopped.aborted) return;
      const id = newId();
      const context = {
        actor: { type: "system", id: ACTOR },
        organizationId,
        correlationId: id,
        causationId: id,
      } as const;
      // A failure must not delay other organisations.
      await billing
        .passTime(context, organizationId)
        .catch((error: unknown) =>
          logFailure(
            logger,
            error,
            { organization: organizationId },
            "recording due plan events failed",
          ),
        );
    }
  };

  return runWhileLeader({
    name: ACTOR,
    db: deps.db,
    holder: deps.holder,
    logger,
    work: async (stopped) => {
      while (!stopped.aborted) {
        await recordDue(stopped);
        await sleep(TICK_MS, stopped);
      }
    },
  });
};
