import type { Command } from "commander";
import { connectionFrom, isUnencrypted, serverFrom } from "./connection.ts";
import { webAddress } from "./options.ts";
import type { Service } from "./service.ts";

/** The options that every command on a service takes. */
export type ServiceFlags = { readonly server?: string; readonly json?: boolean };

/** The service that a command's flags and the environment name. Throws CommandError (usage). */
export const serviceFor = async ({ server }: ServiceFlags): Promise<Service> => {
  const connection = connectionFrom(server, process.env);
  if (isUnencrypted(connection.server)) {
    process.stderr.write(
      `Plain http: whoever is on the way to ${connection.server} can read the key. Use https.\n`,
    );
  }
  const { connect } = await import("./service.ts");
  return connect(connection);
};

/** Where the web app is: beside the service, unless the environment says otherwise. */
export const webFor = ({ server }: ServiceFlags): string =>
  process.env.RUNLEDGER_WEB_URL || serverFrom(server, process.env);

/** Adds the options of `ServiceFlags` to a command. */
export const onService = (command: Command): Command =>
  command
    .option("--server <url>", "the service; RUNLEDGER_URL, or http://127.0.0.1:3000", webAddress)
    .option("--json", "one JSON object a line");

export const EXIT_CODES =
  "Exit code: 0 done, 1 failed or refused, 2 not understood, 3 no service or no verdict, 4 quota used up.";
