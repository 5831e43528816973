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
    .option("--project <id>", "those of a project")
    .option("--tag <name>", "those with a tag")
    .option("--search <words>", "those in which the words are found");

const addList = (tests: Command): void => {
  withFilter(tests.command("list"))
    .description("the tests of the service")
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
    .description("a test of the service, step by step")
    .argument("<id>", "its id, as `tests list` shows it")
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
};

const addPush = (tests: Command): void => {
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
      const { pushTests } = await import("./push.ts");
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
};

/** Asks a person at the terminal; anything but yes is no. */
const askPerson = async (question: string): Promise<boolean> => {
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
    .description("write tests of the service into YAML files; local changes are not overwritten")
    .argument("[ids...]", "which tests; all, or those of the options, unless they are named")
    .option("--folder <folder>", "where the files are", "tests")
    .option("--force", "also replace files with changes that were never pushed")
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
