import { spawnSync } from "node:child_process";

/**
 * Runs a Python program with an input and returns its output. Returns null without a local `python`, and throws in
 * continuous integration, where no test is skipped. Throws if the program fails.
 */
export const runPython = (
  program: string,
  input: string,
  { python = "python3", isWatched = Boolean(process.env.CI) } = {},
): string | null => {
  const { status, stdout, stderr, error } = spawnSync(python, ["-c", program], {
    input,
    encoding: "utf8",
    env: { ...process.env, PYTHONUTF8: "1" },
    maxBuffer: 64 * 1024 * 1024,
  });
  if (error && (isWatched || !isMissing(error))) {
    throw new Error(`${python} is needed by the tests of scripts, and does not run`, {
      cause: error,
    });
  }
  if (error) return null;
  if (status !== 0) throw new Error(stderr);
  return stdout;
};

const isMissing = (error: Error): boolean => (error as NodeJS.ErrnoException).code === "ENOENT";
