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

/** One thing that was looked at. */
type Finding = {
  readonly name: string;
  readonly ok: boolean;
  readonly found: string;
  /** What to do about it. */
  readonly advice?: string;
};

export type DoctorOptions = {
  readonly server?: string;
  readonly browserPath?: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
};

/** The oldest Node.js that the package runs on, as package.json says. */
const OLDEST_NODE = [20, 19] as const;
const ANSWER_MS = 10_000;

/** `runledger doctor`: what works here and what does not, each with what to do. Answers the exit code: 3 when something does not. */
export const runDoctor = async (options: DoctorOptions, terminal: Terminal): Promise<number> => {
  const findings: Finding[] = [];
  const look = (finding: Finding): void => {
    findings.push(finding);
    const { name, ok, found, advice } = finding;
    terminal.record({ type: "check", name, ok, found, advice: advice ?? null });
    const mark = ok ? terminal.paint.green("✓") : terminal.paint.red("✗");
    terminal.say(`${mark} ${name.padEnd(9)} ${found}`);
    for (const line of advice?.split("\n") ?? []) terminal.say(`            ${line}`);
  };
  look(machine());
  look(await browser(options.browserPath));
  for (const name of ["firefox", "webkit"] as const) {
    look(await otherBrowser(name, options.environment[`BROWSER_PATH_${name.toUpperCase()}`]));
  }
  for (const finding of await serviceAndKey(options)) look(finding);
  const bad = findings.filter(({ ok }) => !ok).length;
  terminal.say(bad === 0 ? "All is well." : `${bad} of ${findings.length} need something.`);
  return bad === 0 ? exitCodes.passed : exitCodes.unavailable;
};

const machine = (): Finding => {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const ok = major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1]);
  const found = `Node.js ${process.versions.node} on ${platform()} ${release()} ${arch()}`;
  return {
    name: "machine",
    ok,
    found,
    ...(!ok && { advice: `Install Node.js ${OLDEST_NODE.join(".")} or newer.` }),
  };
};

const browser = async (configuredPath: string | undefined): Promise<Finding> => {
  try {
    const { executablePath, version } = await findBrowser({ configuredPath, allowInstall: false });
    return { name: "chromium", ok: true, found: `${version ?? ""} ${executablePath}`.trim() };
  } catch (error) {
    if (!(error instanceof BrowserNotFoundError)) throw error;
    return { name: "chromium", ok: false, found: "none that starts", advice: error.message };
  }
};

/** A browser that not everybody needs: that it is not there is no fault, unless somebody said where it is. */
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
    return { name, ok: !configuredPath, found: "not installed", advice: error.message };
  }
};

/** The service, then the key: without the one nothing can be said of the other. */
const serviceAndKey = async (options: DoctorOptions): Promise<readonly Finding[]> => {
  let server: string;
  let key: string | null;
  try {
    server = serverFrom(options.server, options.environment);
    key = keyFrom(options.environment);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return [{ name: "settings", ok: false, found: "cannot be used", advice: error.message }];
  }
  const answer = await askFor(server, key);
  if ("problem" in answer) {
    const advice =
      "Start it (npm start), or say where it is: --server https://host, or RUNLEDGER_URL.";
    return [{ name: "server", ok: false, found: `${server}: ${answer.problem}`, advice }];
  }
  const { status, detail, isService } = answer;
  if (!isService) {
    const advice = "Something else answers there. Is the address (--server, RUNLEDGER_URL) right?";
    return [{ name: "server", ok: false, found: `${server} answers ${status}`, advice }];
  }
  if (status >= 500) {
    const found = `${server} answers ${status}: ${detail}`;
    return [{ name: "server", ok: false, found, advice: "Its log says what it lacks." }];
  }
  const reached: Finding = {
    name: "server",
    ok: true,
    found: server,
    ...(isUnencrypted(server) && {
      advice: "Plain http: whoever is on the way can read the key. Use https.",
    }),
  };
  return [reached, keyFinding(key, status, detail)];
};

const keyFinding = (key: string | null, status: number, detail: string): Finding => {
  const makeOne =
    "Make one in the web app (settings, API keys) or with POST /api/v1/api-keys, and put it into RUNLEDGER_API_KEY.";
  if (key === null) return { name: "key", ok: false, found: "none", advice: makeOne };
  // Its beginning tells which one it is and lets nobody in.
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
    // Something that answers, and not in JSON.
    if (error instanceof SyntaxError) return { status: 200, detail: "", isService: false };
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const why = cause instanceof Error && "code" in cause ? String(cause.code) : String(cause);
    return { problem: `cannot be reached (${why})` };
  }
};
