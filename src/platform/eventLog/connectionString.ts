/** What the client knows of what stands behind `?`, as it compares names: without case, `-` and `_`. */
const KNOWN = [
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

const flat = (name: string): string => name.trim().toLowerCase().replace(/[_-]/g, "");

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
 * What is wrong with a connection string of an event log, as what it should be; null when nothing is. The client would
 * take what it does not know for nothing, and print the whole string, its password too.
 */
export const eventLogUrlProblem = (url: string): string | null => {
  if (!ADDRESS.test(url)) return "a connection string such as esdb://127.0.0.1:2113?tls=false";
  const options = optionsOf(url);
  for (const [name, value] of options) {
    const known = KNOWN.find((each) => flat(each) === flat(name));
    if (!known) return `a connection string without ${name}: there is ${KNOWN.join(", ")}`;
    if (value === "") return `a connection string with a value for ${known}`;
    if (/^(tls|tlsVerifyCert|throwOnAppendFailure)$/.test(known) && !/^(true|false)$/.test(value)) {
      return `a connection string whose ${known} is true or false`;
    }
  }
  const has = (name: string, value?: string): boolean =>
    options.some(([each, said]) => flat(each) === flat(name) && said === (value ?? said));
  if (has("tlsVerifyCert", "false") && !has("tls", "false")) {
    return "a connection string without tlsVerifyCert=false: name the authority that is trusted with tlsCAFile=/path/ca.crt";
  }
  return has("userCertFile") === has("userKeyFile")
    ? null
    : "a connection string with both userCertFile and userKeyFile, or with neither";
};

/** The connection string as the client knows it: of its scheme, and without what it only warns of. */
export const forClient = (url: string): string => {
  const kept = optionsOf(url).filter(([name]) => flat(name) !== "tlsverifycert");
  const [address = ""] = url.trim().split("?");
  const query = kept.map(([name, value]) => `${name}=${value}`).join("&");
  return `${address.replace(/^kurrentdb/, "esdb")}${query === "" ? "" : `?${query}`}`;
};
