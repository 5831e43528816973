import type { Command } from "commander";
import { stopSignal, terminalFor } from "../options.ts";

/** Adds the commands that inspect the log and its read models: `projections …` and `find`. */
export const addLogCommands = (program: Command): void => {
  const projections = program
    .command("projections")
    .description(
      "look after the read models, beside a running service or without one.\n" +
        "Exit code: 0 done, 1 differs or refused, 2 not understood, 3 nothing to reach.",
    );
  addReadModelCommands(projections);
  addParkedEventCommands(projections);
  addFind(program);
};

type LogFlags = { readonly json?: boolean };

const projectionCommand = (flags: LogFlags) => ({
  environment: process.env,
  terminal: terminalFor(flags.json ?? false),
  signal: stopSignal(),
});

const addReadModelCommands = (projections: Command): void => {
  projections
    .command("status", { isDefault: true })
    .description("each read model with its position and lag")
    .option("--json", "one JSON object a line")
    .action(async (flags: LogFlags) => {
      const { showProjections } = await import("./projections.ts");
      process.exitCode = await showProjections(projectionCommand(flags));
    });

  projections
    .command("rebuild")
    .description("build a read model anew from the log, while the one there is goes on")
    .argument("<name>", "the projection")
    .option("--json", "one JSON object a line")
    .action(async (name: string, flags: LogFlags) => {
      const { rebuildProjection } = await import("./projections.ts");
      process.exitCode = await rebuildProjection(projectionCommand(flags), name);
    });

  projections
    .command("verify")
    .description("compare read models with the log, row by row, while the service goes on")
    .argument("[name]", "the projection; all of them by default")
    .option("--json", "one JSON object a line")
    .action(async (name: string | undefined, flags: LogFlags) => {
      const { verifyProjections } = await import("./projections.ts");
      process.exitCode = await verifyProjections(projectionCommand(flags), name);
    });
};

const addParkedEventCommands = (projections: Command): void => {
  projections
    .command("parked")
    .description("the events that could not be handled, with the reason")
    .option("--skipped", "also those that were skipped")
    .option("--json", "one JSON object a line")
    .action(async (flags: LogFlags & { readonly skipped?: boolean }) => {
      const { showParked } = await import("./projections.ts");
      process.exitCode = await showParked(projectionCommand(flags), flags.skipped ?? false);
    });

  projections
    .command("retry")
    .description("fold a parked event again")
    .argument("<id>", "its id, as `parked` shows it")
    .option("--json", "one JSON object a line")
    .action(async (id: string, flags: LogFlags) => {
      const { retryParkedEvent } = await import("./projections.ts");
      process.exitCode = await retryParkedEvent(projectionCommand(flags), id);
    });

  projections
    .command("skip")
    .description("leave a parked event out for good")
    .argument("<id>", "its id, as `parked` shows it")
    .requiredOption("--reason <text>", "why: kept with it")
    .option("--json", "one JSON object a line")
    .action(async (id: string, flags: LogFlags & { readonly reason: string }) => {
      const { skipParkedEvent } = await import("./projections.ts");
      process.exitCode = await skipParkedEvent(projectionCommand(flags), id, flags.reason);
    });
};

const addFind = (program: Command): void => {
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
    .action(async (text: string, flags: LogFlags) => {
      const { findStreams } = await import("./find.ts");
      process.exitCode = await findStreams(process.env, text, terminalFor(flags.json ?? false));
    });
};
