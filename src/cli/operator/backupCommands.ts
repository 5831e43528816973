import type { Command } from "commander";
import { terminalFor } from "../options.ts";

type Flags = { readonly json?: boolean };

/** Adds what operators keep and move a service with. */
export const addBackupCommands = (program: Command): void => {
  program
    .command("backup")
    .description(
      "write the log, the state and the blobs of a service into a folder, while it runs or not.\n" +
        "Exit code: 0 done, 1 the folder cannot be written, 2 wrong settings, 3 nothing to reach.",
    )
    .argument("<folder>", "a folder that is not there yet")
    .option("--json", "one JSON object a line")
    .action(async (folder: string, flags: Flags) => {
      const { backUp } = await import("./backup.ts");
      process.exitCode = await backUp(process.env, folder, terminalFor(flags.json ?? false));
    });

  program
    .command("restore")
    .description(
      "make of a backup what a service of these settings starts with; the service must not run.\n" +
        "Exit code: 0 done, 1 the backup is damaged or a read model differs, 2 the target does not take it, 3 nothing to reach.",
    )
    .argument("<folder>", "the folder that `runledger backup` has written")
    .option("--replace", "give up what is there")
    .option("--check", "look at the backup alone, whether it is whole, and restore nothing")
    .option("--json", "one JSON object a line")
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
      "copy the embedded event log of a service into another EventStoreDB, and compare the two; again, to go on.\n" +
        "Exit code: 0 done, 1 an event differs or is not taken, 2 wrong settings, 3 nothing to reach.",
    )
    .requiredOption("--to <url>", "its connection string: esdb://host:2113?tls=false")
    .option("--json", "one JSON object a line")
    .action(async (flags: Flags & { readonly to: string }) => {
      const { migrateLog } = await import("./migrate.ts");
      process.exitCode = await migrateLog(process.env, flags.to, terminalFor(flags.json ?? false));
    });
};
