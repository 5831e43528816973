import { readFileSync } from "node:fs";
import { Command } from "commander";
import { CommandError, exitCodes } from "./exitCodes.ts";
import { forceExitAfterTimeout } from "./exitTimeout.ts";

const releaseOf = (manifest: URL): string =>
  (JSON.parse(readFileSync(manifest, "utf8")) as { version: string }).version;

/** The program `runledger` without commands. */
export const createProgram = (): Command =>
  new Command("runledger")
    .description("Browser tests in plain English, run in real browsers.")
    .version(releaseOf(new URL("../../package.json", import.meta.url)))
    .showHelpAfterError()
    .exitOverride();

/** Runs the command of the process's arguments and ends the process after a failure. */
export const runProgram = async (program: Command): Promise<void> => {
  // The reader of the output may close it early (`| head`).
  process.stdout.on("error", () => process.exit(exitCodes.unavailable));
  if (!(await runCommand(program, process.argv.slice(2)))) forceExitAfterTimeout();
};

/** Runs the command of the arguments and sets `process.exitCode`. False if it failed; its message is on stderr. */
export const runCommand = async (program: Command, args: readonly string[]): Promise<boolean> => {
  try {
    await program.parseAsync(args, { from: "user" });
    return true;
  } catch (error) {
    process.exitCode = reportFailure(error);
    return false;
  }
};

/** Writes an error to stderr, with a stack trace only if it is unexpected. Returns the exit code. */
const reportFailure = (error: unknown): number => {
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
};
