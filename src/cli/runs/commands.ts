import type { Command } from "commander";
import { browserOption, collectVariable, stopSignal, terminalFor, webAddress } from "../options.ts";

type RunFlags = {
  readonly baseUrl?: string;
  readonly var: Record<string, string>;
  readonly screenshots?: string;
  readonly json?: boolean;
  readonly browser?: string;
  readonly installBrowser?: boolean;
  readonly headed?: boolean;
};

/** Adds `runledger run`. */
export const addRunCommand = (program: Command): void => {
  program
    .command("run")
    .description(
      "run a test file (plain English or YAML) in a browser on this machine, without a service.\n" +
        "Exit codes: 0 passed, 1 failed, 2 not understood (nothing was run), 3 no browser or no verdict.",
    )
    .argument("<file>", "the test: one instruction per line, or YAML as for tests push")
    .option("--base-url <url>", "base URL of paths such as /login", webAddress)
    .option("--var <name=value>", "a variable, used as ${name}; repeatable", collectVariable, {})
    .option("--screenshots <folder>", "write a screenshot of each step into this folder")
    .option("--json", "write one JSON object per line")
    .addOption(browserOption())
    .option("--install-browser", "download a browser if none is installed")
    .option("--headed", "show the browser window")
    .action(async (file: string, flags: RunFlags) => {
      const { runFile } = await import("./run.ts");
      process.exitCode = await runFile(
        file,
        {
          variables: flags.var,
          installBrowser: flags.installBrowser ?? false,
          headed: flags.headed ?? false,
          signal: stopSignal(),
          ...(flags.baseUrl && { baseUrl: flags.baseUrl }),
          ...(flags.screenshots && { screenshots: flags.screenshots }),
          ...(flags.browser && { browserPath: flags.browser }),
        },
        terminalFor(flags.json ?? false),
      );
    });
};
