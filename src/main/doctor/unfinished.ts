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
/** How long the log may take to answer, in milliseconds. */
const PATIENCE_MS = 5_000;

/**
 * Whether an operator began something with what the service keeps and did not end it: a restore, a move of the log.
 * Says nothing where all is as it should be, or where the database cannot be asked, which another check says.
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
      return [note(NAME, "a restore is at work", "No service starts here before its end.")];
    }
    if (trouble) return [bad(NAME, trouble.found, `${trouble.advice} No service starts before.`)];
    const isElsewhere =
      mark.name === "log_moved" && eventstoreUrl !== null && addressOf(eventstoreUrl) !== mark.to;
    return isElsewhere
      ? [
          note(
            NAME,
            `the event log was moved to ${mark.to}, and EVENTSTORE_URL is ${addressOf(eventstoreUrl)}`,
            "It must be the same server, under whatever name.",
          ),
        ]
      : [];
  });

/** A log that ends before what the tables have read of it is another one, or was put back to an earlier time. */
const otherLog = async (eventstoreUrl: string, highest: bigint): Promise<readonly Finding[]> => {
  const found = await inspectEventLog(eventstoreUrl, PATIENCE_MS).catch(() => null);
  if (found === null || (found.newest !== null && found.newest >= highest)) return [];
  return [
    bad(
      NAME,
      `the tables have read the log up to ${highest}, and that at EVENTSTORE_URL ends at ${found.newest ?? "nothing"}`,
      "It is another log than theirs: a copy that `runledger migrate` has not finished (stop the service, run it again), or one of an earlier time (restore both from one backup).",
    ),
  ];
};
