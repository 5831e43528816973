import type { ImportJobs } from "../../commands/catalogue/importJobs.ts";
import type { Receipt } from "../../commands/kernel/receipt.ts";
import type { AnySchema, Db } from "../../platform/database/database.ts";
import { whileLeading } from "../../platform/leading.ts";
import type { Logger } from "../../platform/logger.ts";
import { pause } from "../../platform/pause.ts";
import type { Positions } from "../../projections/kernel/positions.ts";

const LOOK_MS = 1_000;
/** The answers of an import can be read for so long. */
const KEPT_MS = 7 * 24 * 3_600_000;
const SWEEP_EVERY_MS = 60_000;
/** An import has ended when lists show its tests, or after so long without that. */
const SHOWN_MS = 10_000;

/** Takes over what large files hold, in one process among any number; what was begun by one that died is gone on with. */
export const startImporter = (deps: {
  readonly db: Db<AnySchema>;
  readonly holder: string;
  readonly jobs: ImportJobs;
  readonly positions: Positions;
  readonly logger: Logger;
}): { stop(): Promise<void> } => {
  const { db, holder, jobs, positions, logger } = deps;
  const shown = async ({ position }: Receipt): Promise<void> => {
    if (position !== null) await positions.waitFor(["catalogue", "tags"], position, SHOWN_MS);
  };
  const work = async (over: AbortSignal): Promise<void> => {
    let sweptAt = Number.NEGATIVE_INFINITY;
    while (!over.aborted) {
      if (performance.now() - sweptAt > SWEEP_EVERY_MS) {
        await jobs.forgetImports(KEPT_MS);
        sweptAt = performance.now();
      }
      const job = await jobs.nextImport();
      if (job) await jobs.runImport(job, over, shown);
      else await pause(LOOK_MS, over);
    }
  };
  return whileLeading({ name: "imports", db, holder, work, logger });
};
