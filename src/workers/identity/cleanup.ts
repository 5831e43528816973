import type { IdentityCommands } from "../../commands/identity/index.ts";
import { logFailure } from "../../platform/availability.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Logger } from "../../platform/logger.ts";
import { sleep } from "../../platform/sleep.ts";
import type { KeyRing } from "../../stores/identity/signingKeys.ts";

const TICK_MS = 20_000;

/** Rotates and reloads signing keys and deletes expired tokens and attempts, periodically. Runs in every process. */
export const startIdentityCleanup = (deps: {
  readonly identity: Pick<IdentityCommands, "sweepAccounts" | "sweepOauth">;
  readonly keyRing: Pick<KeyRing, "rotate">;
  readonly clock: Clock;
  readonly logger: Logger;
}): { stop(): Promise<void> } => {
  const { identity, keyRing, clock, logger } = deps;
  const stopping = new AbortController();
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      try {
        await keyRing.rotate(clock());
        await identity.sweepAccounts();
        await identity.sweepOauth();
      } catch (error) {
        if (!stopping.signal.aborted) logFailure(logger, error, {}, "identity cleanup failed");
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
