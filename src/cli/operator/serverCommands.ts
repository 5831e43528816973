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
    .description("start the service with the settings of the environment; Ctrl-C stops it")
    .action(async () => {
      const { runServer } = await import("./server.ts");
      process.exitCode = await runServer(process.env);
    });

  server
    .command("doctor")
    .description(
      "check every setting, part and version that a service with this environment would use.\n" +
        "Starts and changes nothing. Exit codes: 0 no problems, 1 problems found.",
    )
    .option("--json", "write one JSON object per line")
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
      "start only the event log, for any EventStoreDB client; prints the connection string",
    )
    .requiredOption("--data <folder>", "folder of the events")
    .option("--port <port>", "port to listen on; 0 chooses a free one", portNumber, 2113)
    .option("--host <address>", "address to listen on; there is no access control", "127.0.0.1")
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
      "start the service, run a plain-English test against a real site and show each step",
    )
    .option("--url <url>", "test this site instead", webAddress)
    .option("--test <file>", "run this test instead: one instruction per line")
    .option("--keep", "keep the service running after the test")
    .option("--json", "write one JSON object per line")
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
