/** The options that the client supports. It ignores case, `-` and `_` in their names. */
const OPTIONS = [
  "tls",
  "tlsCAFile",
  "tlsVerifyCert",
  "userCertFile",
  "userKeyFile",
  "connectionName",
  "defaultDeadline",
  "discoveryInterval",
  "gossipTimeout",
  "keepAliveInterval",
  "keepAliveTimeout",
  "maxDiscoverAttempts",
  "nodePreference",
  "throwOnAppendFailure",
] as const;

const normalize = (name: string): string => name.trim().toLowerCase().replace(/[_-]/g, "");

const optionsOf = (url: string): readonly (readonly [name: string, value: string])[] => {
  const at = url.indexOf("?");
  if (at < 0) return [];
  return url
    .slice(at + 1)
    .split(/[?&]/)
    .filter((each) => each !== "")
    .map((each) => {
      const [name = "", ...value] = each.split("=");
      return [name.trim(), value.join("=").trim()] as const;
    });
};

const ADDRESS = /^(esdb|kurrentdb)(\+discover)?:\/\/[^\s/]+/;

/**
 * The expected value if a connection string is invalid; null if it is valid. The client would ignore unknown options
 * and print the whole string with its password.
 */
export const eventLogUrlProblem = (url: string): string | null => {
  if (!ADDRESS.test(url)) return "a connection string such as esdb://127.0.0.1:2113?tls=false";
  const options = optionsOf(url);
  for (const [name, value] of options) {
    const known = OPTIONS.find((each) => normalize(each) === normalize(name));
    if (!known) return `a connection string without ${name}: there is ${OPTIONS.join(", ")}`;
    if (value === "") return `a connection string with a value for ${known}`;
    if (/^(tls|tlsVerifyCert|throwOnAppendFailure)$/.test(known) && !/^(true|false)$/.test(value)) {
      return `a connection string whose ${known} is true or false`;
    }
  }
  const has = (name: string, value?: string): boolean =>
    options.some(([each, said]) => normalize(each) === normalize(name) && said === (value ?? said));
  if (has("tlsVerifyCert", "false") && !has("tls", "false")) {
    return "a connection string without tlsVerifyCert=false: set the trusted certificate authority with tlsCAFile=/path/ca.crt";
  }
  return has("userCertFile") === has("userKeyFile")
    ? null
    : "a connection string with both userCertFile and userKeyFile, or with neither";
};

/** Converts a connection string for the client: the scheme `esdb`, without options that cause warnings only. */
export const forClient = (url: string): string => {
  const kept = optionsOf(url).filter(([name]) => normalize(name) !== "tlsverifycert");
  const [address = ""] = url.trim().split("?");
  const query = kept.map(([name, value]) => `${name}=${value}`).join("&");
  return `${address.replace(/^kurrentdb/, "esdb")}${query === "" ? "" : `?${query}`}`;
};
