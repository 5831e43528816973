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
    .argument("[tests...]", "ids of tests, or pushed YAML files")
    .option("--test-set <id>", "a test set; repeatable", collect, [])
    .option("--project <id>", "the tests of a project")
    .option("--tag <name>", "the tests with a tag")
    .option("--browser <name>", "a browser; repeatable", collect, [])
    .option("--base-url <url>", "base URL of paths such as /login", webAddress)
    .option("--var <name=value>", "a variable, used as ${name}; repeatable", collectVariable, {})
    .addOption(
      new Option("--target <who>", "where the tests run: on the service or on your agents").choices(
        ["cloud", "agent"],
      ),
    )
    .option("--environment <name>", "environment with the variables and secrets of the tests")
    .option("--retries <number>", "repeat tests that do not pass up to this often", countNumber)
    .option("--wait", "show progress and exit with the verdict")
    .option("--timeout <seconds>", "stop waiting after this time; the run goes on", countNumber)
    .option("--junit <file>", "write a JUnit report into this file (implies --wait)")
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
