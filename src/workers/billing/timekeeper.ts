import type { BillingCommands } from "../../commands/billing/billing.ts";
import { logTrouble } from "../../platform/availability.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/database.ts";
import { newId } from "../../platform/ids.ts";
import { whileLeading } from "../../platform/leading.ts";
import type { Logger } from "../../platform/logger.ts";
import { pause } from "../../platform/pause.ts";
import type { BillingQueries } from "../../projections/billing/billing.ts";

const ACTOR = "timekeeper";
const TICK_MS = 1_000;
const AT_ONCE = 100;

/**
 * Lets time pass for plans: changes and cancellations that are due, renewals, requests that ran out, grants
 * that end. One process does; the plan's own history decides what is due, so that nothing takes place twice.
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

  const look = async (over: AbortSignal): Promise<void> => {
    for (const organizationId of await queries.listDue(clock().toISOString(), AT_ONCE)) {
      if (over.aborted) return;
      const id = newId();
      const context = {
        actor: { type: "system", id: ACTOR },
        organizationId,
        correlationId: id,
        causationId: id,
      } as const;
      // One that fails does not hold up the others.
      await billing
        .passTime(context, organizationId)
        .catch((error: unknown) =>
          logTrouble(logger, error, { organization: organizationId }, "time did not pass"),
        );
    }
  };

  return whileLeading({
    name: ACTOR,
    db: deps.db,
    holder: deps.holder,
    logger,
    work: async (over) => {
      while (!over.aborted) {
        await look(over);
        await pause(TICK_MS, over);
      }
    },
  });
};
