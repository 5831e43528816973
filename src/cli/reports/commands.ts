import type { Command } from "commander";
import { stopSignal, terminalFor } from "../options.ts";
import { onService, type ServiceFlags, serviceFor, webFor } from "../serviceFlags.ts";

/** Adds `runledger open`. */
export const addOpenCommand = (program: Command): void => {
  onService(program.command("open"))
    .description("the link of a run's report in the web app (RUNLEDGER_WEB_URL, or the service's)")
    .argument("<run>", "the run's id")
    .option("--test <id>", "a test of the run; the first that did not pass unless it is said")
    .option("--test-set <id>", "the report of a test set")
    .option("--print", "print it, and open no browser")
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
