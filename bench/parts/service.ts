import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { createInterface } from "node:readline";
import { AS_STARTED } from "../harness/nodeArguments.ts";
import type { BenchContext } from "../harness/bench.ts";

const ROOT = path.resolve(import.meta.dirname, "../..");
const START_MS = 60_000;

export type Service = {
  readonly url: string;
  readonly pid: number;
  /** From the spawn to the line that says it is ready, milliseconds. */
  readonly startedInMs: number;
  stop(): Promise<void>;
};

/**
 * The built service as a process of its own, as `npm start` runs it. With `databaseUrl` its tables and
 * its log are there, otherwise in a PostgreSQL of its own. Rejects with what it said when it does not start.
 */
export const startService = async (
  context: Pick<BenchContext, "defer">,
  options: {
    readonly dataDir: string;
    readonly databaseUrl?: string;
    readonly environment?: Readonly<Record<string, string>>;
  },
): Promise<Service> => {
  const started = performance.now();
  const child = spawn(process.execPath, [...AS_STARTED, "bin/runledger.js", "server"], {
    cwd: ROOT,
    // A session of its own: Ctrl-C reaches the bench, which stops it.
    detached: true,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      PORT: "0",
      RATE_LIMIT: "off",
      LOG_LEVEL: "info",
      DATA_DIR: options.dataDir,
      ...(process.env.BROWSER_PATH_CHROMIUM && {
        BROWSER_PATH_CHROMIUM: process.env.BROWSER_PATH_CHROMIUM,
      }),
      ...(options.databaseUrl && { DATABASE_URL: options.databaseUrl }),
      ...options.environment,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    child.kill("SIGTERM");
    await exited;
  };
  context.defer(stop);
  const url = await readyAt(child);
  return { url, pid: child.pid ?? 0, startedInMs: performance.now() - started, stop };
};

const readyAt = (child: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    const said: string[] = [];
    const fail = () => reject(new Error(`The service did not start:\n${said.join("\n")}`));
    const timer = setTimeout(fail, START_MS);
    child.once("exit", fail);
    if (!child.stdout || !child.stderr) throw new Error("The service has no output");
    const keep = (line: string): void => {
      said.push(line);
      if (said.length > 50) said.shift();
    };
    createInterface({ input: child.stderr }).on("line", keep);
    createInterface({ input: child.stdout }).on("line", (line) => {
      keep(line);
      const ready = readyLine(line);
      if (ready === null) return;
      clearTimeout(timer);
      child.off("exit", fail);
      resolve(ready);
    });
  });

const readyLine = (line: string): string | null => {
  try {
    const { msg, url } = JSON.parse(line) as { msg?: unknown; url?: unknown };
    return msg === "runledger is ready" && typeof url === "string" ? url : null;
  } catch {
    return null;
  }
};

/** Memory of a process in MB: `own` as the system counts it for it alone (RSS). Linux. */
export const residentMb = async (pid: number): Promise<number> => {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? Number.NaN) / 1_024;
};

/** Memory of a process and all below it in MB, pages that several share counted once (PSS). Linux. */
export const proportionalMb = async (pid: number): Promise<number> => {
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, "utf8").catch(() => "");
  const own = Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1] ?? 0) / 1_024;
  const below = await Promise.all((await childrenOf(pid)).map(proportionalMb));
  return below.reduce((sum, each) => sum + each, own);
};

/** The processes that a process has started. Linux. */
export const childrenOf = async (pid: number): Promise<readonly number[]> => {
  const tasks = await readdir(`/proc/${pid}/task`).catch(() => []);
  const lists = await Promise.all(
    tasks.map((task) => readFile(`/proc/${pid}/task/${task}/children`, "utf8").catch(() => "")),
  );
  return lists.flatMap((text) => text.split(" ").filter(Boolean).map(Number));
};
