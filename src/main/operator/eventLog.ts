import { systemClock } from "../../platform/clock.ts";
import type { Config } from "../../platform/config.ts";
import { openRawLog } from "../../platform/eventLog/rawLog.ts";
import type { Logger } from "../../platform/logger.ts";
import { checkpointSigner } from "../../stores/audit/signer.ts";
import { tileStore } from "../../stores/audit/tiles.ts";
import { auditTree } from "../../stores/audit/tree.ts";
import type { LogVerification } from "../../stores/audit/verifications.ts";
import { recordVerification } from "../../workers/audit/verifier.ts";
import { openServiceData } from "../backup/serviceData.ts";
import { createStops } from "../stops.ts";

/**
 * Compares the whole event log with its signed tree, with or without a running service, and records the outcome for the
 * metrics of the service. Rejects with SettingError if the data cannot be reached.
 */
export const verifyEventLog = async (config: Config, logger: Logger): Promise<LogVerification> => {
  const stops = createStops(logger);
  try {
    const { database, eventstoreUrl, blobs, masterKey } = await openServiceData(
      config,
      logger,
      stops,
    );
    const { db } = database;
    const raw = openRawLog(eventstoreUrl);
    stops.add("event log", raw.close);
    const [tree, tiles, signer] = [auditTree(db), tileStore(blobs), checkpointSigner(masterKey)];
    return await recordVerification({ raw, db, tree, tiles, signer, logger, clock: systemClock });
  } finally {
    await stops.all();
  }
};
