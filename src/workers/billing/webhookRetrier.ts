import type { WebhookCommands } from "../../commands/billing/webhooks.ts";
import { logTrouble } from "../../platform/availability.ts";
import type { Logger } from "../../platform/logger.ts";
import { pause } from "../../platform/pause.ts";

const TICK_MS = 1_000;
const AT_ONCE = 50;

/** Tries providers' events again that failed, or whose subscription nobody knew. Any number of processes may: each takes what is due from the others. */
export const startWebhookRetrier = (deps: {
  readonly webhooks: Pick<WebhookCommands, "retryDue">;
  readonly logger: Logger;
}): { stop(): Promise<void> } => {
  const { webhooks, logger } = deps;
  const stopping = new AbortController();
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const count = await webhooks.retryDue(AT_ONCE).catch((error: unknown) => {
        logTrouble(logger, error, {}, "events of providers were not tried again");
        return 0;
      });
      if (count < AT_ONCE) await pause(TICK_MS, stopping.signal);
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
