import type { ResultImportCommands } from "../../commands/resultImports/resultImports.ts";
import type { AnySchema, Db } from "../../platform/database/database.ts";
import { runWhileLeader } from "../../platform/leases.ts";
import type { Logger } from "../../platform/logger.ts";
import { sleep } from "../../platform/sleep.ts";

const LOOK_MS = 5_000;
/** Who received a report has so long to record it before others go on with it; both at once would record the same. */
const PATIENCE_MS = 20_000;

/** Goes on with reports of others whose process died between two of their parts, in one process among any number. */
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
