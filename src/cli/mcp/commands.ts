import type { Command } from "commander";
import { stopSignal, webAddress } from "../options.ts";
import { type ServiceFlags, serviceFor } from "../serviceFlags.ts";

/** Adds `runledger mcp`. */
export const addToolServerCommand = (program: Command): void => {
  program
    .command("mcp")
    .description(
      "serve tools for language models (Model Context Protocol over standard input and output):\n" +
        "list, show, create and run tests and read results, with the rights of RUNLEDGER_API_KEY",
    )
    .option(
      "--server <url>",
      "URL of the service (default: RUNLEDGER_URL, else http://127.0.0.1:3000)",
      webAddress,
    )
    .action(async (flags: ServiceFlags) => {
      const { serveTools } = await import("./server.ts");
      await serveTools(await serviceFor(flags), program.version() ?? "", stopSignal());
    });
};
