import type { Command } from "commander";
import { stopSignal, terminalFor } from "../options.ts";
import { onService, type ServiceFlags, serviceFor } from "../serviceFlags.ts";

type ResultsFlags = ServiceFlags & { readonly project?: string };

/** Adds `runledger results import`. */
export const addResultCommands = (program: Command): void => {
  const results = program.command("results").description("results of other test tools.");
  onService(results.command("import"))
    .description(
      "import reports into the service: JUnit XML, or JSON of Playwright's reporter.\n" +
        "Runs nothing and uses no quota. Importing a file again has no effect.\n" +
        "Exit codes: 0 imported, whatever the results; 2 invalid input, 3 no service.",
    )
    .argument("<files...>", "the reports")
    .option("--project <id>", "project of the tests")
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
