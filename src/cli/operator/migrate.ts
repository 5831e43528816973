import { moveLog } from "../../main/backup/moveLog.ts";
import { eventLogUrlProblem } from "../../platform/eventLog/connectionString.ts";
import { createLogger } from "../../platform/logger.ts";
import { CommandError, exitCodes } from "../exitCodes.ts";
import type { Terminal } from "../terminal.ts";
import { asCommandError } from "./backup.ts";
import { readConfig } from "./server.ts";

/** `runledger migrate --to URL`. Answers the exit code: 1 when a read model is not what the log makes of it. */
export const migrateLog = async (
  environment: Readonly<Record<string, string | undefined>>,
  to: string,
  terminal: Terminal,
): Promise<number> => {
  // Commander would quote the value, with its password.
  const problem = eventLogUrlProblem(to);
  if (problem !== null) throw new CommandError(`--to should be ${problem}.`, exitCodes.usage);
  const config = readConfig({ LOG_LEVEL: "fatal", ...environment });
  const logger = createLogger({ level: "fatal" });
  const onProgress = terminal.progress;
  const moved = await moveLog(config, logger, { to, onProgress }).catch((error: unknown) => {
    throw asCommandError(error);
  });
  terminal.record({ ...moved });
  terminal.say(`${moved.events} events are there, the same one by one.`);
  terminal.say(
    moved.finished
      ? "The tables go with that log now, and the read models were folded from it. Set EVENTSTORE_URL to it and start the service."
      : "The service still runs and may have written more. Stop it, and run this again to finish.",
  );
  if (moved.differing.length === 0) return exitCodes.passed;
  terminal.say(`Not what the log makes of them: ${moved.differing.join(", ")}.`);
  terminal.say("See runledger projections verify.");
  return exitCodes.failed;
};
