import type { Logger } from "../../platform/logger.ts";
import type { IdempotencyKeys } from "../../stores/kernel/idempotencyKeys.ts";
import { runPeriodically } from "./periodic.ts";

const TICK_MS = 60_000;

/** Deletes expired idempotency keys at intervals. Several processes may run it concurrently. */
export const startIdempotencySweeper = (deps: {
  readonly keys: Pick<IdempotencyKeys, "sweep">;
  readonly logger: Logger;
}): { stop(): Promise<void> } => {
  const { keys, logger } = deps;
  return runPeriodically({
    ...{ everyMs: TICK_MS, logger, failure: "deleting expired idempotency keys failed" },
    work: async (over) => {
      while ((await keys.sweep()) > 0 && !over.aborted);
    },
  });
};
