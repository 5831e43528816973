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
      "run on this machine what the service has for agents (cloud-run --target agent).\n" +
        "The key is RUNLEDGER_API_KEY. Ctrl-C or SIGTERM gives back what runs.",
    )
    .option("--browsers <names>", "the browsers that it has, with commas between", browserNames, [
      "chromium",
    ])
    .option("--capacity <number>", "how many tests it runs at once", countNumber, 2)
    .option("--name <text>", "what it is called in `GET /runner/status`; the machine's name")
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
  throw new InvalidArgumentError(`There is ${browserName.options.join(", ")}.`);
};
