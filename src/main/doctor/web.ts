import { createServer } from "node:net";
import type { Config } from "../../platform/config.ts";
import { bad, type Finding, messageOf, note, ok } from "./finding.ts";

const ANSWER_MS = 3_000;
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/;

/** The ports to listen on: free, or taken by whom. */
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
    trouble === "EADDRINUSE" && (await answersOk(`http://${nearHost(host)}:${port}/health/live`))
      ? ok(name, `${where} is used by a service`)
      : bad(name, `${where} cannot be listened on (${trouble})`, "Set METRICS_PORT to another."),
  ];
};

const checkPort = async (config: Config, owner: number | null): Promise<Finding> => {
  const { host, port, roles } = config;
  const name = "port";
  if (!roles.includes("api")) return ok(name, "none: this process has no role api");
  if (port === 0) return ok(name, `any that is free, on ${host}`);
  const trouble = await listenOnce(host, port);
  if (trouble === null) return ok(name, `${port} of ${host} is free`);
  if (trouble === "EADDRINUSE") {
    const isOurs = await answersLive(`http://${nearHost(host)}:${port}`);
    if (isOurs) {
      const by = owner === null ? "a service" : `the service of this data folder, process ${owner}`;
      return ok(name, `${port} of ${host} is used by ${by}`);
    }
    return bad(
      name,
      `${port} of ${host} is taken by something else`,
      "Stop what listens there, or set PORT.",
    );
  }
  return trouble === "EACCES"
    ? bad(
        name,
        `${port} of ${host} is not for this account`,
        "Ports below 1024 are root's: set PORT to a higher one, and put a proxy in front.",
      )
    : bad(
        name,
        `${host}:${port} cannot be listened on (${trouble})`,
        "Set HOST to an address of this machine.",
      );
};

const hostInUrl = (host: string): string => (host.includes(":") ? `[${host}]` : host);

/** Listens for a moment; answers the code of why that did not work. */
const listenOnce = (host: string, port: number): Promise<string | null> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(null)));
  });

const answersOk = async (url: string): Promise<boolean> =>
  (await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS) }).catch(() => null))?.ok ?? false;

/** An address of this machine at which what listens on a host answers. */
const nearHost = (host: string): string => (LOOPBACK.test(host) ? hostInUrl(host) : "127.0.0.1");

const answersLive = async (base: string): Promise<boolean> => {
  const reply = await fetch(`${base}/api/v1/health/live`, {
    signal: AbortSignal.timeout(ANSWER_MS),
    redirect: "manual",
  }).catch(() => null);
  const body: unknown = await reply?.json().catch(() => null);
  return typeof body === "object" && body !== null && "status" in body && body.status === "live";
};

/** The address under which people reach the service, and what their browsers make of its cookie. */
export const checkAddress = async (config: Config): Promise<readonly Finding[]> => {
  if (!config.roles.includes("api")) return [];
  const name = "address";
  const { publicUrl, host } = config;
  if (publicUrl === null) {
    return LOOPBACK.test(host)
      ? [ok(name, `this machine alone (HOST ${host})`)]
      : [
          bad(
            name,
            `PUBLIC_URL is not set, and HOST is ${host}`,
            "Set PUBLIC_URL to the https address that people use: links in mails and tokens name it, and the cookie is Secure.",
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
  const isNear = LOOPBACK.test(new URL(publicUrl).hostname);
  if (!publicUrl.startsWith("https://") && !isNear) {
    return bad(
      name,
      `PUBLIC_URL is ${publicUrl}`,
      "Passwords and tokens can be read on the way: put a proxy with TLS in front, and set PUBLIC_URL to its https address.",
    );
  }
  return (await answersLive(publicUrl))
    ? ok(name, `${publicUrl} answers`)
    : note(
        name,
        `${publicUrl} is not answered by a service from here`,
        "That is so before the first start. Otherwise look at name, proxy and certificate.",
      );
};

/** The session's cookie goes to the service from pages of its own site, or of others with COOKIE_SAMESITE=none. */
const cookie = (config: Config, publicUrl: string): readonly Finding[] => {
  const { cookieSameSite, webBaseUrl } = config;
  const secure = publicUrl.startsWith("https://") ? "Secure" : "not Secure";
  const found = `${secure}, SameSite=${cookieSameSite}`;
  if (webBaseUrl === null) return [ok("cookie", found)];
  const [web, api] = [new URL(webBaseUrl), new URL(publicUrl)];
  const isElsewhere =
    siteOf(web.hostname) !== siteOf(api.hostname) || web.protocol !== api.protocol;
  if (isElsewhere && cookieSameSite !== "none") {
    return [
      bad(
        "cookie",
        `${found}, and the web app is at ${web.origin}`,
        "Pages of another site do not send it: set COOKIE_SAMESITE=none, or have both under one domain.",
      ),
    ];
  }
  if (web.origin !== api.origin && !config.corsOrigins.includes(web.origin)) {
    const advice = `Its pages may not call the API: add ${web.origin} to CORS_ORIGINS.`;
    return [bad("cookie", `${found}, and the web app is at ${web.origin}`, advice)];
  }
  return [ok("cookie", found)];
};

/** The last two labels: near enough for advice, where only a list of public suffixes would be right. */
const siteOf = (host: string): string =>
  /^[\d.]+$|:/.test(host) ? host : host.split(".").slice(-2).join(".");

const proxy = (config: Config, publicUrl: string): readonly Finding[] =>
  config.trustProxy === false && publicUrl.startsWith("https://")
    ? [
        note(
          "proxy",
          "TRUST_PROXY is false, and the service does not speak TLS itself",
          "Behind a proxy all callers are one network address to it: set TRUST_PROXY to the number of proxies, or to their addresses.",
        ),
      ]
    : [];

/** What goes with an error of the settings: each is one thing to mend. */
export const settingFindings = (problems: readonly string[]): readonly Finding[] =>
  problems.map((problem) =>
    bad("settings", problem, "docs/operating.md lists every setting with its values."),
  );

/** Settings that work against what the rest of them are for. */
export const checkAdministrators = ({ adminEmails, roles }: Config): readonly Finding[] =>
  roles.includes("api") && adminEmails.length === 0
    ? [
        note(
          "administrators",
          "nobody",
          "Set ADMIN_EMAILS to the addresses of those who look after the service.",
        ),
      ]
    : [];

/** Why a check did not come to its end, which is a fault of ours or something that nobody thought of. */
export const failedCheck = (name: string, error: unknown): Finding =>
  bad(name, `could not be looked at: ${messageOf(error)}`, "Look at it by hand.");
