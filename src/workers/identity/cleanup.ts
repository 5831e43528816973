import type { IdentityCommands } from "../../commands/identity/index.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Logger } from "../../platform/logger.ts";
import type { KeyRing } from "../../stores/identity/signingKeys.ts";
import { runPeriodically } from "../kernel/periodic.ts";

const TICK_MS = 20_000;

/** Rotates and reloads signing keys and deletes expired tokens and attempts, periodically. Runs in every process. */
export const startIdentityCleanup = (deps: {
  readonly identity: Pick<IdentityCommands, "sweepAccounts" | "sweepOauth">;
  readonly keyRing: Pick<KeyRing, "rotate">;
  readonly clock: Clock;
  readonly logger: Logger;
}): { stop(): Promise<void> } => {
  const { identity, keyRing, clock, logger } = deps;
  return runPeriodically({
    ...{ everyMs: TICK_MS, logger, failure: "identity cleanup failed" },
    work: async () => {
      await keyRing.rotate(clock());
      await identity.sweepAccounts();
      await identity.sweepOauth();
    },
  });
};
