import { moveLog } from "../../main/backup/moveLog.ts";
import { eventLogUrlProblem } from "../../platform/eventLog/connectionString.ts";
import { createLogger } from "../../platform/logger.ts";
import { CommandError, exitCodes } from "../exitCodes.ts";
import type { Terminal } from "../terminal.ts";
import { asCommandError } from "./backup.ts";
import { readConfig } from "./server.ts";

/** `runledger migrate --to URL`. Returns the exit code: 1 if a read model differs from the log. */
export const migrateLog = async (
  environment: Readonly<Record<string, string | undefined>>,
  to: string,
  terminal: Terminal,
): Promise<number> => {
  // Checked here because Commander would print the value, which holds a password.
  const problem = eventLogUrlProblem(to);
  if (problem !== null) throw new CommandError(`--to should be ${problem}.`, exitCodes.usage);
  const config = readConfig({ LOG_LEVEL: "fatal", ...environment });
  const logger = createLogger({ level: "fatal" });
  const onProgress = terminal.progress;
  const moved = await moveLog(config, logger, { to, onProgress }).catch((error: unknown) => {
    throw asCommandError(error);
  });
  terminal.record({ ...moved });
  terminal.say(`The target has all ${moved.events} events, identical and in the same order.`);
  terminal.say(
    moved.finished
      ? "The database now belongs to that log, and the read models were rebuilt from it. Set EVENTSTORE_URL to it and start the service."
      : "The service is running and may have written more events. Stop it and run this command again to finish.",
  );
  if (moved.differing.length === 0) return exitCodes.passed;
  terminal.say(`These read models differ from the log: ${moved.differing.join(", ")}.`);
  terminal.say("Run `runledger projections verify` for details.");
  return exitCodes.failed;
};
