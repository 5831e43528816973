import { arch, platform, release } from "node:os";
import { runledgerClient } from "../../client/client.ts";
import {
  BrowserNotFoundError,
  findBrowser,
  findOtherBrowser,
} from "../../workers/executor/index.ts";
import { isUnencrypted, keyFrom, serverFrom } from "../connection.ts";
import { CommandError, exitCodes } from "../exitCodes.ts";
import type { Terminal } from "../terminal.ts";

/** The result of one check. */
type Finding = {
  readonly name: string;
  /** Whether the check passed; null for an optional part that is missing. */
  readonly ok: boolean | null;
  readonly found: string;
  /** How to fix it. */
  readonly advice?: string;
};

export type DoctorOptions = {
  readonly server?: string;
  readonly browserPath?: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
};

/** The oldest supported Node.js: `engines` of package.json. */
const OLDEST_NODE = [22, 12] as const;
const ANSWER_MS = 10_000;

/** `runledger doctor`: checks this machine, its browsers, the service and the key. Returns the exit code: 3 if a check fails. */
export const runDoctor = async (options: DoctorOptions, terminal: Terminal): Promise<number> => {
  const findings: Finding[] = [];
  const report = (finding: Finding): void => {
    findings.push(finding);
    const { name, ok, found, advice } = finding;
    terminal.record({ type: "check", name, ok: ok ?? true, found, advice: advice ?? null });
    const mark = ok === null ? "-" : ok ? terminal.paint.green("✓") : terminal.paint.red("✗");
    terminal.say(`${mark} ${name.padEnd(9)} ${found}`);
    for (const line of advice?.split("\n") ?? []) terminal.say(`            ${line}`);
  };
  report(machine());
  report(await browser(options.browserPath));
  for (const name of ["firefox", "webkit"] as const) {
    report(await otherBrowser(name, options.environment[`BROWSER_PATH_${name.toUpperCase()}`]));
  }
  for (const finding of await serviceAndKey(options)) report(finding);
  const bad = findings.filter(({ ok }) => ok === false).length;
  terminal.say(bad === 0 ? "All checks passed." : `${bad} of ${findings.length} checks failed.`);
  return bad === 0 ? exitCodes.passed : exitCodes.unavailable;
};

/** Node.js and the machine. An unsupported Node.js is a warning, not a failure. */
const machine = (): Finding => {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const isSupported =
    major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1]);
  const found = `Node.js ${process.versions.node} on ${platform()} ${release()} ${arch()}`;
  return {
    name: "machine",
    ok: true,
    found,
    ...(!isSupported && {
      advice: `Unsupported: install Node.js ${OLDEST_NODE.join(".")} or newer.`,
    }),
  };
};

const browser = async (configuredPath: string | undefined): Promise<Finding> => {
  try {
    const { executablePath, version } = await findBrowser({ configuredPath, allowInstall: false });
    return { name: "chromium", ok: true, found: `${version ?? ""} ${executablePath}`.trim() };
  } catch (error) {
    if (!(error instanceof BrowserNotFoundError)) throw error;
    return { name: "chromium", ok: false, found: "no working installation", advice: error.message };
  }
};

/** An optional browser: its absence is a failure only if its path is configured. */
const otherBrowser = async (
  name: "firefox" | "webkit",
  configuredPath: string | undefined,
): Promise<Finding> => {
  try {
    const { executablePath, version } = await findOtherBrowser(name, {
      configuredPath: configuredPath || undefined,
      isAsked: true,
    });
    return { name, ok: true, found: `${version ?? ""} ${executablePath}`.trim() };
  } catch (error) {
    if (!(error instanceof BrowserNotFoundError)) throw error;
    const ok = configuredPath ? false : null;
    return { name, ok, found: "not installed (optional)", advice: error.message };
  }
};

/** Checks the service, and then the key with it. */
const serviceAndKey = async (options: DoctorOptions): Promise<readonly Finding[]> => {
  let server: string;
  let key: string | null;
  try {
    server = serverFrom(options.server, options.environment);
    key = keyFrom(options.environment);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return [{ name: "settings", ok: false, found: "invalid", advice: error.message }];
  }
  const answer = await askFor(server, key);
  if ("problem" in answer) {
    const advice =
      "Start it (npm start), or set its address: --server https://host, or RUNLEDGER_URL.";
    return [{ name: "server", ok: false, found: `${server}: ${answer.problem}`, advice }];
  }
  const { status, detail, isService } = answer;
  if (!isService) {
    const advice = "Another program answers at this address. Check --server or RUNLEDGER_URL.";
    return [{ name: "server", ok: false, found: `${server} returned ${status}`, advice }];
  }
  if (status >= 500) {
    const found = `${server} returned ${status}: ${detail}`;
    return [{ name: "server", ok: false, found, advice: "See the log of the service." }];
  }
  const reached: Finding = {
    name: "server",
    ok: true,
    found: server,
    ...(isUnencrypted(server) && {
      advice: "Plain http: the key can be read in transit. Use https.",
    }),
  };
  return [reached, keyFinding(key, status, detail)];
};

const keyFinding = (key: string | null, status: number, detail: string): Finding => {
  const makeOne =
    "Create one in the web app (settings, API keys) or with POST /api/v1/api-keys, and set it in RUNLEDGER_API_KEY.";
  if (key === null) return { name: "key", ok: false, found: "none", advice: makeOne };
  // The prefix identifies the key without disclosing it.
  const shown = `${key.slice(0, 12)}…`;
  if (status === 401) {
    return { name: "key", ok: false, found: `${shown} is refused: ${detail}`, advice: makeOne };
  }
  if (status !== 200) return { name: "key", ok: false, found: `${status}: ${detail}` };
  return { name: "key", ok: true, found: shown };
};

type Asked =
  | { readonly problem: string }
  | { readonly status: number; readonly detail: string; readonly isService: boolean };

const askFor = async (server: string, key: string | null): Promise<Asked> => {
  const client = runledgerClient({ baseUrl: server, ...(key !== null && { apiKey: key }) });
  try {
    const { data, error, response } = await client.GET("/api/v1/cli/projects", {
      params: { query: { limit: 1 } },
      redirect: "manual",
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    const body: unknown = data ?? error;
    const fields = typeof body === "object" && body !== null ? body : {};
    return {
      status: response.status,
      detail: "detail" in fields ? String(fields.detail) : "",
      isService: "detail" in fields || "items" in fields,
    };
  } catch (error) {
    // The answer is not JSON.
    if (error instanceof SyntaxError) return { status: 200, detail: "", isService: false };
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const why = cause instanceof Error && "code" in cause ? String(cause.code) : String(cause);
    return { problem: `cannot be reached (${why})` };
  }
};
