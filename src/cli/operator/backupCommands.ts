import type { Command } from "commander";
import { terminalFor } from "../options.ts";

type Flags = { readonly json?: boolean };

/** Adds the commands `backup`, `restore` and `migrate`. */
export const addBackupCommands = (program: Command): void => {
  program
    .command("backup")
    .description(
      "back up the log, the state and the blobs of a service into a folder, also while it runs.\n" +
        "Exit codes: 0 success, 1 the folder cannot be written, 2 invalid settings, 3 unavailable.",
    )
    .argument("<folder>", "a folder that does not exist yet")
    .option("--json", "write one JSON object per line")
    .action(async (folder: string, flags: Flags) => {
      const { backUp } = await import("./backup.ts");
      process.exitCode = await backUp(process.env, folder, terminalFor(flags.json ?? false));
    });

  program
    .command("restore")
    .description(
      "restore a backup for a service with these settings; the service must not run.\n" +
        "Exit codes: 0 success, 1 damaged backup or differing read model, 2 refused target, 3 unavailable.",
    )
    .argument("<folder>", "a folder written by `runledger backup`")
    .option("--replace", "discard the existing data")
    .option("--check", "verify the backup and restore nothing")
    .option("--json", "write one JSON object per line")
    .action(
      async (
        folder: string,
        flags: Flags & { readonly replace?: boolean; readonly check?: boolean },
      ) => {
        const { restore } = await import("./backup.ts");
        process.exitCode = await restore(
          process.env,
          folder,
          { replace: flags.replace ?? false, check: flags.check ?? false },
          terminalFor(flags.json ?? false),
        );
      },
    );

  program
    .command("migrate")
    .description(
      "copy the embedded event log into another EventStoreDB and compare the two; repeat to resume.\n" +
        "Exit codes: 0 success, 1 an event differs or is rejected, 2 invalid settings, 3 unavailable.",
    )
    .requiredOption("--to <url>", "connection string of the target: esdb://host:2113?tls=false")
    .option("--json", "write one JSON object per line")
    .action(async (flags: Flags & { readonly to: string }) => {
      const { migrateLog } = await import("./migrate.ts");
      process.exitCode = await migrateLog(process.env, flags.to, terminalFor(flags.json ?? false));
    });
};
