import type { Command } from "commander";
import { stopSignal, terminalFor } from "../options.ts";

/** Adds the commands that inspect the log and its read models: `projections …` and `find`. */
export const addLogCommands = (program: Command): void => {
  const projections = program
    .command("projections")
    .description(
      "inspect and maintain the read models, with or without a running service.\n" +
        "Exit codes: 0 success, 1 difference or refusal, 2 invalid input, 3 unavailable.",
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
    .description("list the read models with position and lag")
    .option("--json", "write one JSON object per line")
    .action(async (flags: LogFlags) => {
      const { showProjections } = await import("./projections.ts");
      process.exitCode = await showProjections(projectionCommand(flags));
    });

  projections
    .command("rebuild")
    .description("rebuild a read model from the log; queries use the old one meanwhile")
    .argument("<name>", "name of the projection")
    .option("--json", "write one JSON object per line")
    .action(async (name: string, flags: LogFlags) => {
      const { rebuildProjection } = await import("./projections.ts");
      process.exitCode = await rebuildProjection(projectionCommand(flags), name);
    });

  projections
    .command("verify")
    .description("compare read models with the log, row by row")
    .argument("[name]", "name of the projection (default: all)")
    .option("--json", "write one JSON object per line")
    .action(async (name: string | undefined, flags: LogFlags) => {
      const { verifyProjections } = await import("./projections.ts");
      process.exitCode = await verifyProjections(projectionCommand(flags), name);
    });
};

const addParkedEventCommands = (projections: Command): void => {
  projections
    .command("parked")
    .description("list the events that could not be handled, with the error")
    .option("--skipped", "include skipped events")
    .option("--json", "write one JSON object per line")
    .action(async (flags: LogFlags & { readonly skipped?: boolean }) => {
      const { showParked } = await import("./projections.ts");
      process.exitCode = await showParked(projectionCommand(flags), flags.skipped ?? false);
    });

  projections
    .command("retry")
    .description("fold a parked event again")
    .argument("<id>", "id of the event, see `projections parked`")
    .option("--json", "write one JSON object per line")
    .action(async (id: string, flags: LogFlags) => {
      const { retryParkedEvent } = await import("./projections.ts");
      process.exitCode = await retryParkedEvent(projectionCommand(flags), id);
    });

  projections
    .command("skip")
    .description("exclude a parked event permanently")
    .argument("<id>", "id of the event, see `projections parked`")
    .requiredOption("--reason <text>", "the reason, stored with the event")
    .option("--json", "write one JSON object per line")
    .action(async (id: string, flags: LogFlags & { readonly reason: string }) => {
      const { skipParkedEvent } = await import("./projections.ts");
      process.exitCode = await skipParkedEvent(projectionCommand(flags), id, flags.reason);
    });
};

const addFind = (program: Command): void => {
  program
    .command("find")
    .description(
      "find the streams of the event log that a text matches; each search is recorded.\n" +
        "Exit codes: 0 found, 1 not found, 2 invalid input, 3 unavailable.",
    )
    .argument(
      "<text>",
      "an e-mail address, an id, a request id, the prefix of a key, or a provider's event id",
    )
    .option("--json", "write one JSON object per line")
    .action(async (text: string, flags: LogFlags) => {
      const { findStreams } = await import("./find.ts");
      process.exitCode = await findStreams(process.env, text, terminalFor(flags.json ?? false));
    });
};
