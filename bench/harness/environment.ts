import { execFile } from "node:child_process";
import { arch, cpus, platform, release, totalmem } from "node:os";
import { promisify } from "node:util";
import { findBrowser } from "../../src/workers/executor/index.ts";
import { query } from "../parts/postgres.ts";

/** Hardware and software that the figures depend on. */
export type Environment = {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly system: string;
  readonly node: string;
  readonly postgres: string;
  readonly browser: string;
  readonly commit: string;
  /** One-minute load average before the first bench. */
  readonly load: number;
};

export const readEnvironment = async (postgresUrl: string, load: number): Promise<Environment> => {
  const [cpu] = cpus();
  const [row] = await query<{ version: string }>(
    postgresUrl,
    "select current_setting('server_version') as version",
  );
  return {
    cpu: cpu?.model.trim() ?? "unknown",
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 1024 ** 3),
    system: `${platform()} ${release()} ${arch()}`,
    node: process.version,
    postgres: row?.version ?? "unknown",
    browser: await browserVersion(),
    commit: await commit(),
    load,
  };
};

const browserVersion = async (): Promise<string> => {
  try {
    const { version, executablePath } = await findBrowser({
      configuredPath: process.env.BROWSER_PATH_CHROMIUM,
      allowInstall: false,
    });
    return `Chromium ${version ?? "?"} (${executablePath.split("/").at(-1)})`;
  } catch {
    return "none";
  }
};

const commit = async (): Promise<string> => {
  const git = promisify(execFile);
  try {
    const { stdout } = await git("git", ["rev-parse", "--short=12", "HEAD"]);
    return stdout.trim();
  } catch {
    return "unknown";
  }
};

export const describeEnvironment = (environment: Environment): string => {
  const { cpu, cores, memoryGb, system, node, postgres, browser, commit, load } = environment;
  return `${cpu}, ${cores} cores, ${memoryGb} GB, ${system}; Node ${node}, PostgreSQL ${postgres}, ${browser}; commit ${commit}; load at the start ${load.toFixed(1)}`;
};
