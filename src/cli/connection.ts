import { CommandError, exitCodes } from "./exitCodes.ts";

/** Where the service is and who asks. */
export type Connection = {
  /** Scheme, host, port and perhaps a path, without a slash at its end. */
  readonly server: string;
  /** An API key; it is told to the service alone. */
  readonly apiKey: string;
};

type Environment = Readonly<Record<string, string | undefined>>;

/** Where `npm start` listens. */
const DEFAULT_SERVER = "http://127.0.0.1:3000";

/** The service's address: the flag, else RUNLEDGER_URL, else that of `npm start`. Throws CommandError (usage). */
export const serverFrom = (flag: string | undefined, environment: Environment): string => {
  const text = flag ?? (environment.RUNLEDGER_URL || DEFAULT_SERVER);
  const name = flag === undefined ? "RUNLEDGER_URL" : "--server";
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    throw usage(`${name} is no address: write it as https://host.`);
  }
  const url = new URL(text);
  if (url.username !== "" || url.password !== "") {
    throw usage(`${name} must hold no user name or password: the key goes into RUNLEDGER_API_KEY.`);
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
};

/** The key of the environment; null when there is none. Throws CommandError (usage) for what is no key. */
export const keyFrom = (environment: Environment): string | null => {
  const key = environment.RUNLEDGER_API_KEY?.trim();
  if (!key) return null;
  if (!/^ak_live_[\x21-\x7e]{1,200}$/.test(key)) {
    throw usage("RUNLEDGER_API_KEY is no API key: keys begin with ak_live_.");
  }
  return key;
};

/**
 * The connection that a command is to use. The key comes from the environment alone: an argument would be
 * seen by everybody who lists processes. Throws CommandError (usage).
 */
export const connectionFrom = (flag: string | undefined, environment: Environment): Connection => {
  const server = serverFrom(flag, environment);
  const apiKey = keyFrom(environment);
  if (apiKey === null) {
    throw usage(
      "RUNLEDGER_API_KEY is not set. Make a key in the web app (settings, API keys) or with POST /api/v1/api-keys, and put it into the environment.",
    );
  }
  return { server, apiKey };
};

/** Whether what goes to this address can be read on its way: plain http to anything but this machine. */
export const isUnencrypted = (server: string): boolean => {
  const { protocol, hostname } = new URL(server);
  return protocol === "http:" && !/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
};

const usage = (message: string): CommandError => new CommandError(message, exitCodes.usage);
