import { openInspector } from "../../main/operator/inspector.ts";
import { createLogger } from "../../platform/logger.ts";
import { CommandError, exitCodes } from "../exitCodes.ts";
import type { Terminal } from "../terminal.ts";
import { readConfig } from "./server.ts";

/** `runledger find TEXT`: lists the streams that a text matches. Returns the exit code. */
export const findStreams = async (
  environment: Readonly<Record<string, string | undefined>>,
  text: string,
  terminal: Terminal,
): Promise<number> => {
  const query = text.trim();
  if (query === "" || query.length > 320 || /\p{Cc}/u.test(query)) {
    throw new CommandError(
      "The search text must be one line of 1 to 320 characters.",
      exitCodes.usage,
    );
  }
  const config = readConfig({ LOG_LEVEL: "fatal", ...environment });
  const unreachable = (error: unknown): never => {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandError(`The log cannot be searched: ${reason}.`, exitCodes.unavailable);
  };
  const inspector = await openInspector(config, createLogger({ level: "fatal" })).catch(
    unreachable,
  );
  try {
    const { found } = await inspector.find(query).catch(unreachable);
    for (const { stream, kind, what, revision, last_at } of found) {
      terminal.record({ stream, kind, what, events: Number(revision) + 1, last_at });
      terminal.say(`${stream}  ${what}, ${Number(revision) + 1} events, the last ${last_at}`);
    }
    if (found.length > 0) return exitCodes.passed;
    terminal.say("No streams found.");
    return exitCodes.failed;
  } finally {
    await inspector.close();
  }
};
