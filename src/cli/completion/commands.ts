import { Argument, type Command } from "commander";
import { type Shell, shells } from "./script.ts";

/** Adds `runledger completion`. */
export const addCompletionCommand = (program: Command): void => {
  program
    .command("completion")
    .description("print a completion script for a shell: source <(runledger completion bash)")
    .addArgument(new Argument("<shell>").choices(shells))
    .action(async (shell: Shell) => {
      const { completionScript } = await import("./script.ts");
      process.stdout.write(completionScript(shell, program));
    });
};
