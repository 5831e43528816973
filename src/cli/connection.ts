import { CommandError, exitCodes } from "./exitCodes.ts";

/** The address of the service and the API key. */
export type Connection = {
  /** Scheme, host, port and optional path, without a trailing slash. */
  readonly server: string;
  readonly apiKey: string;
};

type Environment = Readonly<Record<string, string | undefined>>;

/** The default address of `npm start`. */
const DEFAULT_SERVER = "http://127.0.0.1:3000";

/** The service's address: `--server`, else RUNLEDGER_URL, else the default. Throws CommandError (usage) if it is not an http(s) URL. */
export const serverFrom = (flag: string | undefined, environment: Environment): string => {
  const text = flag ?? (environment.RUNLEDGER_URL || DEFAULT_SERVER);
  const name = flag === undefined ? "RUNLEDGER_URL" : "--server";
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    throw usage(`${name} is not a valid address. Use the form https://host.`);
  }
  const url = new URL(text);
  if (url.username !== "" || url.password !== "") {
    throw usage(
      `${name} must not contain a user name or password. Set the key in RUNLEDGER_API_KEY.`,
    );
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
};

/** The key in RUNLEDGER_API_KEY; null if it is not set. Throws CommandError (usage) if it is malformed. */
export const keyFrom = (environment: Environment): string | null => {
  const key = environment.RUNLEDGER_API_KEY?.trim();
  if (!key) return null;
  if (!/^ak_live_[\x21-\x7e]{1,200}$/.test(key)) {
    throw usage("RUNLEDGER_API_KEY is not an API key: keys begin with ak_live_.");
  }
  return key;
};

/**
 * The connection of a command. The key is read only from the environment: command-line arguments are visible in
 * process listings. Throws CommandError (usage).
 */
export const connectionFrom = (flag: string | undefined, environment: Environment): Connection => {
  const server = serverFrom(flag, environment);
  const apiKey = keyFrom(environment);
  if (apiKey === null) {
    throw usage(
      "RUNLEDGER_API_KEY is not set. Create a key in the web app (settings, API keys) or with POST /api/v1/api-keys, and set it in the environment.",
    );
  }
  return { server, apiKey };
};

/** Whether traffic to this address crosses a network unencrypted: plain http to a host that is not loopback. */
export const isUnencrypted = (server: string): boolean => {
  const { protocol, hostname } = new URL(server);
  return protocol === "http:" && !/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
};

const usage = (message: string): CommandError => new CommandError(message, exitCodes.usage);
