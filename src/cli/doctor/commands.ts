import type { Command } from "commander";
import { browserOption, terminalFor } from "../options.ts";
import { onService, type ServiceFlags } from "../serviceFlags.ts";

/** Adds `runledger doctor`. */
export const addDoctorCommand = (program: Command): void => {
  onService(program.command("doctor"))
    .description("check this machine, its browsers, the service and the API key")
    .addOption(browserOption())
    .action(async (flags: ServiceFlags & { readonly browser?: string }) => {
      const { runDoctor } = await import("./checks.ts");
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
