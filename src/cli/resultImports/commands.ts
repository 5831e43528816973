import type { Command } from "commander";
import { stopSignal, terminalFor } from "../options.ts";
import { onService, type ServiceFlags, serviceFor } from "../serviceFlags.ts";

type ResultsFlags = ServiceFlags & { readonly project?: string };

/** Adds `runledger results import`. */
export const addResultCommands = (program: Command): void => {
  const results = program.command("results").description("what other tools found.");
  onService(results.command("import"))
    .description(
      "take reports over into the service: JUnit XML, or Playwright's reporter json.\n" +
        "Nothing is run and no quota is taken; a file that came before records nothing.\n" +
        "Exit code: 0 taken over, however the tests ended; 2 not understood, 3 no service.",
    )
    .argument("<files...>", "the reports")
    .option("--project <id>", "the project that the tests belong to")
    .action(async (files: string[], flags: ResultsFlags) => {
      const { importResults } = await import("./results.ts");
      process.exitCode = await importResults(
        await serviceFor(flags),
        files,
        { signal: stopSignal(), ...(flags.project && { project: flags.project }) },
        terminalFor(flags.json ?? false),
      );
    });
};
