import { createInterface } from "node:readline/promises";
import { Argument, type Command, InvalidArgumentError, Option } from "commander";
import { type BrowserName, browserName } from "../domain/runs/run.ts";
import { type Shell, shells } from "./completion.ts";
import { connectionFrom, isReadable, serverFrom } from "./connection.ts";
import {
  browserOption,
  collect,
  collectVariable,
  countNumber,
  stopSignal,
  terminalFor,
  webAddress,
} from "./options.ts";
import type { Service } from "./service.ts";

type ServiceFlags = { readonly server?: string; readonly json?: boolean };

/** The service that a command's flags and the environment name. Throws CommandError (usage). */
const serviceFor = async ({ server }: ServiceFlags): Promise<Service> => {
  const connection = connectionFrom(server, process.env);
  if (isReadable(connection.server)) {
    process.stderr.write(
      `Plain http: whoever is on the way to ${connection.server} can read the key. Use https.\n`,
    );
  }
  const { connect } = await import("./service.ts");
  return connect(connection);
};

/** Where the web app is: beside the service, unless the environment says otherwise. */
const webFor = ({ server }: ServiceFlags): string =>
  process.env.RUNLEDGER_WEB_URL || serverFrom(server, process.env);

const onService = (command: Command): Command =>
  command
    .option("--server <url>", "the service; RUNLEDGER_URL, or http://127.0.0.1:3000", webAddress)
    .option("--json", "one JSON object a line");

const CODES =
  "Exit code: 0 done, 1 failed or refused, 2 not understood, 3 no service or no verdict, 4 quota used up.";

/** The commands that work with a service elsewhere, over its HTTP API and with a key of RUNLEDGER_API_KEY. */
export const addClientCommands = (program: Command): void => {
  addDoctor(program);
  addTests(program);
  addCloudRun(program);
  addResults(program);
  addOpen(program);
  addAgent(program);
  addToolServer(program);
  addCompletion(program);
};

const addDoctor = (program: Command): void => {
  onService(program.command("doctor"))
    .description(
      "what works here and what does not: this machine, its browser, the service, the key",
    )
    .addOption(browserOption())
    .action(async (flags: ServiceFlags & { readonly browser?: string }) => {
      const { runDoctor } = await import("./doctor.ts");
      process.exitCode = await runDoctor(
        {
          environment: process.env,
          ...(flags.server && { server: flags.server }),
          ...(flags.browser && { browserPath: flags.browser }),
        },
        terminalFor(flags.json ?? false),
      );
    });
};

type FilterFlags = ServiceFlags & {
  readonly project?: string;
  readonly tag?: string;
  readonly search?: string;
};

const filterOf = ({ project, tag, search }: FilterFlags) => ({
  ...(project && { project }),
  ...(tag && { tag }),
  ...(search && { search }),
});

const withFilter = (command: Command): Command =>
  onService(command)
    .option("--project <id>", "those of a project")
    .option("--tag <name>", "those with a tag")
    .option("--search <words>", "those in which the words are found");

const addTests = (program: Command): void => {
  const tests = program
    .command("tests")
    .description(`tests as files of a repository, and on the service.\n${CODES}`);

  withFilter(tests.command("list"))
    .description("the tests of the service")
    .action(async (flags: FilterFlags) => {
      const { listTests } = await import("./catalogue/list.ts");
      const terminal = terminalFor(flags.json ?? false);
      process.exitCode = await listTests(
        await serviceFor(flags),
        filterOf(flags),
        terminal,
        stopSignal(),
      );
    });

  onService(tests.command("show"))
    .description("a test of the service, step by step")
    .argument("<id>", "its id, as `tests list` shows it")
    .action(async (id: string, flags: ServiceFlags) => {
      const { showTest } = await import("./catalogue/list.ts");
      const terminal = terminalFor(flags.json ?? false);
      process.exitCode = await showTest(await serviceFor(flags), id, terminal, stopSignal());
    });

  onService(tests.command("push"))
    .description(
      "make the service's tests those of YAML files; shows the difference first.\n" +
        "A file has name, and steps or text (plain English); id, version and digest are kept in it.",
    )
    .argument("<paths...>", "files, or folders of them")
    .option("--dry-run", "show the difference and change nothing")
    .option("--yes", "do not ask")
    .option("--force", "replace what others have changed since the last pull")
    .action(async (paths: string[], flags: PushFlags) => {
      const { pushTests } = await import("./catalogue/push.ts");
      const isAsking = process.stdin.isTTY && !flags.yes && !flags.json;
      process.exitCode = await pushTests(
        await serviceFor(flags),
        paths,
        {
          dryRun: flags.dryRun ?? false,
          force: flags.force ?? false,
          confirm: isAsking ? askPerson : null,
          signal: stopSignal(),
        },
        terminalFor(flags.json ?? false),
      );
    });

  withFilter(tests.command("pull"))
    .description("write tests of the service into YAML files; local changes are not overwritten")
    .argument("[ids...]", "which tests; all, or those of the options, unless they are named")
    .option("--folder <folder>", "where the files are", "tests")
    .option("--force", "also replace files with changes that were never pushed")
    .action(async (ids: string[], flags: PullFlags) => {
      const { pullTests } = await import("./catalogue/pull.ts");
      process.exitCode = await pullTests(
        await serviceFor(flags),
        ids,
        {
          folder: flags.folder,
          force: flags.force ?? false,
          filter: filterOf(flags),
          signal: stopSignal(),
        },
        terminalFor(flags.json ?? false),
      );
    });
};

type PushFlags = ServiceFlags & {
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly force?: boolean;
};
type PullFlags = FilterFlags & { readonly folder: string; readonly force?: boolean };

/** Asks a person at the terminal; anything but yes is no. */
const askPerson = async (question: string): Promise<boolean> => {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return /^y(es)?$/i.test((await terminal.question(`${question} [y/N] `)).trim());
  } finally {
    terminal.close();
  }
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

const addCloudRun = (program: Command): void => {
  onService(program.command("cloud-run"))
    .description(`run tests on the service.\n${CODES}`)
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
      const { cloudRun } = await import("./runs/cloudRun.ts");
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

type ResultsFlags = ServiceFlags & { readonly project?: string };

const addResults = (program: Command): void => {
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
      const { importResults } = await import("./resultImports/results.ts");
      process.exitCode = await importResults(
        await serviceFor(flags),
        files,
        { signal: stopSignal(), ...(flags.project && { project: flags.project }) },
        terminalFor(flags.json ?? false),
      );
    });
};

const addOpen = (program: Command): void => {
  onService(program.command("open"))
    .description("the link of a run's report in the web app (RUNLEDGER_WEB_URL, or the service's)")
    .argument("<run>", "the run's id")
    .option("--test <id>", "a test of the run; the first that did not pass unless it is said")
    .option("--test-set <id>", "the report of a test set")
    .option("--print", "print it, and open no browser")
    .action(async (runId: string, flags: OpenFlags) => {
      const { openReport } = await import("./reports/open.ts");
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

type AgentFlags = ServiceFlags & {
  readonly browsers: readonly BrowserName[];
  readonly capacity: number;
  readonly name?: string;
};

const addAgent = (program: Command): void => {
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
      const { runAgentHere } = await import("./agents/here.ts");
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

const addToolServer = (program: Command): void => {
  program
    .command("mcp")
    .description(
      "a tool server for models (Model Context Protocol, over standard input and output):\n" +
        "they list, show, create and run tests and read results, with the rights of RUNLEDGER_API_KEY",
    )
    .option("--server <url>", "the service; RUNLEDGER_URL, or http://127.0.0.1:3000", webAddress)
    .action(async (flags: ServiceFlags) => {
      const { serveTools } = await import("./mcp/server.ts");
      await serveTools(await serviceFor(flags), program.version() ?? "", stopSignal());
    });
};

const addCompletion = (program: Command): void => {
  program
    .command("completion")
    .description(
      "a script for your shell, so that Tab completes: source <(runledger completion bash)",
    )
    .addArgument(new Argument("<shell>").choices(shells))
    .action(async (shell: Shell) => {
      const { completionScript } = await import("./completion.ts");
      process.stdout.write(completionScript(shell, program));
    });
};
