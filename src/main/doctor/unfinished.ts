import { findEmbeddedPostgres } from "../../embeddedPostgres/server.ts";
import type { Config } from "../../platform/config.ts";
import { addressOf } from "../../platform/credentials.ts";
import { openDatabase } from "../../platform/database/database.ts";
import { highestPosition } from "../../platform/database/inspectDatabase.ts";
import { inspectEventLog } from "../../platform/eventLog/inspectEventLog.ts";
import { isRestoring } from "../backup/tableRows.ts";
import { describeMark, readMarks, readMarksFile, type StoreMark } from "../storeMarks.ts";
import { bad, type Finding, note } from "./finding.ts";

const NAME = "restore, move";
/** Time limit of the log, in milliseconds. */
const PATIENCE_MS = 5_000;

/**
 * Checks for an unfinished restore or move of the log. Returns no finding if there is none, or if the database is
 * unreachable, which another check reports.
 */
export const checkUnfinished = async (config: Config): Promise<readonly Finding[]> => {
  const { dataDir, eventstoreUrl } = config;
  const isEmbedded = config.databaseUrl === null;
  const found = isEmbedded
    ? await findEmbeddedPostgres(dataDir).catch(() => "none" as const)
    : null;
  if (found === "none") return [];
  if (found === "stopped") return judge(await readMarksFile(dataDir), eventstoreUrl, false);
  const database = openDatabase(found?.url ?? config.databaseUrl ?? "", { max: 1 });
  try {
    await database.ping();
  } catch {
    await database.close();
    return [];
  }
  try {
    const [marks, isUnderWay, highest] = await Promise.all([
      readMarks(database.pool),
      isRestoring(database.pool),
      highestPosition(database.db),
    ]);
    const findings = judge(marks, eventstoreUrl, isUnderWay);
    return findings.length > 0 || eventstoreUrl === null || highest === null
      ? findings
      : await otherLog(eventstoreUrl, highest);
  } finally {
    await database.close();
  }
};

const judge = (
  marks: readonly StoreMark[],
  eventstoreUrl: string | null,
  isUnderWay: boolean,
): readonly Finding[] =>
  marks.flatMap((mark): Finding[] => {
    const trouble = describeMark(mark, { isLogEmbedded: eventstoreUrl === null });
    if (trouble && mark.name === "restoring" && isUnderWay) {
      return [
        note(NAME, "a restore is running", "No service starts on this database until it finishes."),
      ];
    }
    if (trouble)
      return [bad(NAME, trouble.found, `${trouble.advice} Until then no service starts.`)];
    const isElsewhere =
      mark.name === "log_moved" && eventstoreUrl !== null && addressOf(eventstoreUrl) !== mark.to;
    return isElsewhere
      ? [
          note(
            NAME,
            `the event log was moved to ${mark.to}, and EVENTSTORE_URL is ${addressOf(eventstoreUrl)}`,
            "Both must be names of the same server.",
          ),
        ]
      : [];
  });

/** Reports a log that ends before the highest position in the tables. */
const otherLog = async (eventstoreUrl: string, highest: bigint): Promise<readonly Finding[]> => {
  const found = await inspectEventLog(eventstoreUrl, PATIENCE_MS).catch(() => null);
  if (found === null || (found.newest !== null && found.newest >= highest)) return [];
  return [
    bad(
      NAME,
      `the tables are at log position ${highest}, but the log at EVENTSTORE_URL ends at ${found.newest ?? "no event"}`,
      "The log does not belong to this database: it is an unfinished copy of `runledger migrate` (stop the service and run it again) or an older log (restore both from one backup).",
    ),
  ];
};
