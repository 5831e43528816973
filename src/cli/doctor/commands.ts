import type { Command } from "commander";
import { browserOption, terminalFor } from "../options.ts";
import { onService, type ServiceFlags } from "../serviceFlags.ts";

/** Adds `runledger doctor`. */
export const addDoctorCommand = (program: Command): void => {
  onService(program.command("doctor"))
    .description(
      "what works here and what does not: this machine, its browser, the service, the key",
    )
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
