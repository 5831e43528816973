import { createInterface } from "node:readline/promises";
import type { Command } from "commander";
import { stopSignal, terminalFor } from "../options.ts";
import { EXIT_CODES, onService, type ServiceFlags, serviceFor } from "../serviceFlags.ts";

/** Adds the commands `runledger tests …`. */
export const addTestCommands = (program: Command): void => {
  const tests = program
    .command("tests")
    .description(`manage tests on the service and as files of a repository.\n${EXIT_CODES}`);
  addList(tests);
  addShow(tests);
  addPush(tests);
  addPull(tests);
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
    .option("--project <id>", "only tests of this project")
    .option("--tag <name>", "only tests with this tag")
    .option("--search <words>", "only tests that contain these words");

const addList = (tests: Command): void => {
  withFilter(tests.command("list"))
    .description("list the tests of the service")
    .action(async (flags: FilterFlags) => {
      const { listTests } = await import("./list.ts");
      const terminal = terminalFor(flags.json ?? false);
      process.exitCode = await listTests(
        await serviceFor(flags),
        filterOf(flags),
        terminal,
        stopSignal(),
      );
    });
};

const addShow = (tests: Command): void => {
  onService(tests.command("show"))
    .description("show the steps of a test")
    .argument("<id>", "id of the test, see `tests list`")
    .action(async (id: string, flags: ServiceFlags) => {
      const { showTest } = await import("./list.ts");
      const terminal = terminalFor(flags.json ?? false);
      process.exitCode = await showTest(await serviceFor(flags), id, terminal, stopSignal());
    });
};

type PushFlags = ServiceFlags & {
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly force?: boolean;
  readonly project?: string;
};

const addPush = (tests: Command): void => {
  onService(tests.command("push"))
    .description(
      "upload tests from YAML files; shows the difference first.\n" +
        "A file has a name, and steps or text (plain English). Its project and path identify the test.",
    )
    .argument("<paths...>", "files or folders")
    .option("--dry-run", "show the difference and change nothing")
    .option("--yes", "do not ask for confirmation")
    .option("--force", "overwrite changes made on the service since the last push or pull")
    .option("--project <id>", "project of files without project_id")
    .action(async (paths: string[], flags: PushFlags) => {
      const { pushTests } = await import("./push.ts");
      const asksFirst = process.stdin.isTTY && !flags.yes && !flags.json;
      process.exitCode = await pushTests(
        await serviceFor(flags),
        paths,
        {
          dryRun: flags.dryRun ?? false,
          force: flags.force ?? false,
          ...(flags.project && { project: flags.project }),
          confirm: asksFirst ? confirmOnTerminal : null,
          signal: stopSignal(),
        },
        terminalFor(flags.json ?? false),
      );
    });
};

/** Asks for confirmation on the terminal. Any answer but yes is no. */
const confirmOnTerminal = async (question: string): Promise<boolean> => {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return /^y(es)?$/i.test((await terminal.question(`${question} [y/N] `)).trim());
  } finally {
    terminal.close();
  }
};

type PullFlags = FilterFlags & { readonly folder: string; readonly force?: boolean };

const addPull = (tests: Command): void => {
  withFilter(tests.command("pull"))
    .description("download tests into YAML files; keeps files with local changes")
    .argument("[ids...]", "ids of tests (default: all tests that match the options)")
    .option("--folder <folder>", "folder of the files", "tests")
    .option("--force", "also overwrite files with local changes")
    .action(async (ids: string[], flags: PullFlags) => {
      const { pullTests } = await import("./pull.ts");
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
