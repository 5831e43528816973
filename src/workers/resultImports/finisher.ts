import type { ResultImportCommands } from "../../commands/resultImports/resultImports.ts";
import type { AnySchema, Db } from "../../platform/database/database.ts";
import { runWhileLeader } from "../../platform/leases.ts";
import type { Logger } from "../../platform/logger.ts";
import { sleep } from "../../platform/sleep.ts";

const LOOK_MS = 5_000;
/**
 * The time that the receiving process has to record a report before another process resumes it, so that two processes
 * do not duplicate the work.
 */
const PATIENCE_MS = 20_000;

/** Resumes imports of reports whose process died between two parts. One process is active at a time. */
export const startReportFinisher = (deps: {
  readonly db: Db<AnySchema>;
  readonly holder: string;
  readonly commands: Pick<ResultImportCommands, "finishReport">;
  readonly logger: Logger;
}): { stop(): Promise<void> } => {
  const { db, holder, commands, logger } = deps;
  const work = async (over: AbortSignal): Promise<void> => {
    while (!over.aborted) {
      const finished = await commands.finishReport(PATIENCE_MS);
      if (!finished) await sleep(LOOK_MS, over);
    }
  };
  return runWhileLeader({ name: "reports of others", db, holder, work, logger });
};
