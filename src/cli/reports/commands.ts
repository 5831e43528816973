import type { Command } from "commander";
import { stopSignal, terminalFor } from "../options.ts";
import { onService, type ServiceFlags, serviceFor, webFor } from "../serviceFlags.ts";

/** Adds `runledger open`. */
export const addOpenCommand = (program: Command): void => {
  onService(program.command("open"))
    .description("open the report of a run in the web app (RUNLEDGER_WEB_URL, else the service)")
    .argument("<run>", "id of the run")
    .option("--test <id>", "a test of the run (default: the first that did not pass)")
    .option("--test-set <id>", "the report of a test set")
    .option("--print", "print the link without opening a browser")
    .action(async (runId: string, flags: OpenFlags) => {
      const { openReport } = await import("./open.ts");
      process.exitCode = await openReport(
        await serviceFor(flags),
        {
          runId,
          web: webFor(flags),
          show: process.stdout.isTTY && !flags.print && !flags.json,
          signal: stopSignal(),
          ...(flags.test && { testId: flags.test }),
          ...(flags.testSet && { testSetId: flags.testSet }),
        },
        terminalFor(flags.json ?? false),
      );
    });
};

type OpenFlags = ServiceFlags & {
  readonly test?: string;
  readonly testSet?: string;
  readonly print?: boolean;
};
