import type { ImportJobs } from "../../commands/catalogue/importJobs.ts";
import type { Receipt } from "../../commands/kernel/receipt.ts";
import type { AnySchema, Db } from "../../platform/database/database.ts";
import { runWhileLeader } from "../../platform/leases.ts";
import type { Logger } from "../../platform/logger.ts";
import { sleep } from "../../platform/sleep.ts";
import type { Positions } from "../../projections/kernel/positions.ts";

const POLL_MS = 1_000;
/** Retention of finished imports. */
const RETENTION_MS = 7 * 24 * 3_600_000;
const SWEEP_EVERY_MS = 60_000;
/** Maximum wait for the read models before an import is finished. */
const READ_MODEL_TIMEOUT_MS = 10_000;

/** Runs background imports in one process at a time. Resumes imports of a crashed process. */
export const startImporter = (deps: {
  readonly db: Db<AnySchema>;
  readonly holder: string;
  readonly jobs: ImportJobs;
  readonly positions: Positions;
  readonly logger: Logger;
}): { stop(): Promise<void> } => {
  const { db, holder, jobs, positions, logger } = deps;
  const shown = async ({ position }: Receipt): Promise<void> => {
    if (position !== null)
      await positions.waitFor(["catalogue", "tags"], position, READ_MODEL_TIMEOUT_MS);
  };
  const work = async (over: AbortSignal): Promise<void> => {
    let sweptAt = Number.NEGATIVE_INFINITY;
    while (!over.aborted) {
      if (performance.now() - sweptAt > SWEEP_EVERY_MS) {
        await jobs.forgetImports(RETENTION_MS);
        sweptAt = performance.now();
      }
      const job = await jobs.nextImport();
      if (job) await jobs.runImport(job, over, shown);
      else await sleep(POLL_MS, over);
    }
  };
  return runWhileLeader({ name: "imports", db, holder, work, logger });
};
