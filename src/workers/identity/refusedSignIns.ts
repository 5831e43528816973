import type { IdentityCommands } from "../../commands/identity/index.ts";
import { logFailure } from "../../platform/availability.ts";
import type { Logger } from "../../platform/logger.ts";
import { sleep } from "../../platform/sleep.ts";

const TICK_MS = 15_000;

/** Records the refused sign-ins of each past minute, periodically. Runs in every process; counts are deduplicated. */
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
          logFailure(logger, error, {}, "cannot record refused sign-ins");
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
