import type { Command } from "commander";
import { forceExitAfterTimeout } from "../exitTimeout.ts";
import { portNumber, stopSignal, terminalFor, webAddress } from "../options.ts";

/** Adds the commands that start the service or its event log: `server`, `server doctor`, `eventstore` and `demo`. */
export const addServerCommands = (program: Command): void => {
  addServer(program);
  addEventStore(program);
  addDemo(program);
};

const addServer = (program: Command): void => {
  const server = program
    .command("server")
    .description("start the service with the settings of the environment; Ctrl-C stops it cleanly")
    .action(async () => {
      const { runServer } = await import("./server.ts");
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
      const { runServerDoctor } = await import("./serverDoctor.ts");
      process.exitCode = await runServerDoctor(process.env, terminalFor(flags.json ?? false));
      forceExitAfterTimeout();
    });
};

type EventStoreFlags = { readonly data: string; readonly port: number; readonly host: string };

const addEventStore = (program: Command): void => {
  program
    .command("eventstore")
    .description(
      "start the event log alone, for any EventStoreDB client: prints the connection string; Ctrl-C stops it cleanly",
    )
    .requiredOption("--data <folder>", "where the events are kept")
    .option("--port <port>", "the port to listen on; 0: any that is free", portNumber, 2113)
    .option("--host <address>", "the address to listen on; there is no access control", "127.0.0.1")
    .action(async (flags: EventStoreFlags) => {
      const { runEventStore } = await import("./eventstore.ts");
      process.exitCode = await runEventStore(
        { dataDir: flags.data, port: flags.port, host: flags.host, signal: stopSignal() },
        process.stdout,
      );
    });
};

type DemoFlags = {
  readonly url?: string;
  readonly test?: string;
  readonly keep?: boolean;
  readonly json?: boolean;
};

const addDemo = (program: Command): void => {
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
      const { runDemo } = await import("./demo/index.ts");
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
};
