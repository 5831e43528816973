import { spawn } from "node:child_process";
import { vi } from "vitest";
import { createCli } from "../../../src/cli/commands.ts";
import { runCommand } from "../../../src/cli/program.ts";
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
      resolve({ code, stdout, stderr, records: recordsIn(stdout) });
    });
  });

let last: Promise<unknown> = Promise.resolve();

/**
 * Runs `runledger …` in the process of the tests, one command at a time, for tests of output and effects. A process
 * of its own spends most of its time on loading modules.
 */
export const runledgerHere = (
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  cwd: string = process.cwd(),
): Promise<Ended> => {
  const ended = last.then(() => runHere(args, environment, cwd));
  last = ended.catch(() => undefined);
  return ended;
};

const SIGNALS = ["SIGINT", "SIGTERM"] as const;

const runHere = async (
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  cwd: string,
): Promise<Ended> => {
  const before = { cwd: process.cwd(), env: { ...process.env }, exitCode: process.exitCode };
  const listeners = SIGNALS.map((name) => process.listeners(name));
  const output = { stdout: "", stderr: "" };
  const [stdout, stderr] = (["stdout", "stderr"] as const).map((name) =>
    vi.spyOn(process[name], "write").mockImplementation((chunk) => {
      output[name] += String(chunk);
      return true;
    }),
  );
  Object.assign(process.env, { NO_COLOR: "1" }, environment);
  process.chdir(cwd);
  process.exitCode = undefined;
  try {
    await runCommand(createCli(), args);
    const code = Number(process.exitCode ?? 0);
    return { code, ...output, records: recordsIn(output.stdout) };
  } finally {
    stdout?.mockRestore();
    stderr?.mockRestore();
    process.chdir(before.cwd);
    process.env = before.env;
    process.exitCode = before.exitCode;
    for (const [at, name] of SIGNALS.entries()) {
      for (const listener of process.listeners(name)) {
        if (!listeners[at]?.includes(listener)) process.off(name, listener);
      }
    }
  }
};

// biome-ignore lint/suspicious/noExplicitAny: tests read output of any shape.
const recordsIn = (stdout: string): any[] =>
  stdout
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line));
