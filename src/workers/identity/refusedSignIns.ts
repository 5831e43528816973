import type { IdentityCommands } from "../../commands/identity/index.ts";
import { logFailure } from "../../platform/availability.ts";
import type { Logger } from "../../platform/logger.ts";
import { sleep } from "../../platform/sleep.ts";

const TICK_MS = 15_000;

/**
 * Records, soon after each minute, how many sign-ins were refused in it. Any number of processes may do
 * so at once: what is recorded twice stands once.
 */
export const startRefusedSignInsRecorder = (deps: {
  readonly identity: Pick<IdentityCommands, "recordRefusedSignIns">;
  readonly logger: Logger;
}): { stop(): Promise<void> } => {
  const { identity, logger } = deps;
  const stopping = new AbortController();
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      try {
        await identity.recordRefusedSignIns();
      } catch (error) {
        if (!stopping.signal.aborted)
          logFailure(logger, error, {}, "refused sign-ins not recorded");
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
