import type { WebhookCommands } from "../../commands/billing/webhooks/index.ts";
import type { Logger } from "../../platform/logger.ts";
import { runPeriodically } from "../kernel/periodic.ts";

const TICK_MS = 1_000;
const BATCH_SIZE = 50;

/** Retries provider events that failed or whose owner was unknown. Several processes may run it: due events are claimed in the database. */
export const startWebhookRetrier = (deps: {
  readonly webhooks: Pick<WebhookCommands, "retryDue">;
  readonly logger: Logger;
}): { stop(): Promise<void> } => {
  const { webhooks, logger } = deps;
  return runPeriodically({
    ...{ everyMs: TICK_MS, logger, failure: "retrying provider events failed" },
    work: async (over) => {
      while ((await webhooks.retryDue(BATCH_SIZE)) === BATCH_SIZE && !over.aborted);
    },
  });
};
