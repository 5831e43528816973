import { readFileSync } from "node:fs";
import { Command } from "commander";
import { addAuditCommands } from "./audit/commands.ts";
import { addClientCommands } from "./clientCommands.ts";
import { CommandError, exitCodes } from "./exitCodes.ts";
import { endSoon } from "./linger.ts";
import { addBackupCommands } from "./operator/backupCommands.ts";
import {
  browserOption,
  collectVariable,
  portNumber,
  stopSignal,
  terminalFor,
  webAddress,
} from "./options.ts";

type RunFlags = {
  readonly baseUrl?: string;
  readonly var: Record<string, string>;
  readonly screenshots?: string;
  readonly json?: boolean;
  readonly browser?: string;
  readonly installBrowser?: boolean;
  readonly headed?: boolean;
};

type DemoFlags = {
  readonly url?: string;
  readonly test?: string;
  readonly keep?: boolean;
  readonly json?: boolean;
};

type EventStoreFlags = { readonly data: string; readonly port: number; readonly host: string };

const releaseOf = (manifest: URL): string =>
  (JSON.parse(readFileSync(manifest, "utf8")) as { version: string }).version;

const program = new Command("runledger")
  .description("Browser tests in plain English, run in real browsers.")
  .version(releaseOf(new URL("../../package.json", import.meta.url)))
  .showHelpAfterError()
  .exitOverride();

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
    const { runFile } = await import("./runs/run.ts");
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

addClientCommands(program);
addAuditCommands(program);
addBackupCommands(program);

const server = program
  .command("server")
  .description("start the service with the settings of the environment; Ctrl-C stops it cleanly")
  .action(async () => {
    const { runServer } = await import("./operator/server.ts");
    process.exitCode = await runServer(process.env);
  });

server
  .command("doctor")
  .description(
    "look at every part, version and setting that a service with this environment would use, and say what to do.\n" +
      "Starts and changes nothing. Exit code: 0 nothing is wrong, 1 something is.",
  )
  .option("--json", "one JSON object a line")
  .action(async (flags: { readonly json?: boolean }) => {
    const { runServerDoctor } = await import("./operator/serverDoctor.ts");
    process.exitCode = await runServerDoctor(process.env, terminalFor(flags.json ?? false));
    endSoon();
  });

program
  .command("eventstore")
  .description(
    "start the event log alone, for any EventStoreDB client: prints the connection string; Ctrl-C stops it cleanly",
  )
  .requiredOption("--data <folder>", "where the events are kept")
  .option("--port <port>", "the port to listen on; 0: any that is free", portNumber, 2113)
  .option("--host <address>", "the address to listen on; there is no access control", "127.0.0.1")
  .action(async (flags: EventStoreFlags) => {
    const { runEventStore } = await import("./operator/eventstore.ts");
    process.exitCode = await runEventStore(
      { dataDir: flags.data, port: flags.port, host: flags.host, signal: stopSignal() },
      process.stdout,
    );
  });

program
  .command("demo")
  .description(
    "start the service, test a real site with it in plain English, and show what happens",
  )
  .option("--url <url>", "a site of your own to test", webAddress)
  .option("--test <file>", "sentences of your own: one instruction a line")
  .option("--keep", "leave the service up when the run is over")
  .option("--json", "one JSON object a line")
  .action(async (flags: DemoFlags) => {
    const { runDemo } = await import("./operator/demo/index.ts");
    process.exitCode = await runDemo(
      {
        environment: process.env,
        keep: flags.keep ?? false,
        signal: stopSignal(),
        ...(flags.url && { url: flags.url }),
        ...(flags.test && { testFile: flags.test }),
      },
      terminalFor(flags.json ?? false),
    );
  });

type ProjectionFlags = { readonly json?: boolean };

const projections = program
  .command("projections")
  .description(
    "look after the read models, beside a running service or without one.\n" +
      "Exit code: 0 done, 1 differs or refused, 2 not understood, 3 nothing to reach.",
  );

const projectionCommand = (flags: ProjectionFlags) => ({
  environment: process.env,
  terminal: terminalFor(flags.json ?? false),
  signal: stopSignal(),
});

projections
  .command("status", { isDefault: true })
  .description("each read model with its position and lag")
  .option("--json", "one JSON object a line")
  .action(async (flags: ProjectionFlags) => {
    const { showProjections } = await import("./operator/projections.ts");
    process.exitCode = await showProjections(projectionCommand(flags));
  });

projections
  .command("rebuild")
  .description("build a read model anew from the log, while the one there is goes on")
  .argument("<name>", "the projection")
  .option("--json", "one JSON object a line")
  .action(async (name: string, flags: ProjectionFlags) => {
    const { rebuildProjection } = await import("./operator/projections.ts");
    process.exitCode = await rebuildProjection(projectionCommand(flags), name);
  });

projections
  .command("verify")
  .description("compare read models with the log, row by row, while the service goes on")
  .argument("[name]", "the projection; all of them by default")
  .option("--json", "one JSON object a line")
  .action(async (name: string | undefined, flags: ProjectionFlags) => {
    const { verifyProjections } = await import("./operator/projections.ts");
    process.exitCode = await verifyProjections(projectionCommand(flags), name);
  });

projections
  .command("parked")
  .description("the events that could not be handled, with the reason")
  .option("--skipped", "also those that were skipped")
  .option("--json", "one JSON object a line")
  .action(async (flags: ProjectionFlags & { readonly skipped?: boolean }) => {
    const { showParked } = await import("./operator/projections.ts");
    process.exitCode = await showParked(projectionCommand(flags), flags.skipped ?? false);
  });

projections
  .command("retry")
  .description("fold a parked event again")
  .argument("<id>", "its id, as `parked` shows it")
  .option("--json", "one JSON object a line")
  .action(async (id: string, flags: ProjectionFlags) => {
    const { retryParkedEvent } = await import("./operator/projections.ts");
    process.exitCode = await retryParkedEvent(projectionCommand(flags), id);
  });

projections
  .command("skip")
  .description("leave a parked event out for good")
  .argument("<id>", "its id, as `parked` shows it")
  .requiredOption("--reason <text>", "why: kept with it")
  .option("--json", "one JSON object a line")
  .action(async (id: string, flags: ProjectionFlags & { readonly reason: string }) => {
    const { skipParkedEvent } = await import("./operator/projections.ts");
    process.exitCode = await skipParkedEvent(projectionCommand(flags), id, flags.reason);
  });

program
  .command("find")
  .description(
    "the streams of the event log that something touches, beside a running service; each look is recorded.\n" +
      "Exit code: 0 found, 1 nothing, 2 not understood, 3 nothing to reach.",
  )
  .argument(
    "<text>",
    "an e-mail address, any id, a request's id, the beginning of a key, a provider's event",
  )
  .option("--json", "one JSON object a line")
  .action(async (text: string, flags: ProjectionFlags) => {
    const { findStreams } = await import("./operator/find.ts");
    process.exitCode = await findStreams(process.env, text, terminalFor(flags.json ?? false));
  });

// Whoever reads our output may stop reading (`| head`): that is no error.
process.stdout.on("error", () => process.exit(exitCodes.unavailable));

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = describeFailure(error);
  endSoon();
}

/** Says what went wrong, in one message without a stack where it is a person's to mend. Answers the exit code. */
function describeFailure(error: unknown): number {
  if (error instanceof CommandError) {
    process.stderr.write(`${error.message}\n`);
    return error.exitCode;
  }
  // Commander has already said it; help and version are no failure.
  if (error instanceof Error && "exitCode" in error && "code" in error) {
    return error.exitCode === 0 ? exitCodes.passed : exitCodes.usage;
  }
  process.stderr.write(
    `${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  );
  return exitCodes.unavailable;
}
