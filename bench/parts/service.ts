import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { createInterface } from "node:readline";
import type { BenchContext } from "../harness/bench.ts";
import { SERVICE_ARGUMENTS } from "../harness/nodeArguments.ts";

const ROOT = path.resolve(import.meta.dirname, "../..");
const START_MS = 60_000;

export type Service = {
  readonly url: string;
  readonly pid: number;
  /** Milliseconds from the spawn to the log line "runledger is ready". */
  readonly startedInMs: number;
  stop(): Promise<void>;
};

/**
 * Starts the built service as `npm start` does, with its embedded PostgreSQL unless `databaseUrl` is given.
 * Rejects with the service's output if it does not start.
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
  const child = spawn(process.execPath, [...SERVICE_ARGUMENTS, "bin/runledger.js", "server"], {
    cwd: ROOT,
    // In its own session, so that Ctrl-C signals only the bench, which stops the service.
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
    const output: string[] = [];
    const fail = () => reject(new Error(`The service did not start:\n${output.join("\n")}`));
    const timer = setTimeout(fail, START_MS);
    child.once("exit", fail);
    if (!child.stdout || !child.stderr) throw new Error("The service has no output");
    const keep = (line: string): void => {
      output.push(line);
      if (output.length > 50) output.shift();
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

/** Resident set size of a process in MB. Linux only. */
export const residentMb = async (pid: number): Promise<number> => {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? Number.NaN) / 1_024;
};

/** Proportional set size (PSS) of a process and its descendants in MB. Linux only. */
export const proportionalMb = async (pid: number): Promise<number> => {
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, "utf8").catch(() => "");
  const own = Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1] ?? 0) / 1_024;
  const descendants = await Promise.all((await childrenOf(pid)).map(proportionalMb));
  return descendants.reduce((sum, each) => sum + each, own);
};

/** The child processes of a process. Linux only. */
export const childrenOf = async (pid: number): Promise<readonly number[]> => {
  const tasks = await readdir(`/proc/${pid}/task`).catch(() => []);
  const lists = await Promise.all(
    tasks.map((task) => readFile(`/proc/${pid}/task/${task}/children`, "utf8").catch(() => "")),
  );
  return lists.flatMap((text) => text.split(" ").filter(Boolean).map(Number));
};
