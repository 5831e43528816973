import type { BillingCommands } from "../../commands/billing/index.ts";
import { planDecider } from "../../domain/billing/plan.ts";
import type { PlanEvent } from "../../domain/billing/planEvents.ts";
import type { Db } from "../../platform/database/database.ts";
import type { EventLog, RecordedEvent } from "../../platform/eventLog/port.ts";
import type { Logger } from "../../platform/logger.ts";
import type { ReactorTables } from "../../stores/kernel/reactorCheckpoints.ts";
import { type Reactor, startReactor } from "../kernel/reactor.ts";

const NAME = "subscription-keeper";

/**
 * Keeps the provider's subscriptions in line with plan changes: see `followPlan`. Retries while the provider is
 * unavailable.
 */
export const startSubscriptionKeeper = (deps: {
  readonly log: EventLog;
  readonly db: Db<ReactorTables>;
  readonly holder: string;
  readonly logger: Logger;
  readonly billing: Pick<BillingCommands, "followPlan">;
}): Reactor => {
  const follow = ({ stream, id, data, metadata }: RecordedEvent): Promise<void> => {
    const organizationId = stream.slice(planDecider.category.length + 1);
    const { changeId, setBy = null } = data as {
      readonly changeId: string | null;
      readonly setBy?: string;
    };
    const context = {
      actor: { type: "system", id: NAME },
      organizationId,
      correlationId: metadata.$correlationId,
      causationId: id,
    } as const;
    // The provider itself reported this change.
    if (metadata.command === "takeFact") return Promise.resolve();
    const isDue = metadata.command === "passTime";
    return deps.billing.followPlan(context, organizationId, changeId, { setBy, isDue });
  };
  return startReactor<PlanEvent>({
    ...deps,
    name: NAME,
    codecs: [planDecider.codec],
    on: {
      PlanChangeScheduled: follow,
      PlanChangeCancelled: follow,
      PlanChangeExpired: follow,
      PlanChangeFailed: follow,
      PlanChangeApplied: follow,
    },
  });
};
