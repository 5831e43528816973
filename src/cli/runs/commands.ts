import { type Command, Option } from "commander";
import {
  browserOption,
  collect,
  collectVariable,
  countNumber,
  stopSignal,
  terminalFor,
  webAddress,
} from "../options.ts";
import { EXIT_CODES, onService, type ServiceFlags, serviceFor, webFor } from "../serviceFlags.ts";

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
      "run a file of plain English, or a test as YAML, in a browser on this machine, without a service.\n" +
        "Exit code: 0 passed, 1 failed, 2 not understood (nothing is run), 3 no browser or no verdict.",
    )
    .argument("<file>", "the test: one instruction a line; .yaml as tests push takes it")
    .option("--base-url <url>", "what paths such as /login are put on", webAddress)
    .option(
      "--var <name=value>",
      "a variable, used as ${name}; can be given several times",
      collectVariable,
      {},
    )
    .option("--screenshots <folder>", "keep a picture of each step there")
    .option("--json", "one JSON object a line")
    .addOption(browserOption())
    .option("--install-browser", "fetch a browser when there is none")
    .option("--headed", "show the browser while it works")
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

type CloudRunFlags = ServiceFlags & {
  readonly testSet: readonly string[];
  readonly project?: string;
  readonly tag?: string;
  readonly browser: readonly string[];
  readonly baseUrl?: string;
  readonly var: Record<string, string>;
  readonly wait?: boolean;
  readonly timeout?: number;
  readonly junit?: string;
  readonly target?: "cloud" | "agent";
  readonly retries?: number;
  readonly environment?: string;
};

/** Adds `runledger cloud-run`. */
export const addCloudRunCommand = (program: Command): void => {
  onService(program.command("cloud-run"))
    .description(`run tests on the service.\n${EXIT_CODES}`)
    .argument("[tests...]", "ids of tests, or the YAML files of `tests push`")
    .option("--test-set <id>", "a test set; can be given several times", collect, [])
    .option("--project <id>", "the tests of a project")
    .option("--tag <name>", "the tests with a tag")
    .option("--browser <name>", "a browser; can be given several times", collect, [])
    .option("--base-url <url>", "what paths such as /login are put on", webAddress)
    .option(
      "--var <name=value>",
      "a variable, used as ${name}; can be given several times",
      collectVariable,
      {},
    )
    .addOption(
      new Option("--target <who>", "who runs them: the service, or your agents").choices([
        "cloud",
        "agent",
      ]),
    )
    .option("--environment <name>", "whose variables and secrets the tests have")
    .option("--retries <number>", "try again so often what does not pass", countNumber)
    .option("--wait", "show how it goes, and exit with the verdict")
    .option("--timeout <seconds>", "wait so long at most; the run goes on", countNumber)
    .option("--junit <file>", "write a JUnit report of the verdict there (waits for it)")
    .action(async (tests: string[], flags: CloudRunFlags) => {
      const { cloudRun } = await import("./cloudRun.ts");
      process.exitCode = await cloudRun(
        await serviceFor(flags),
        {
          tests,
          testSets: flags.testSet,
          browsers: flags.browser,
          variables: flags.var,
          wait: flags.wait === true || flags.junit !== undefined,
          web: webFor(flags),
          signal: stopSignal(),
          ...(flags.project && { project: flags.project }),
          ...(flags.tag && { tag: flags.tag }),
          ...(flags.baseUrl && { baseUrl: flags.baseUrl }),
          ...(flags.timeout && { timeoutSeconds: flags.timeout }),
          ...(flags.junit && { junit: flags.junit }),
          ...(flags.target && { target: flags.target }),
          ...(flags.retries && { retries: flags.retries }),
          ...(flags.environment && { environment: flags.environment }),
        },
        terminalFor(flags.json ?? false),
      );
    });
};
