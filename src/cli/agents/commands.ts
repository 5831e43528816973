import { type Command, InvalidArgumentError } from "commander";
import { type BrowserName, browserName } from "../../domain/runs/verdict.ts";
import { connectionFrom } from "../connection.ts";
import { countNumber, stopSignal, terminalFor } from "../options.ts";
import { onService, type ServiceFlags } from "../serviceFlags.ts";

type AgentFlags = ServiceFlags & {
  readonly browsers: readonly BrowserName[];
  readonly capacity: number;
  readonly name?: string;
};

/** Adds `runledger agent`. */
export const addAgentCommand = (program: Command): void => {
  onService(program.command("agent"))
    .description(
      "run queued tests on this machine (cloud-run --target agent).\n" +
        "Needs RUNLEDGER_API_KEY. Ctrl-C or SIGTERM returns running tests to the service.",
    )
    .option("--browsers <names>", "browsers of this machine, separated by commas", browserNames, [
      "chromium",
    ])
    .option("--capacity <number>", "number of tests that run at the same time", countNumber, 2)
    .option("--name <text>", "name in `GET /runner/status` (default: the host name)")
    .action(async (flags: AgentFlags) => {
      const connection = connectionFrom(flags.server, process.env);
      const { startAgent: runAgentHere } = await import("./start.ts");
      process.exitCode = await runAgentHere(
        {
          connection,
          browsers: flags.browsers,
          capacity: flags.capacity,
          version: program.version() ?? "unknown",
          signal: stopSignal(),
          ...(flags.name && { name: flags.name }),
        },
        process.env,
        terminalFor(flags.json ?? false),
      );
    });
};

const browserNames = (text: string): readonly BrowserName[] => {
  const read = browserName
    .array()
    .min(1)
    .safeParse(text.split(",").map((name) => name.trim()));
  if (read.success) return [...new Set(read.data)];
  throw new InvalidArgumentError(`Known browsers: ${browserName.options.join(", ")}.`);
};
