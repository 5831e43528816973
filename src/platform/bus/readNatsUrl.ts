/** The file options in the query of NATS_URL. */
const FILES = ["tlsCAFile", "userCertFile", "userKeyFile", "credsFile"] as const;

export type NatsAddress = {
  /** `host:port`, without credentials. */
  readonly servers: readonly string[];
  readonly hosts: readonly string[];
  readonly user: string | null;
  readonly password: string | null;
  readonly token: string | null;
  /** Whether TLS is required by the client. A server that requires it gets it in any case. */
  readonly tls: boolean;
  readonly files: Readonly<Partial<Record<(typeof FILES)[number], string>>>;
};

const EXPECTED = "one or more addresses such as nats://127.0.0.1:4222 with commas between";

/**
 * Parses NATS_URL: `nats://` or `tls://` addresses separated by commas, with `user:password@` or `token@` in one of
 * them, and the options `tls=true`, `tlsCAFile`, `userCertFile` with `userKeyFile`, and `credsFile` in the query. Options
 * apply to all addresses. `problem` is the expected value of the setting, without its content.
 */
export const readNatsUrl = (text: string): NatsAddress | { readonly problem: string } => {
  const urls: URL[] = [];
  for (const one of text.split(",").map((each) => each.trim())) {
    if (one === "") continue;
    if (!/^(nats|tls):\/\//.test(one) || !URL.canParse(one)) return { problem: EXPECTED };
    urls.push(new URL(one));
  }
  if (urls.length === 0) return { problem: EXPECTED };
  const options = urls.flatMap(({ searchParams }) => [...searchParams]);
  const problem = problemOf(options);
  if (problem !== null) return { problem };
  const said = urls.find(({ username }) => username !== "");
  const user = decode(said?.username ?? "");
  const password = decode(said?.password ?? "");
  const files = Object.fromEntries(options.filter(([name]) => name !== "tls"));
  const isSecure = urls.some(({ protocol }) => protocol === "tls:");
  const isAsked = options.some(([name, value]) => name === "tls" && value === "true");
  return {
    servers: urls.map(({ host, port }) => (port === "" ? `${host}:4222` : host)),
    hosts: urls.map(({ hostname }) => hostname.replace(/^\[|\]$/g, "")),
    user: password === "" || user === "" ? null : user,
    password: password === "" ? null : password,
    token: user !== "" && password === "" ? user : null,
    tls: isSecure || isAsked || Object.keys(files).some((name) => name !== "credsFile"),
    files,
  };
};

const problemOf = (options: readonly (readonly [string, string])[]): string | null => {
  const names = options.map(([name]) => name);
  for (const [name, value] of options) {
    if (name === "tls" && !/^(true|false)$/.test(value))
      return "an address whose tls is true or false";
    if (name !== "tls" && !(FILES as readonly string[]).includes(name)) {
      return `an address without ${name}: there is tls, ${FILES.join(", ")}`;
    }
    if (value === "") return `an address with a value for ${name}`;
  }
  return names.includes("userCertFile") === names.includes("userKeyFile")
    ? null
    : "an address with both userCertFile and userKeyFile, or with neither";
};

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};
