import type { IdentityCommands } from "../../commands/identity/index.ts";
import type { Logger } from "../../platform/logger.ts";
import { runPeriodically } from "../kernel/periodic.ts";

const TICK_MS = 15_000;

/** Records the refused sign-ins of each past minute, periodically. Runs in every process; counts are deduplicated. */
export const startRefusedSignInsRecorder = (deps: {
  readonly identity: Pick<IdentityCommands, "recordRefusedSignIns">;
  readonly logger: Logger;
}): { stop(): Promise<void> } => {
  const { identity, logger } = deps;
  return runPeriodically({
    ...{ everyMs: TICK_MS, logger, failure: "cannot record refused sign-ins" },
    work: () => identity.recordRefusedSignIns(),
  });
};
