import { readFileSync } from "node:fs";
import { Command } from "commander";
import { addAgentCommand } from "./agents/commands.ts";
import { addAuditCommands } from "./audit/commands.ts";
import { addTestCommands } from "./catalogue/commands.ts";
import { addCompletionCommand } from "./completion/commands.ts";
import { addDoctorCommand } from "./doctor/commands.ts";
import { CommandError, exitCodes } from "./exitCodes.ts";
import { forceExitAfterTimeout } from "./exitTimeout.ts";
import { addToolServerCommand } from "./mcp/commands.ts";
import { addBackupCommands } from "./operator/backupCommands.ts";
import { addLogCommands } from "./operator/logCommands.ts";
import { addServerCommands } from "./operator/serverCommands.ts";
import { addOpenCommand } from "./reports/commands.ts";
import { addResultCommands } from "./resultImports/commands.ts";
import { addCloudRunCommand, addRunCommand } from "./runs/commands.ts";

const releaseOf = (manifest: URL): string =>
  (JSON.parse(readFileSync(manifest, "utf8")) as { version: string }).version;

const program = new Command("runledger")
  .description("Browser tests in plain English, run in real browsers.")
  .version(releaseOf(new URL("../../package.json", import.meta.url)))
  .showHelpAfterError()
  .exitOverride();

addRunCommand(program);
addDoctorCommand(program);
addTestCommands(program);
addCloudRunCommand(program);
addResultCommands(program);
addOpenCommand(program);
addAgentCommand(program);
addToolServerCommand(program);
addCompletionCommand(program);
addAuditCommands(program);
addBackupCommands(program);
addServerCommands(program);
addLogCommands(program);

// The reader of the output may close it early (`| head`).
process.stdout.on("error", () => process.exit(exitCodes.unavailable));

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = reportFailure(error);
  forceExitAfterTimeout();
}

/** Writes an error to stderr, with a stack trace only if it is unexpected. Returns the exit code. */
function reportFailure(error: unknown): number {
  if (error instanceof CommandError) {
    process.stderr.write(`${error.message}\n`);
    return error.exitCode;
  }
  // Commander has already written it; help and version have exit code 0.
  if (error instanceof Error && "exitCode" in error && "code" in error) {
    return error.exitCode === 0 ? exitCodes.passed : exitCodes.usage;
  }
  process.stderr.write(
    `${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  );
  return exitCodes.unavailable;
}
