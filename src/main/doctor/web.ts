import { createServer } from "node:net";
import type { Config } from "../../platform/config.ts";
import { bad, type Finding, messageOf, note, ok } from "./finding.ts";

const ANSWER_MS = 3_000;
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/;

/** Checks that the ports are free or used by this service. */
export const checkPorts = async (
  config: Config,
  owner: number | null,
): Promise<readonly Finding[]> => {
  const { metricsHost: host, metricsPort: port } = config;
  const api = await checkPort(config, owner);
  if (port === null || port === 0) return [api];
  const trouble = await listenOnce(host, port);
  const [name, where] = ["metrics", `${port} of ${host}`];
  if (trouble === null) return [api, ok(name, `${where} is free`)];
  return [
    api,
    trouble === "EADDRINUSE" && (await answersOk(`http://${loopbackOf(host)}:${port}/health/live`))
      ? ok(name, `${where} is used by a running service`)
      : bad(name, `${where} cannot be listened on (${trouble})`, "Choose another METRICS_PORT."),
  ];
};

const checkPort = async (config: Config, owner: number | null): Promise<Finding> => {
  const { host, port, roles } = config;
  const name = "port";
  if (!roles.includes("api")) return ok(name, "none: this process does not have the role api");
  if (port === 0) return ok(name, `any free port of ${host}`);
  const trouble = await listenOnce(host, port);
  if (trouble === null) return ok(name, `${port} of ${host} is free`);
  if (trouble === "EADDRINUSE") {
    const isOurs = await answersLive(`http://${loopbackOf(host)}:${port}`);
    if (isOurs) {
      const by = owner === null ? "a service" : `the service of this data folder, process ${owner}`;
      return ok(name, `${port} of ${host} is used by ${by}`);
    }
    return bad(
      name,
      `${port} of ${host} is used by another program`,
      "Stop that program, or set PORT.",
    );
  }
  return trouble === "EACCES"
    ? bad(
        name,
        `this account may not use ${port} of ${host}`,
        "Ports below 1024 need privileges. Set a higher PORT, and put a proxy in front.",
      )
    : bad(
        name,
        `${host}:${port} cannot be listened on (${trouble})`,
        "Set HOST to an address of this machine.",
      );
};

const hostInUrl = (host: string): string => (host.includes(":") ? `[${host}]` : host);

/** Tries to listen. Returns the error code of a failure, else null. */
const listenOnce = (host: string, port: number): Promise<string | null> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(null)));
  });

const answersOk = async (url: string): Promise<boolean> =>
  (await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS) }).catch(() => null))?.ok ?? false;

/** A loopback address that reaches a listener on `host`. */
const loopbackOf = (host: string): string => (LOOPBACK.test(host) ? hostInUrl(host) : "127.0.0.1");

const answersLive = async (base: string): Promise<boolean> => {
  const reply = await fetch(`${base}/api/v1/health/live`, {
    signal: AbortSignal.timeout(ANSWER_MS),
    redirect: "manual",
  }).catch(() => null);
  const body: unknown = await reply?.json().catch(() => null);
  return typeof body === "object" && body !== null && "status" in body && body.status === "live";
};

/** Checks the public address, the session cookie and the proxy settings. */
export const checkAddress = async (config: Config): Promise<readonly Finding[]> => {
  if (!config.roles.includes("api")) return [];
  const name = "address";
  const { publicUrl, host } = config;
  if (publicUrl === null) {
    return LOOPBACK.test(host)
      ? [ok(name, `this machine only (HOST ${host})`)]
      : [
          bad(
            name,
            `PUBLIC_URL is not set, and HOST is ${host}`,
            "Set PUBLIC_URL to the https address of the service. Mail links and tokens use it, and the cookie becomes Secure.",
          ),
        ];
  }
  return [
    await publicAddress(publicUrl),
    ...cookie(config, publicUrl),
    ...proxy(config, publicUrl),
  ];
};

const publicAddress = async (publicUrl: string): Promise<Finding> => {
  const name = "address";
  const isLoopback = LOOPBACK.test(new URL(publicUrl).hostname);
  if (!publicUrl.startsWith("https://") && !isLoopback) {
    return bad(
      name,
      `PUBLIC_URL is ${publicUrl}`,
      "Passwords and tokens can be read in transit. Put a proxy with TLS in front, and set PUBLIC_URL to its https address.",
    );
  }
  return (await answersLive(publicUrl))
    ? ok(name, `${publicUrl} answers`)
    : note(
        name,
        `no service answers at ${publicUrl} from this machine`,
        "Expected before the first start. Otherwise check name, proxy and certificate.",
      );
};

/** Checks that browsers send the session cookie from the web app. */
const cookie = (config: Config, publicUrl: string): readonly Finding[] => {
  const { cookieSameSite, webBaseUrl } = config;
  const secure = publicUrl.startsWith("https://") ? "Secure" : "not Secure";
  const found = `${secure}, SameSite=${cookieSameSite}`;
  if (webBaseUrl === null) return [ok("cookie", found)];
  const [web, api] = [new URL(webBaseUrl), new URL(publicUrl)];
  const isCrossSite =
    siteOf(web.hostname) !== siteOf(api.hostname) || web.protocol !== api.protocol;
  if (isCrossSite && cookieSameSite !== "none") {
    return [
      bad(
        "cookie",
        `${found}, and the web app is at ${web.origin}`,
        "Pages of another site do not send the cookie. Set COOKIE_SAMESITE=none, or use one domain for both.",
      ),
    ];
  }
  if (web.origin !== api.origin && !config.corsOrigins.includes(web.origin)) {
    const advice = `The web app may not call the API. Add ${web.origin} to CORS_ORIGINS.`;
    return [bad("cookie", `${found}, and the web app is at ${web.origin}`, advice)];
  }
  return [ok("cookie", found)];
};

/** The last two labels of a host name: an approximation of the registrable domain. */
const siteOf = (host: string): string =>
  /^[\d.]+$|:/.test(host) ? host : host.split(".").slice(-2).join(".");

const proxy = (config: Config, publicUrl: string): readonly Finding[] =>
  config.trustProxy === false && publicUrl.startsWith("https://")
    ? [
        note(
          "proxy",
          "TRUST_PROXY is false, and the service does not terminate TLS",
          "Behind a proxy all callers share one network address. Set TRUST_PROXY to the number of proxies, or to their addresses.",
        ),
      ]
    : [];

/** A finding for each invalid setting. */
export const settingFindings = (problems: readonly string[]): readonly Finding[] =>
  problems.map((problem) =>
    bad("settings", problem, "docs/operating.md lists every setting with its values."),
  );

/** Checks that there is an administrator. */
export const checkAdministrators = ({ adminEmails, roles }: Config): readonly Finding[] =>
  roles.includes("api") && adminEmails.length === 0
    ? [note("administrators", "none", "Set ADMIN_EMAILS to the addresses of the administrators.")]
    : [];

/** The finding for a check that failed unexpectedly. */
export const failedCheck = (name: string, error: unknown): Finding =>
  bad(name, `the check failed: ${messageOf(error)}`, "Check it manually.");
