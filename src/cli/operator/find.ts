import { openInspector } from "../../main/operator/inspector.ts";
import { createLogger } from "../../platform/logger.ts";
import { CommandError, exitCodes } from "../exitCodes.ts";
import type { Terminal } from "../terminal.ts";
import { readConfig } from "./server.ts";

/** `runledger find TEXT`: the streams that a text touches, one a line. Answers the exit code. */
export const findStreams = async (
  environment: Readonly<Record<string, string | undefined>>,
  text: string,
  terminal: Terminal,
): Promise<number> => {
  const sought = text.trim();
  if (sought === "" || sought.length > 320 || /\p{Cc}/u.test(sought)) {
    throw new CommandError("Say what to look for, in one line.", exitCodes.usage);
  }
  const config = readConfig({ LOG_LEVEL: "fatal", ...environment });
  const unreachable = (error: unknown): never => {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandError(`The log cannot be looked at: ${reason}.`, exitCodes.unavailable);
  };
  const inspector = await openInspector(config, createLogger({ level: "fatal" })).catch(
    unreachable,
  );
  try {
    const { found } = await inspector.find(sought).catch(unreachable);
    for (const { stream, kind, what, revision, last_at } of found) {
      terminal.record({ stream, kind, what, events: Number(revision) + 1, last_at });
      terminal.say(`${stream}  ${what}, ${Number(revision) + 1} events, the last ${last_at}`);
    }
    if (found.length > 0) return exitCodes.passed;
    terminal.say("Nothing of that is known.");
    return exitCodes.failed;
  } finally {
    await inspector.close();
  }
};
