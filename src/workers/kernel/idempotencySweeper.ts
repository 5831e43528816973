import { logFailure } from "../../platform/availability.ts";
import type { Logger } from "../../platform/logger.ts";
import { sleep } from "../../platform/sleep.ts";
import type { IdempotencyKeys } from "../../stores/kernel/idempotencyKeys.ts";

const TICK_MS = 60_000;

/** Deletes expired idempotency keys at intervals. Several processes may run it concurrently. */
export const startIdempotencySweeper = (deps: {
  readonly keys: Pick<IdempotencyKeys, "sweep">;
  readonly logger: Logger;
}): { stop(): Promise<void> } => {
  const { keys, logger } = deps;
  const stopping = new AbortController();
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      try {
        while ((await keys.sweep()) > 0 && !stopping.signal.aborted);
      } catch (error) {
        if (!stopping.signal.aborted)
          logFailure(logger, error, {}, "deleting expired idempotency keys failed");
      }
      await sleep(TICK_MS, stopping.signal);
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
