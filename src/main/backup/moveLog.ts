import type { Config } from "../../platform/config.ts";
import { diagnoseConnection } from "../../platform/connectionFailure.ts";
import { addressOf } from "../../platform/credentials.ts";
import type { Database } from "../../platform/database/database.ts";
import { connectEventLog } from "../../platform/eventLog/client.ts";
import { compareLogs, copyLog } from "../../platform/eventLog/copyLog.ts";
import { openRawLog, type RawLog } from "../../platform/eventLog/rawLog.ts";
import type { Logger } from "../../platform/logger.ts";
import { SettingError } from "../../platform/partHealth.ts";
import { dropReadModels } from "../../projections/kernel/dropReadModels.ts";
import { rebuildReadModels } from "../readModels.ts";
import { createStops } from "../stops.ts";
import { setMark, writeMarksFile } from "../storeMarks.ts";
import { createPositionMap } from "./positionMap.ts";
import { openServiceData } from "./serviceData.ts";
import { movePositions } from "./tableRows.ts";

/** What became of a move. */
export type MovedLog = {
  readonly events: number;
  /** false: the service still ran, and may have written more since; the move has to be done again without it. */
  readonly finished: boolean;
  /** Read models that are not what the log makes of them; none, as it should be. */
  readonly differing: readonly string[];
};

/**
 * Copies the embedded log of a service into another server and compares the two, event by event. What is there from
 * an earlier time is gone on with. While the service runs that is all; without it the tables are taken along too:
 * every position that they name becomes that of the other log, no service starts with the old log any more, and the read
 * models are folded from the other one: a service that starts knows all that it knew. Cut off in that, the next start
 * folds them, and answers meanwhile as if what it has not come to were not there.
 * Rejects with LogsDifferError (the first event that differs), AppendRefusedError, SettingError.
 */
export const moveLog = async (
  config: Config,
  logger: Logger,
  options: { readonly to: string; readonly onProgress: (said: string) => void },
): Promise<MovedLog> => {
  const { to, onProgress } = options;
  if (config.eventstoreUrl !== null) {
    throw new SettingError(
      "EVENTSTORE_URL is set: the log is not embedded. Unset it to move the one that is.",
      null,
    );
  }
  const stops = createStops(logger);
  try {
    const { database, eventstoreUrl, isShared } = await openServiceData(config, logger, stops);
    const from = openRawLog(eventstoreUrl);
    stops.add("event log", from.close);
    if (addressOf(to) === addressOf(eventstoreUrl)) {
      throw new SettingError(`${addressOf(to)} is the log itself. Name another server.`, null);
    }
    const target = await openTarget(to);
    stops.add("the other event log", target.close);
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
    await takeAlong(database, positions.of, addressOf(to));
    if (config.databaseUrl === null) await writeMarksFile(config.dataDir, database.pool);
    const log = connectEventLog(to);
    stops.add("event log client", log.close);
    const differing = await rebuildReadModels({ database, log, logger, onProgress });
    return { events, finished: true, differing };
  } finally {
    await stops.all();
  }
};

/** Rejects with SettingError, which says why, when nothing can be had there. */
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

/** A kill between the two leaves a service that folds its read models anew from the old log. */
const takeAlong = async (
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
