import { logFailure } from "../../platform/availability.ts";
import type { Logger } from "../../platform/logger.ts";
import { sleep } from "../../platform/sleep.ts";

/** Executes `work` at intervals until it is stopped. A failure is logged as `failure`, and the work is tried again. */
export const runPeriodically = (options: {
  readonly everyMs: number;
  readonly logger: Logger;
  readonly failure: string;
  /** `over`: the work is being stopped. */
  readonly work: (over: AbortSignal) => Promise<unknown>;
}): { stop(): Promise<void> } => {
  const { everyMs, logger, failure, work } = options;
  const stopping = new AbortController();
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      try {
        await work(stopping.signal);
      } catch (error) {
        if (!stopping.signal.aborted) logFailure(logger, error, {}, failure);
      }
      await sleep(everyMs, stopping.signal);
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
