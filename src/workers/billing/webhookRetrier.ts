import type { WebhookCommands } from "../../commands/billing/webhooks/index.ts";
import { logFailure } from "../../platform/availability.ts";
import type { Logger } from "../../platform/logger.ts";
import { sleep } from "../../platform/sleep.ts";

const TICK_MS = 1_000;
const BATCH_SIZE = 50;

/** Retries provider events that failed or whose owner was unknown. Several processes may run it: due events are claimed in the database. */
export const startWebhookRetrier = (deps: {
  readonly webhooks: Pick<WebhookCommands, "retryDue">;
  readonly logger: Logger;
}): { stop(): Promise<void> } => {
  const { webhooks, logger } = deps;
  const stopping = new AbortController();
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const count = await webhooks.retryDue(BATCH_SIZE).catch((error: unknown) => {
        logFailure(logger, error, {}, "retrying provider events failed");
        return 0;
      });
      if (count < BATCH_SIZE) await sleep(TICK_MS, stopping.signal);
    }
  };
  const running = run();
  return {
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
};
