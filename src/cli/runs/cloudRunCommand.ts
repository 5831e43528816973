import { type Command, Option } from "commander";
import {
  collect,
  collectVariable,
  countNumber,
  stopSignal,
  terminalFor,
  webAddress,
} from "../options.ts";
import { EXIT_CODES, onService, type ServiceFlags, serviceFor, webFor } from "../serviceFlags.ts";

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
    .argument("[tests...]", "ids of tests, or YAML files and folders, which run as they are")
    .option("--test-set <id>", "a test set; repeatable", collect, [])
    .option(
      "--project <id>",
      "the tests of a project; with files, the project of files without project_id",
    )
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
        () => serviceFor(flags),
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
