import type { Command } from "commander";
import { connectionFrom, isUnencrypted, serverFrom } from "./connection.ts";
import { webAddress } from "./options.ts";
import type { Service } from "./service.ts";

/** The options that every command on a service takes. */
export type ServiceFlags = { readonly server?: string; readonly json?: boolean };

/** Connects to the service of `--server` or RUNLEDGER_URL. Throws CommandError (usage). */
export const serviceFor = async ({ server }: ServiceFlags): Promise<Service> => {
  const connection = connectionFrom(server, process.env);
  if (isUnencrypted(connection.server)) {
    process.stderr.write(
      `Plain http: the key can be read in transit to ${connection.server}. Use https.\n`,
    );
  }
  const { connect } = await import("./service.ts");
  return connect(connection);
};

/** The URL of the web app: RUNLEDGER_WEB_URL, else the service. */
export const webFor = ({ server }: ServiceFlags): string =>
  process.env.RUNLEDGER_WEB_URL || serverFrom(server, process.env);

/** Adds the options of `ServiceFlags` to a command. */
export const onService = (command: Command): Command =>
  command
    .option(
      "--server <url>",
      "URL of the service (default: RUNLEDGER_URL, else http://127.0.0.1:3000)",
      webAddress,
    )
    .option("--json", "write one JSON object per line");

export const EXIT_CODES =
  "Exit codes: 0 success, 1 failed or refused, 2 invalid input, 3 no service or no verdict, 4 quota used up.";
