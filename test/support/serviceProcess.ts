import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { createInterface } from "node:readline";
import { program } from "./program.ts";

const ROOT = path.resolve(import.meta.dirname, "../..");

export type ServiceProcess = {
  readonly url: string;
  readonly pid: number;
  /** All output lines so far. */
  readonly said: readonly string[];
  /** The exit code, null after a signal, undefined while the process runs. */
  exitCode(): number | null | undefined;
  /** Sends a signal and waits for the exit. Returns the exit code, null after SIGKILL. */
  end(signal: "SIGKILL" | "SIGTERM"): Promise<number | null>;
};

/**
 * Starts the whole service as a separate process, like `npm start`, embedded, on a data folder.
 * Rejects with its output if it does not become ready. `said` receives its lines from the beginning.
 */
export const startServiceProcess = async (
  dataDir: string,
  environment: Readonly<Record<string, string>> = {},
  said: string[] = [],
): Promise<ServiceProcess> => {
  const child = spawn(process.execPath, [...program, "server"], {
    cwd: ROOT,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      PORT: "0",
      DATA_DIR: dataDir,
      RATE_LIMIT: "off",
      ...environment,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const url = await readyAt(child, said).catch((error: unknown) => {
    child.kill("SIGKILL");
    throw error;
  });
  return {
    url,
    pid: child.pid ?? 0,
    said,
    exitCode: () =>
      child.exitCode === null && child.signalCode === null ? undefined : child.exitCode,
    end: async (signal) => {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
      const exited = once(child, "exit");
      child.kill(signal);
      await exited;
      return child.exitCode;
    },
  };
};

const readyAt = (child: ChildProcess, said: string[]): Promise<string> =>
  new Promise((resolve, reject) => {
    const fail = () => reject(new Error(`The service did not start:\n${said.join("\n")}`));
    const timer = setTimeout(fail, 60_000);
    child.once("exit", fail);
    if (!child.stdout || !child.stderr) throw new Error("no output");
    createInterface({ input: child.stderr }).on("line", (line) => said.push(line));
    createInterface({ input: child.stdout }).on("line", (line) => {
      said.push(line);
      const url = readyLine(line);
      if (url === null) return;
      clearTimeout(timer);
      child.off("exit", fail);
      resolve(url);
    });
  });

const readyLine = (line: string): string | null => {
  try {
    const { msg, url } = JSON.parse(line) as { msg?: unknown; url?: unknown };
    if (msg !== "runledger is ready") return null;
    // A service without the role api does not listen.
    return typeof url === "string" ? url : "";
  } catch {
    return null;
  }
};
