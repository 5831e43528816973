import type { Config } from "../../platform/config.ts";
import { diagnoseConnection } from "../../platform/connectionFailure.ts";
import { addressOf } from "../../platform/credentials.ts";
import type { Database } from "../../platform/database/database.ts";
import { connectEventLog } from "../../platform/eventLog/client.ts";
import { compareLogs, copyLog } from "../../platform/eventLog/copyLog.ts";
import { openRawLog, type RawLog } from "../../platform/eventLog/rawLog.ts";
import type { Logger } from "../../platform/logger.ts";
import { SettingError } from "../../platform/settingError.ts";
import { dropReadModels } from "../../projections/kernel/dropReadModels.ts";
import { rebuildReadModels } from "../readModels.ts";
import { createStops } from "../stops.ts";
import { setMark, writeMarksFile } from "../storeMarks.ts";
import { createPositionMap } from "./positionMap.ts";
import { openServiceData } from "./serviceData.ts";
import { movePositions } from "./tableRows.ts";

/** The result of a move. */
export type MovedLog = {
  readonly events: number;
  /** False if the service was running and may have written more events: repeat the move with the service stopped. */
  readonly finished: boolean;
  /** Read models that differ from the log; normally empty. */
  readonly differing: readonly string[];
};

/**
 * Copies the embedded log into another server, resuming an earlier copy, and compares the two event by event. If the
 * service is stopped, it then switches the database to the target: translates stored positions, marks the old log as
 * moved and rebuilds the read models. If the rebuild is interrupted, the next start of the service completes it.
 * Rejects with LogsDifferError (names the first differing event), AppendRefusedError or SettingError.
 */
export const moveLog = async (
  config: Config,
  logger: Logger,
  options: { readonly to: string; readonly onProgress: (message: string) => void },
): Promise<MovedLog> => {
  const { to, onProgress } = options;
  if (config.eventstoreUrl !== null) {
    throw new SettingError(
      "EVENTSTORE_URL is set, so the log is not embedded. Unset it to move the embedded log.",
      null,
    );
  }
  const stops = createStops(logger);
  try {
    const { database, eventstoreUrl, isShared } = await openServiceData(config, logger, stops);
    const from = openRawLog(eventstoreUrl);
    stops.add("event log", from.close);
    if (addressOf(to) === addressOf(eventstoreUrl)) {
      throw new SettingError(`${addressOf(to)} is the source log. Choose another server.`, null);
    }
    const target = await openTarget(to);
    stops.add("target event log", target.close);
    const upTo = await from.head();
    const source = () => from.readAll({ after: null, upTo });
    await copyLog(source, target, {
      atOnce: 1,
      onProgress: (events) => onProgress(`${events} events, up to position ${upTo}`),
    });
    onProgress("comparing the two logs");
    const positions = createPositionMap();
    const events = await compareLogs(source, target, { onPair: positions.note });
    if (isShared) return { events, finished: false, differing: [] };
    await switchDatabase(database, positions.of, addressOf(to));
    if (config.databaseUrl === null) await writeMarksFile(config.dataDir, database.pool);
    const log = connectEventLog(to);
    stops.add("event log client", log.close);
    const differing = await rebuildReadModels({ database, log, logger, onProgress });
    return { events, finished: true, differing };
  } finally {
    await stops.all();
  }
};

/** Rejects with SettingError if the target is unreachable. */
const openTarget = async (to: string): Promise<RawLog> => {
  let target: RawLog | null = null;
  try {
    target = openRawLog(to);
    await target.head();
    return target;
  } catch (error) {
    await target?.close();
    const { why } = diagnoseConnection(error);
    throw new SettingError(`No event log can be reached at ${addressOf(to)}: ${why}.`, error);
  }
};

/** After a kill between the two steps, the service rebuilds its read models from the old log. */
const switchDatabase = async (
  { patient, pool }: Database,
  positionOf: (position: bigint) => bigint | null,
  to: string,
): Promise<void> => {
  await dropReadModels(patient);
  const client = await pool.connect();
  try {
    await client.query("begin");
    await movePositions(client, positionOf);
    await setMark(client, { name: "log_moved", to });
    await client.query("commit");
  } finally {
    client.release(true);
  }
};
