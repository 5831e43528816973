import { describeLogFinding } from "../../domain/audit/tree/comparison.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Db } from "../../platform/database/database.ts";
import { runWhileLeader } from "../../platform/leases.ts";
import type { Logger } from "../../platform/logger.ts";
import { sleep } from "../../platform/sleep.ts";
import {
  type AuditVerificationTables,
  type LogVerification,
  logVerifications,
} from "../../stores/audit/verifications.ts";
import { type VerifyLogDeps, verifyLog } from "./verifyLog.ts";

/** The interval of verifications. */
const VERIFY_EVERY_MS = 3_600_000;
/** The interval of looks at the last verification. */
const LOOK_EVERY_MS = 60_000;
/** The pause after a tile of 256 events: at most some 5,000 events a second. */
const PAUSE_MS = 50;

/** Compares the log with its tree, records the outcome, and logs a difference as an error. */
export const recordVerification = async (
  deps: VerifyLogDeps & {
    readonly db: Db<AuditVerificationTables>;
    readonly clock: Clock;
    readonly logger: Pick<Logger, "error">;
  },
): Promise<LogVerification> => {
  const { size, finding } = await verifyLog(deps);
  const verification = {
    verifiedAt: deps.clock().toISOString(),
    size,
    finding: finding === null ? null : describeLogFinding(finding),
  };
  await logVerifications(deps.db).save(verification);
  if (finding !== null) {
    deps.logger.error({ finding }, `The event log was altered. ${verification.finding}`);
  }
  return verification;
};

/** Verifies the log every hour, slowly, in the leading process. */
export const startLogVerifier = (
  deps: Parameters<typeof recordVerification>[0] & {
    readonly logger: Logger;
    readonly holder: string;
  },
): { stop(): Promise<void> } => {
  const { db, clock, holder, logger } = deps;
  const work = async (over: AbortSignal): Promise<void> => {
    const afterTile = async (): Promise<void> => {
      await sleep(PAUSE_MS, over);
      over.throwIfAborted();
    };
    while (!over.aborted) {
      const last = await logVerifications(db).last();
      const age = last ? clock().getTime() - Date.parse(last.verifiedAt) : VERIFY_EVERY_MS;
      if (age >= VERIFY_EVERY_MS) await recordVerification({ ...deps, afterTile });
      await sleep(LOOK_EVERY_MS, over);
    }
  };
  return runWhileLeader({ name: "audit-verifier", db, holder, logger, work });
};
