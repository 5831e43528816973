import { spawn } from "node:child_process";
import { program } from "../../support/program.ts";

export type Ended = {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** The lines of `--json`. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read output of any shape.
  readonly records: readonly any[];
};

/** Runs `runledger …` in a child process. `onOutput` may end it with a signal, once. */
export const runledger = (
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  onOutput: (stdout: string, kill: (signal: NodeJS.Signals) => void) => void = () => {},
  cwd: string = process.cwd(),
): Promise<Ended> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...program, ...args], {
      env: { ...process.env, NO_COLOR: "1", ...environment },
      stdio: ["ignore", "pipe", "pipe"],
      cwd,
    });
    let stdout = "";
    let stderr = "";
    let isSignalled = false;
    child.stdout.on("data", (chunk: Buffer) => {
      stdout += chunk.toString();
      onOutput(stdout, (signal) => {
        if (!isSignalled) child.kill(signal);
        isSignalled = true;
      });
    });
    child.stderr.on("data", (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    child.on("error", reject);
    child.on("close", (code) => {
      const records = stdout
        .split("\n")
        .filter((line) => line.startsWith("{"))
        .map((line) => JSON.parse(line));
      resolve({ code, stdout, stderr, records });
    });
  });
